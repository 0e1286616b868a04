/*-------------------------------------------------------------------------
 *
 * weighted.c
 *	  Accuracy of signatures of weighted sets.  The fuzz target weighted checks what
 *	  they do not depend on, and golden.c that they never change.
 *
 * Mean squared error: 1,000 random pairs of weighted sets, each with ten hash
 * seeds; a squared error in units of J (1 - J) / k, averaged, may be 1.1.  It
 * has a standard deviation of about sqrt(2 / 10,000), 1.4 %.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "core/sketch/weighted.h"
#include "unit.h"

#define MAX_ELEMENTS 1000

/* Two weighted sets of the same elements, some of weight 0. */
typedef struct WeightedPair
{
	int			count;
	uint64_t	names[MAX_ELEMENTS];
	double		a[MAX_ELEMENTS];
	double		b[MAX_ELEMENTS];
} WeightedPair;

/* Draw a number between 0 and 1. */
static double
random_unit(void)
{
	return (double) (random64() >> 11) / 9007199254740992.0;
}

/* Sketch a weighted set. */
static void
sketch_weights(const uint64_t *names, const double *weights, int count,
			   uint64_t seed, int num_hashes, uint16_t *slots)
{
	static WeightedElement elements[MAX_ELEMENTS];
	static WeightedElement scratch[MAX_ELEMENTS];
	static Darts darts;
	size_t		used = 0;

	for (int i = 0; i < count; i++)
		if (weights[i] > 0)
			elements[used++] = (WeightedElement)
		{
			.hash = shingle_hash_integer((int64_t) names[i], seed),
			.weight = weights[i]
		};
	used = weighted_unique(elements, scratch, used);
	darts_begin(&darts, num_hashes, elements, used);
	darts_throw(&darts, elements, used, slots);
}

/* Order elements as weighted_unique does. */
static int
compare_weighted(const void *a, const void *b)
{
	const WeightedElement *x = a;
	const WeightedElement *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->weight > y->weight) - (x->weight < y->weight);
}

/*
 * Check that a million elements, with a number of different hashes that share
 * some of their bits, become the sums that sorting them gives.
 */
static void
check_unique(uint64_t mask, const char *what)
{
	enum {count = 1000000};
	WeightedElement *elements = malloc(sizeof(WeightedElement) * count);
	WeightedElement *expected = malloc(sizeof(WeightedElement) * count);
	WeightedElement *scratch = malloc(sizeof(WeightedElement) * count);
	size_t		sums = 0;
	size_t		unique;

	for (int i = 0; i < count; i++)
		elements[i] = (WeightedElement)
	{
		.hash = random64() & mask,.weight = ldexp(1 + random_below(1000), random_below(90) - 45)
	};
	memcpy(expected, elements, sizeof(WeightedElement) * count);
	qsort(expected, count, sizeof(WeightedElement), compare_weighted);
	for (int i = 0; i < count; i++)
		if (i > 0 && expected[sums - 1].hash == expected[i].hash)
			expected[sums - 1].weight += expected[i].weight;
		else
			expected[sums++] = expected[i];
	interrupt_checks = 0;
	unique = weighted_unique(elements, scratch, count);
	ok(unique == sums && interrupt_checks > 2 * count / 65536 &&
	   memcmp(elements, expected, sizeof(WeightedElement) * sums) == 0,
	   "a million elements, %s: %zu are different, %ld looks for an interrupt",
	   what, unique, interrupt_checks);
	free(elements);
	free(expected);
	free(scratch);
}

/* Draw two weighted sets; weights range over a factor of e^spread. */
static void
draw(int count, double spread, int missing, WeightedPair *pair)
{
	double		unit = exp(20 * random_unit() - 10);

	pair->count = count;
	for (int i = 0; i < count; i++)
	{
		pair->names[i] = random64();
		pair->a[i] = unit * exp(spread * random_unit());
		pair->b[i] = random_below(2) ? pair->a[i] : unit * exp(spread * random_unit());
		if (i > 0 && random_below(100) < missing)
			pair->a[i] = 0;
		else if (i > 0 && random_below(100) < missing)
			pair->b[i] = 0;
	}
}

/* Return the weighted Jaccard similarity of two sets. */
static double
weighted_jaccard(const WeightedPair *pair)
{
	double		both = 0;
	double		either = 0;

	for (int i = 0; i < pair->count; i++)
	{
		both += fmin(pair->a[i], pair->b[i]);
		either += fmax(pair->a[i], pair->b[i]);
	}
	return both / either;
}

/* Estimate the similarity of a pair. */
static double
estimate(const WeightedPair *pair, uint64_t seed, int num_hashes)
{
	uint16_t	a[SKETCH_MAX_HASHES];
	uint16_t	b[SKETCH_MAX_HASHES];
	int			equal;
	int			compared;

	sketch_weights(pair->names, pair->a, pair->count, seed, num_hashes, a);
	sketch_weights(pair->names, pair->b, pair->count, seed, num_hashes, b);
	slots_compare(a, b, num_hashes, &equal, &compared);
	return (double) equal / compared;
}

/* Check the errors of random pairs. */
static void
check_errors(int num_hashes, int largest, double spread, int missing)
{
	static WeightedPair pair;
	double		sum = 0;
	double		squares = 0;
	double		variance = 0;
	int			trials = 0;

	for (int i = 0; i < 1000; i++)
	{
		double		truth;

		do
			draw(1 + random_below(largest), spread, missing, &pair);
		while ((truth = weighted_jaccard(&pair)) > 0.999);
		for (int j = 0; j < 10; j++)
		{
			double		error = estimate(&pair, random64(), num_hashes) - truth;

			sum += error;
			variance += truth * (1 - truth) / num_hashes;
			squares += error * error * num_hashes / (truth * (1 - truth));
			trials++;
		}
	}
	ok(squares / trials <= 1.1 && fabs(sum) < 4 * sqrt(variance),
	   "1000 pairs of 1 to %d elements, weights over a factor of %.0f, %d %% "
	   "missing, %d hashes: mean squared error %.3f J(1-J)/k, bias %+.5f",
	   largest, exp(spread), missing, num_hashes, squares / trials, sum / trials);
}

/* Check weights of every magnitude that a number can have. */
static void
check_magnitudes(void)
{
	uint64_t	names[3] = {1, 2, 3};
	bool		same = true;

	for (int exponent = -1074; exponent < 1022; exponent += 3)
	{
		double		a[3] = {ldexp(1, exponent), ldexp(1, exponent), ldexp(1, exponent)};
		double		b[3] = {ldexp(1, exponent), ldexp(1, exponent), 0};
		WeightedPair pair;

		memcpy(pair.names, names, sizeof(names));
		memcpy(pair.a, a, sizeof(a));
		memcpy(pair.b, b, sizeof(b));
		pair.count = 3;
		same &= fabs(estimate(&pair, (uint64_t) (exponent + 2000), 4096) - 2.0 / 3) < 0.04;
	}
	ok(same, "weights from 2^-1074 to 2^1021");
}

int
main(void)
{
	check_errors(128, 10, 3, 10);
	check_errors(128, 100, 0, 30);
	check_errors(128, 300, 5, 20);
	check_errors(64, 30, 10, 20);
	check_errors(256, 30, 2, 0);
	check_magnitudes();
	check_unique(UINT64_MAX, "any hashes");
	check_unique(UINT64_C(0xFF0000000000FFFF), "hashes that share 40 bits");
	check_unique(7, "8 hashes");
	check_unique(0, "one hash");
	return done_testing();
}
