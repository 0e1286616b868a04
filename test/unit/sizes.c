/*-------------------------------------------------------------------------
 *
 * sizes.c
 *	  Accuracy of cardinality, containment and the documented interval of the
 *	  Jaccard similarity, by simulation with random sets.
 *
 * Cardinality: errors are compared with the documented standard error.  A
 * normal error exceeds 3 standard errors once in 370 trials.  The test allows
 * once in 100 trials, plus 3 standard deviations of that count, and errors of 2
 * elements, because errors of small sets are whole elements.  With 1,000 trials
 * the root mean squared error must be at most 1.1 standard errors.
 *
 * Interval: the similarity of a pair is random, so that the coverage for a size
 * of the union is the average over its possible similarities.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "unit.h"

#define LARGEST 1000000

static const int cardinalities[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10000, 100000, 1000000};
static const int unions[] = {1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 1000, 5000};

static uint64_t hashes[LARGEST];

/* Return the name of a method. */
static const char *
name(SketchMethod method)
{
	return method == SKETCH_ONE_PERMUTATION ? "one-permutation" : "k-permutation";
}

/* Draw a set of random elements and estimate their number. */
static double
estimate_cardinality(SketchMethod method, int num_hashes, int count)
{
	uint16_t	slots[SKETCH_MAX_HASHES];

	for (int i = 0; i < count; i++)
		hashes[i] = random64();
	sketch_hashes(method, num_hashes, (int32_t) random64(), hashes, count,
				  slots);
	return slots_cardinality(slots, num_hashes, method);
}

/* Return the documented relative standard error of a cardinality. */
static double
cardinality_error(double cardinality, int num_hashes, SketchMethod method)
{
	double		rate = cardinality / num_hashes;

	if (method == SKETCH_K_PERMUTATION)
		return 1 / sqrt(num_hashes - 2);
	return sqrt((-1 / expm1(-rate) - 1 / rate) / num_hashes);
}

/* Compare the errors for sets of one size with the documented one. */
static void
check_cardinality(SketchMethod method, int num_hashes, int count)
{
	int			trials = count < 10000 ? 2000 : 10000000 / count;
	double		error = cardinality_error(count, num_hashes, method);
	double		sum = 0;
	double		squares = 0;
	int			within = 0;

	for (int i = 0; i < trials; i++)
	{
		double		e = estimate_cardinality(method, num_hashes, count) / count - 1;

		sum += e;
		squares += e * e;
		within += fabs(e) <= 3 * error || fabs(e) * count <= 2;
	}
	ok(trials - within <= 0.01 * trials + 3 * sqrt(0.01 * trials) &&
	   (trials < 1000 || sqrt(squares / trials) <= 1.1 * error),
	   "cardinality %d, %s, %d hashes: %.1f %% of %d sets within 3 standard errors "
	   "(documented %.2f %%, root mean square %.2f %%, bias %+.2f %%)",
	   count, name(method), num_hashes, 100.0 * within / trials, trials,
	   100 * error, 100 * sqrt(squares / trials), 100 * sum / trials);
}

/* Check that sets of up to 20 elements are counted to within 2. */
static void
check_small_sets(SketchMethod method)
{
	int			within = 0;

	for (int count = 1; count <= 20; count++)
		for (int i = 0; i < 1000; i++)
			within += fabs(estimate_cardinality(method, 128, count) - count) <= 2;
	ok(within >= 18000, "%.1f %% of 20,000 sets of 1 to 20 elements within 2 (%s)",
	   within / 200.0, name(method));
}

/* Two sets, by the numbers of elements. */
typedef struct Overlap
{
	int			a;
	int			b;
	int			both;
} Overlap;

static const Overlap overlaps[] = {
	{10, 10, 5}, {20, 200, 20}, {200, 20, 20}, {100, 100, 90}, {1000, 1000, 500},
	{50, 1000, 40}, {1000, 50, 40}, {5000, 500, 400}, {200, 5000, 190}, {300, 300, 0}
};

/* Draw two sets that overlap. */
static void
draw(SketchMethod method, int num_hashes, Overlap sets, Pair *pair)
{
	int			union_size = sets.a + sets.b - sets.both;
	int32_t		seed = (int32_t) random64();

	for (int i = 0; i < union_size; i++)
		hashes[i] = random64();
	sketch_hashes(method, num_hashes, seed, hashes, sets.a, pair->a);
	sketch_hashes(method, num_hashes, seed, hashes + sets.a - sets.both, sets.b,
				  pair->b);
}

