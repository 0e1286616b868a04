/*-------------------------------------------------------------------------
 *
 * bands.c
 *	  The S-curve: how often pairs of a known similarity agree in a band.
 *
 * Pairs of sets whose union has 1,000 elements, so that there are hardly any
 * empty slots.  Of n pairs of similarity s the share p = 1 - (1 - s'^r)^b
 * should agree in at least one of b bands of r rows, where s' = s + (1 - s) /
 * 512 allows for the chance agreement of the 9 bits that a key has for a row.
 * The number found must be within 4 standard errors, sqrt(n p (1 - p)), of
 * n p; two pairs more are allowed, since the numbers are whole and the bound
 * of the normal distribution does not hold where n p is about 0 or n.
 *
 * Small sets have many empty slots, which borrow from the same few others, so
 * that their bands do not agree independently of each other.  They may be off
 * the curve by 0.05: of 4,000 pairs, 4 standard errors are 0.03.
 *
 * In the same cases, what bands_agree() says must be what comparing masked
 * keys says.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "bands.h"
#include "unit.h"

#define HASHES 128
#define TRIALS 4000
#define ALLOWED 4

static const int percents[] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 95};

/* In a number of pairs: how many agree in some band, and what else is asked. */
typedef struct Counts
{
	int			found[BAND_MAX + 1][BAND_ROWS + 1];	/* by bands and rows */
	int			different;		/* cases where keys and bands_agree differ */
} Counts;

/* Count how many leading rows of a band agree, by the keys. */
static int
common_rows(uint64_t a, uint64_t b)
{
	int			rows = 0;

	while (rows < BAND_ROWS && ((a ^ b) & band_mask(rows + 1)) == 0)
		rows++;
	return rows;
}

/* Note for every banding whether a pair agrees in it. */
static void
count_pair(const Pair *pair, Counts *counts)
{
	uint64_t	a[BAND_MAX];
	uint64_t	b[BAND_MAX];
	int			deepest = 0;

	band_keys(pair->a, HASHES, a);
	band_keys(pair->b, HASHES, b);
	for (int bands = 1; bands <= BAND_MAX; bands++)
	{
		int			rows = common_rows(a[bands - 1], b[bands - 1]);

		deepest = rows > deepest ? rows : deepest;
		for (rows = 1; rows <= BAND_ROWS; rows++)
		{
			BandPlan	plan = {.bands = bands,.rows = rows};
			bool		found = rows <= deepest;

			counts->found[bands][rows] += found;
			counts->different += found != bands_agree(pair->a, pair->b, HASHES,
													  &plan);
		}
	}
}

/* Draw pairs of one similarity and count them. */
static Counts
count_pairs(SketchMethod method, int united, int percent)
{
	static Pair pair;
	Counts		counts = {0};

	for (int i = 0; i < TRIALS; i++)
	{
		random_pair(method, HASHES, united, united * percent / 100, &pair);
		count_pair(&pair, &counts);
	}
	return counts;
}

/* Return the probability that a pair agrees in some band, with 9-bit rows. */
static double
s_curve(int percent, int bands, int rows)
{
	double		s = percent / 100.0 + (1 - percent / 100.0) / 512;

	return 1 - pow(1 - pow(s, rows), bands);
}

/* Return by how many standard errors, after 2 pairs, a banding is off. */
static double
deviation(const Counts *counts, int percent, int bands, int rows)
{
	double		p = s_curve(percent, bands, rows);
	double		difference = counts->found[bands][rows] - TRIALS * p;

	return copysign(fmax(fabs(difference) - 2, 0), difference) /
		sqrt(TRIALS * p * (1 - p) + 1e-9);
}

/* Check all bandings at one similarity. */
static void
check_similarity(SketchMethod method, int percent)
{
	Counts		counts = count_pairs(method, 1000, percent);
	const char *name = method == SKETCH_ONE_PERMUTATION ? "one" : "k";
	double		worst = 0;
	int			worst_bands = 0;
	int			worst_rows = 0;

	for (int bands = 1; bands <= BAND_MAX; bands++)
		for (int rows = 1; rows <= BAND_ROWS; rows++)
		{
			double		now = deviation(&counts, percent, bands, rows);

			if (fabs(now) < fabs(worst))
				continue;
			worst = now;
			worst_bands = bands;
			worst_rows = rows;
		}
	ok(fabs(worst) <= ALLOWED, "S-curve: %s-permutation, %d %% similar, "
	   "%d pairs (worst %+.1f standard errors, %d bands of %d)",
	   name, percent, TRIALS, worst, worst_bands, worst_rows);
	ok(counts.different == 0, "masked keys say the same: %s-permutation, "
	   "%d %% similar (%d cases differ)", name, percent, counts.different);
}

/* Show how far off the S-curve small sets are; return the greatest difference. */
static double
show_similarity(const Counts *counts, int united, int percent)
{
	static const int bandings[][2] = {{3, 1}, {17, 2}, {17, 4}, {16, 6}, {7, 6}};
	char		line[256];
	int			len = 0;
	double		worst = 0;

	for (int i = 0; i < lengthof(bandings); i++)
	{
		int			bands = bandings[i][0];
		int			rows = bandings[i][1];
		double		share = (double) counts->found[bands][rows] / TRIALS;
		double		off = share - s_curve(percent, bands, rows);

		worst = fmax(worst, fabs(off));
		len += snprintf(line + len, sizeof(line) - (size_t) len,
						"  %d x %d %.3f (%+.3f)", bands, rows, share, off);
	}
	note("union of %d, %d %% similar, share found (off the S-curve by):%s",
		 united, percent, line);
	return worst;
}

/* Check small sets, which have many empty slots. */
static void
check_small(int united)
{
	int			different = 0;
	double		worst = 0;

	for (int percent = 20; percent < 100; percent += 20)
	{
		Counts		counts = count_pairs(SKETCH_ONE_PERMUTATION, united,
										 percent);

		worst = fmax(worst, show_similarity(&counts, united, percent));
		different += counts.different;
	}
	ok(worst <= 0.05, "S-curve: one-permutation, union of %d (off by %.3f)",
	   united, worst);
	ok(different == 0, "masked keys say the same: one-permutation, "
	   "union of %d (%d cases differ)", united, different);
}

int
main(void)
{
	for (int method = 1; method <= 2; method++)
		for (int i = 0; i < lengthof(percents); i++)
			check_similarity(method, percents[i]);
	check_small(5);
	check_small(20);
	check_small(50);
	return done_testing();
}
