/*-------------------------------------------------------------------------
 *
 * bands.c
 *	  The S-curve: how often pairs of a known similarity agree in a band.
 *
 * Pairs of sets whose union has 1,000 elements, so that there are hardly any
 * empty slots.  Of n pairs of similarity s the share that should agree in at
 * least one, or two, of b bands of r rows follows from the binomial
 * distribution of agreeing bands.  One agrees with the probability s'_1 ...
 * s'_r, where s'_i = s + (1 - s) / 2^bits allows for the chance agreement of
 * the bits that a key has for row i.
 * The number found must be within 4 standard errors, sqrt(n p (1 - p)), of
 * n p; two pairs more are allowed, since the numbers are whole and the bound
 * of the normal distribution does not hold where n p is about 0 or n.
 *
 * Small sets have many empty slots, which borrow from the same few others, so
 * that their bands do not agree independently of each other.  They may be off
 * the curve by 0.05: of 4,000 pairs, 4 standard errors are 0.03.
 *
 * In the same cases, what bands_agree(), band_first_agreement() and a comparison of
 * band_hashes() say must be what comparing masked keys says.  (Hashes of
 * different keys are equal with probability 2^-32.)
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "core/bands/bands.h"
#include "unit.h"

#define HASHES 128
#define TRIALS 4000
#define ALLOWED 4

static const int percents[] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 95};

/* Bits of a key that stand for the rows. */
static const int bits[BAND_ROWS] = {14, 12, 10, 7, 7, 6};

/* The tables of plans, by rows. */
static BandHasher hashers[BAND_ROWS + 1];

/* Counts over pairs. */
typedef struct Counts
{
	int			found[3][BAND_MAX + 1][BAND_ROWS + 1];	/* by matches, bands, rows */
	int			different;		/* cases where keys say something else */
} Counts;

/* Return the number of bands of a signature with the given number of rows. */
static int
bands_of_rows(int rows)
{
	return rows > BAND_STEP ? HASHES / BAND_ROWS : HASHES / BAND_STEP;
}

/* Return true if the hashes for a band of a plan are equal, among others. */
static bool
hashes_agree(const Pair *pair, int rows, int i)
{
	uint32_t	a[2];
	uint32_t	b[2];
	int			others = i > 0;

	band_hashes(&hashers[rows], pair->a, i - others, 1 + others, a);
	band_hashes(&hashers[rows], pair->b, i - others, 1 + others, b);
	return a[others] == b[others];
}

/* Note for every number of bands of some rows whether a pair agrees. */
static void
count_bands(const Pair *pair, const uint64_t *a, const uint64_t *b, int rows,
			Counts *counts)
{
	BandPlan	plan = {.rows = rows};
	int			matches = 0;
	int			first = -1;

	for (int i = 0; i < bands_of_rows(rows); i++)
	{
		int			band = band_of_plan(&plan, i);
		bool		agrees = ((a[band] ^ b[band]) & band_mask(rows)) == 0;

		matches += agrees;
		counts->different += agrees != hashes_agree(pair, rows, i);
		if (agrees && first < 0)
			first = i;
		plan.bands = i + 1;
		counts->different += band_first_agreement(pair->a, pair->b, HASHES, &plan,
											 i + 1) != (first < 0 ? i + 1 : first);
		for (plan.agreeing = 1; plan.agreeing <= 2; plan.agreeing++)
		{
			bool		found = matches >= plan.agreeing;

			counts->found[plan.agreeing][plan.bands][rows] += found;
			counts->different += found != bands_agree(pair->a, pair->b, HASHES,
													  &plan);
		}
	}
}

/* Note for every banding whether a pair agrees in it. */
static void
count_pair(const Pair *pair, Counts *counts)
{
	uint64_t	a[BAND_MAX];
	uint64_t	b[BAND_MAX];

	band_keys(pair->a, HASHES, a);
	band_keys(pair->b, HASHES, b);
	for (int rows = 1; rows <= BAND_ROWS; rows++)
		count_bands(pair, a, b, rows, counts);
}

/* Draw pairs of one similarity and count them. */
static Counts
count_pairs(SketchMethod method, int union_size, int percent)
{
	static Pair pair;
	Counts		counts = {0};

	for (int i = 0; i < TRIALS; i++)
	{
		random_pair(method, HASHES, union_size, union_size * percent / 100, &pair);
		count_pair(&pair, &counts);
	}
	return counts;
}