/* Compare the errors of estimated containments with simpler estimates. */
static void
check_containment(SketchMethod method, int num_hashes, Overlap sets)
{
	static Pair pair;
	int			trials = 1000;
	double		truth = (double) sets.both / sets.a;
	double		sum = 0;
	double		squares = 0;
	double		order_squares = 0;
	double		jaccard_squares = 0;

	for (int i = 0; i < trials; i++)
	{
		double		estimate = -1;
		double		order = -1;
		double		jaccard;
		int			equal;
		int			compared;

		draw(method, num_hashes, sets, &pair);
		slots_containment(pair.a, pair.b, num_hashes, method, &estimate);
		slots_containment(pair.a, pair.b, num_hashes, SKETCH_IMPORTED, &order);
		slots_compare(pair.a, pair.b, num_hashes, &equal, &compared);
		jaccard = (double) equal / compared;
		jaccard *= 1 + slots_cardinality(pair.b, num_hashes, method) /
			slots_cardinality(pair.a, num_hashes, method);
		jaccard /= 1 + (double) equal / compared;
		jaccard = fmin(jaccard, 1);
		sum += estimate - truth;
		squares += (estimate - truth) * (estimate - truth);
		order_squares += (order - truth) * (order - truth);
		jaccard_squares += (jaccard - truth) * (jaccard - truth);
	}
	ok(fabs(sum / trials) < 0.02 && squares <= 1.02 * order_squares + 1e-6 * trials,
	   "containment of %d in %d, %d in both, %s, %d hashes: bias %+.3f, error "
	   "%.4f (by order %.4f, by Jaccard and cardinality %.4f)", sets.a, sets.b,
	   sets.both, name(method), num_hashes, sum / trials,
	   sqrt(squares / trials), sqrt(order_squares / trials),
	   sqrt(jaccard_squares / trials));
}

/* Return true if a similarity is in the interval of REFERENCE.md. */
static int
in_interval(double truth, double estimate, int num_hashes, double z)
{
	double		share = z * z / num_hashes;
	double		half = z * sqrt(estimate * (1 - estimate) / num_hashes +
								share / num_hashes / 4);

	return fabs(truth * (1 + share) - estimate - share / 2) <= half + 1e-9;
}

/* Check how often the interval holds the truth, at one size of the union. */
static void
check_interval(SketchMethod method, int num_hashes, int union_size,
			   double confidence, double z)
{
	static Pair pair;
	int			trials = 4000;
	int			covered = 0;
	double		coverage;

	for (int i = 0; i < trials; i++)
	{
		int			common = random_below(union_size + 1);
		double		truth = (double) common / union_size;
		int			equal;
		int			compared;

		random_pair(method, num_hashes, union_size, common, &pair);
		slots_compare(pair.a, pair.b, num_hashes, &equal, &compared);
		covered += in_interval(truth, (double) equal / compared, num_hashes, z);
	}
	coverage = (double) covered / trials;
	ok(coverage >= confidence - 0.02,
	   "interval of %g %%, union of %d, %s, %d hashes: coverage %.2f %%",
	   100 * confidence, union_size, name(method), num_hashes, 100 * coverage);
}

int
main(void)
{
	for (int method = 1; method <= 2; method++)
	{
		int			step = method == SKETCH_ONE_PERMUTATION ? 1 : 4;

		for (int i = 0; i < lengthof(cardinalities); i++)
			check_cardinality(method, 128, cardinalities[i]);
		for (int i = 0; i < 10; i += step)
			check_cardinality(method, 1024, cardinalities[i]);
		check_small_sets(method);
		for (int i = 0; i < lengthof(overlaps); i++)
			check_containment(method, 128, overlaps[i]);
		for (int i = 0; i < lengthof(unions); i += step)
			check_interval(method, 128, unions[i], 0.95, 1.96);
		for (int i = 6; i < lengthof(unions) - 1; i += 3 * step)
			check_interval(method, 1024, unions[i], 0.95, 1.96);
		for (int i = 0; i < lengthof(unions); i += 5)
		{
			check_interval(method, 128, unions[i], 0.8, 1.2816);
			check_interval(method, 128, unions[i], 0.99, 2.5758);
		}
	}
	return done_testing();
}
