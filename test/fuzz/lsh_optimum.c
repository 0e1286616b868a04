/*-------------------------------------------------------------------------
 *
 * lsh_optimum.c
 *	  Fuzz the search for the best bands and rows.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "core/bands/bands.h"
#include "core/bands/optimum.h"
#include "fuzz.h"

#define STEPS 200

/* Weigh the mistakes of a banding, by the midpoint rule. */
static double
mistakes(const LshOptimum *goal, int bands, int rows)
{
	double		t = goal->threshold;
	double		sum = 0;

	for (int i = 0; i < STEPS; i++)
	{
		double		below = t * (i + 0.5) / STEPS;
		double		above = t + (1 - t) * (i + 0.5) / STEPS;

		sum += goal->fp_weight * t * band_probability(below, bands, rows, 1) +
			goal->fn_weight * (1 - t) * (1 - band_probability(above, bands, rows, 1));
	}
	return sum / STEPS;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {data, size};
	int			k = take_between(&input, 1, 24);
	int			bands = take_between(&input, 1, k);
	int			rows = take_between(&input, 1, k / bands);
	bool		any = take(&input, 1) % 4 == 0;
	LshOptimum	best = {
		.threshold = any ? take_double(&input) : take_share(&input),
		.fp_weight = any ? take_double(&input) : take_share(&input),
		.fn_weight = any ? take_double(&input) : take_share(&input)
	};

	for (int i = 1; i <= k; i++)
		optimum_try(&best, i, k / i);
	check(best.bands >= 1 && best.rows >= 1 && best.bands * best.rows <= k);
	if (!any)
	{
		check(fabs(best.error - mistakes(&best, best.bands, best.rows)) < 2e-3);
		check(best.error <= mistakes(&best, bands, rows) + 2e-3);
	}
	return 0;
}
