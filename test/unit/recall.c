/*-------------------------------------------------------------------------
 *
 * recall.c
 *	  The recall is kept: of the pairs whose estimated similarity reaches a
 *	  threshold, the plan for it finds at least the share that was asked for.
 *
 * Pairs of sets of every similarity alike often, from one element in common
 * to all but one.  Of the n pairs with an estimate of at least t, the number
 * found must be at least n R - 4 sqrt(n R (1 - R)) - 1.  The same must hold
 * for those whose estimate is below t + 0.03, which are the hard ones.
 *
 * The plan is made for pairs at the threshold, as if bands were independent;
 * sets of few elements, whose empty slots borrow from the same few others,
 * are here to show that this does no harm.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "core/bands/bands.h"
#include "unit.h"

#define HASHES 128
#define TRIALS 60000
#define NEAR 0.03

static const int unions[] = {2, 5, 20, 100, 1000};
static const double thresholds[] = {0.5, 0.6, 0.7, 0.8, 0.9, 0.95};
static const double recalls[] = {0.9, 0.99, 1};

#define CASES (lengthof(thresholds) * lengthof(recalls))

/* A threshold and a recall, and what the pairs gave. */
typedef struct Case
{
	double		threshold;
	double		recall;
	BandPlan	plan;
	int			pairs;
	int			found;
	int			near_pairs;
	int			near_found;
} Case;

/* Prepare all thresholds with all recalls. */
static void
begin_cases(Case *cases)
{
	for (int i = 0; i < CASES; i++)
	{
		double		threshold = thresholds[i / lengthof(recalls)];
		double		recall = recalls[i % lengthof(recalls)];

		cases[i] = (Case) {.threshold = threshold,.recall = recall};
		cases[i].plan = band_plan(threshold, recall, HASHES);
	}
}

/* Count a pair where its estimate reaches the threshold. */
static void
count_pair(const Pair *pair, double estimate, Case *c)
{
	bool		found;

	if (estimate < c->threshold)
		return;
	found = c->plan.compare_all ||
		bands_agree(pair->a, pair->b, HASHES, &c->plan);
	c->pairs++;
	c->found += found;
	if (estimate >= c->threshold + NEAR)
		return;
	c->near_pairs++;
	c->near_found += found;
}

/* Draw pairs and count them in all cases. */
static void
count_pairs(int union_size, Case *cases)
{
	static Pair pair;
	int			equal;
	int			compared;

	for (int i = 0; i < TRIALS; i++)
	{
		random_pair(SKETCH_ONE_PERMUTATION, HASHES, union_size,
					1 + random_below(union_size - 1), &pair);
		slots_compare(pair.a, pair.b, HASHES, &equal, &compared);
		for (int j = 0; j < CASES; j++)
			count_pair(&pair, (double) equal / compared, &cases[j]);
	}
}

/* Return true if enough pairs were found. */
static bool
enough(int found, int pairs, double recall)
{
	if (recall == 1)
		return found == pairs;
	return found >= pairs * recall - 4 * sqrt(pairs * recall * (1 - recall)) - 1;
}

/* Check all cases at one size of the union. */
static void
check_union(int union_size)
{
	Case		cases[CASES];

	begin_cases(cases);
	count_pairs(union_size, cases);
	for (int i = 0; i < CASES; i++)
	{
		const Case *c = &cases[i];

		if (c->pairs == 0)
			continue;
		ok(enough(c->found, c->pairs, c->recall) &&
		   enough(c->near_found, c->near_pairs, c->recall),
		   "recall %g at %g: union of %d (%.4f of %d pairs, "
		   "%.4f of %d near the threshold)", c->recall, c->threshold, union_size,
		   (double) c->found / c->pairs, c->pairs,
		   (double) c->near_found / fmax(c->near_pairs, 1), c->near_pairs);
	}
}

/* A recall of 1 leaves nothing to chance, unless the threshold is 1. */
static void
check_compare_all(void)
{
	for (int percent = 0; percent <= 100; percent++)
	{
		BandPlan	plan = band_plan(percent / 100.0, 1, HASHES);

		if (plan.compare_all != (percent < 100))
		{
			ok(false, "recall 1 compares all pairs (but not at %g: %d bands of %d)",
			   percent / 100.0, plan.bands, plan.rows);
			return;
		}
	}
	ok(true, "recall 1 compares all pairs, below a threshold of 1");
}

int
main(void)
{
	for (int i = 0; i < lengthof(unions); i++)
		check_union(unions[i]);
	check_compare_all();
	return done_testing();
}