/* Return the probability that a pair agrees in enough bands, by their keys. */
static double
s_curve(int percent, int bands, int rows, int matches)
{
	double		agree = 1;

	for (int i = 0; i < rows; i++)
		agree *= percent / 100.0 + (1 - percent / 100.0) / (1 << bits[i]);
	return 1 - pow(1 - agree, bands) -
		(matches == 2 ? bands * agree * pow(1 - agree, bands - 1) : 0);
}

/* Return by how many standard errors, after 2 pairs, a banding is off. */
static double
deviation(const Counts *counts, int percent, int bands, int rows, int matches)
{
	double		p = s_curve(percent, bands, rows, matches);
	double		difference = counts->found[matches][bands][rows] - TRIALS * p;

	return copysign(fmax(fabs(difference) - 2, 0), difference) /
		sqrt(TRIALS * p * (1 - p) + 1e-9);
}

/* Check all bandings that ask for some matches at one similarity. */
static void
check_curve(const Counts *counts, const char *method, int percent, int matches)
{
	double		worst = 0;
	int			worst_bands = 0;
	int			worst_rows = 0;

	for (int rows = 1; rows <= BAND_ROWS; rows++)
		for (int bands = 1; bands <= bands_of_rows(rows); bands++)
		{
			double		now = deviation(counts, percent, bands, rows, matches);

			if (fabs(now) < fabs(worst))
				continue;
			worst = now;
			worst_bands = bands;
			worst_rows = rows;
		}
	ok(fabs(worst) <= ALLOWED, "S-curve: %s-permutation, %d %% similar, "
	   "%d must agree, %d pairs (worst %+.1f standard errors, %d bands of %d)",
	   method, percent, matches, TRIALS, worst, worst_bands, worst_rows);
}

/* Check all bandings at one similarity. */
static void
check_similarity(SketchMethod method, int percent)
{
	Counts		counts = count_pairs(method, 1000, percent);
	const char *name = method == SKETCH_ONE_PERMUTATION ? "one" : "k";

	for (int matches = 1; matches <= 2; matches++)
		check_curve(&counts, name, percent, matches);
	ok(counts.different == 0, "masked keys say the same: %s-permutation, "
	   "%d %% similar (%d cases differ)", name, percent, counts.different);
}

/* Show how far off the S-curve small sets are; return the greatest difference. */
static double
show_similarity(const Counts *counts, int union_size, int percent)
{
	static const int bandings[][3] = {{31, 1, 2}, {39, 2, 2}, {35, 3, 1},
	{28, 3, 2}, {17, 4, 1}, {16, 6, 1}, {7, 6, 1}};
	char		line[512];
	int			len = 0;
	double		worst = 0;

	for (int i = 0; i < lengthof(bandings); i++)
	{
		int			bands = bandings[i][0];
		int			rows = bandings[i][1];
		int			matches = bandings[i][2];
		double		share = (double) counts->found[matches][bands][rows] / TRIALS;
		double		off = share - s_curve(percent, bands, rows, matches);

		worst = fmax(worst, fabs(off));
		len += snprintf(line + len, sizeof(line) - (size_t) len,
						"  %d of %d x %d %.3f (%+.3f)", matches, bands, rows,
						share, off);
	}
	note("union of %d, %d %% similar, share found (off the S-curve by):%s",
		 union_size, percent, line);
	return worst;
}

/* Check small sets, which have many empty slots. */
static void
check_small(int union_size)
{
	int			different = 0;
	double		worst = 0;

	for (int percent = 20; percent < 100; percent += 20)
	{
		Counts		counts = count_pairs(SKETCH_ONE_PERMUTATION, union_size,
										 percent);

		worst = fmax(worst, show_similarity(&counts, union_size, percent));
		different += counts.different;
	}
	ok(worst <= 0.05, "S-curve: one-permutation, union of %d (off by %.3f)",
	   union_size, worst);
	ok(different == 0, "masked keys say the same: one-permutation, "
	   "union of %d (%d cases differ)", union_size, different);
}

/* Compute the tables of plans. */
static void
make_hashers(void)
{
	for (int rows = 1; rows <= BAND_ROWS; rows++)
	{
		BandPlan	plan = {.rows = rows};

		band_hasher_init(&hashers[rows], &plan, HASHES);
	}
}

int
main(void)
{
	make_hashers();
	for (int method = 1; method <= 2; method++)
		for (int i = 0; i < lengthof(percents); i++)
			check_similarity(method, percents[i]);
	check_small(5);
	check_small(20);
	check_small(50);
	return done_testing();
}
