/*-------------------------------------------------------------------------
 *
 * bands.c
 *	  Fuzz band keys and plans.
 *
 * Slots and settings are any; a plan must come to an end even for settings
 * that the callers refuse, and keep its promise for all others.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "bands.h"
#include "fuzz.h"
#include "sketch.h"

/* Fill slots: few different values, of which some are empty. */
static void
take_slots(Input *input, uint16_t *slots, int k)
{
	uint64_t	pattern = take(input, 8);

	for (int i = 0; i < k; i++)
	{
		if (i % 16 == 0 && input->left > 0)
			pattern = pattern << 13 ^ take(input, 4);
		slots[i] = pattern >> (i % 16) & 1 ? SLOT_EMPTY :
			(uint16_t) (pattern >> (8 + i % 16) & 3);
	}
}

/* Check the keys of a signature, and their prefixes. */
static void
check_keys(const uint16_t *slots, int k)
{
	uint64_t	keys[BAND_MAX];
	int			count = band_keys(slots, k, keys);

	check(count == (slots_are_empty(slots, k) ? 0 : band_count(k)));
	for (int band = 0; band < count; band++)
	{
		check(band_of_key(keys[band]) == band);
		for (int rows = 0; rows <= BAND_ROWS; rows++)
			check(band_key(slots, k, band, rows) == (keys[band] & band_mask(rows)));
	}
}

/* Check that bands agree if, and only if, their keys do. */
static void
check_agreement(const uint16_t *a, const uint16_t *b, int k,
				const BandPlan *plan)
{
	uint64_t	keys_a[BAND_MAX];
	uint64_t	keys_b[BAND_MAX];
	bool		agree = false;

	if (plan->compare_all)
		return;
	if (band_keys(a, k, keys_a) > 0 && band_keys(b, k, keys_b) > 0)
		for (int band = 0; band < plan->bands; band++)
			agree |= ((keys_a[band] ^ keys_b[band]) & band_mask(plan->rows)) == 0;
	check(bands_agree(a, b, k, plan) == agree);
	check(bands_agree(b, a, k, plan) == agree);
}

/* Probability to miss a pair, by the C library. */
static double
miss(double similarity, int bands, int rows)
{
	return pow(1 - pow(similarity, rows), bands);
}

/* Check that a plan keeps its promise, and is the cheapest that does. */
static void
check_plan(double threshold, double recall, int k, const BandPlan *plan)
{
	int			all = band_count(k);
	double		allowed = 1 - recall + 1e-12;

	if (plan->compare_all)
	{
		check(miss(threshold, all, 1) > allowed - 2e-12);
		return;
	}
	check(plan->rows >= 1 && plan->rows <= BAND_ROWS);
	check(plan->bands >= 1 && plan->bands <= all);
	check(miss(threshold, plan->bands, plan->rows) <= allowed);
	check(fabs(1 - miss(threshold, plan->bands, plan->rows) - plan->probability) < 1e-12);
	check(plan->bands == 1 ||
		  miss(threshold, plan->bands - 1, plan->rows) > allowed - 2e-12);
	check(plan->rows == BAND_ROWS ||
		  miss(threshold, all, plan->rows + 1) > allowed - 2e-12);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {data, size};
	int			k = take_between(&input, SKETCH_MIN_HASHES, 300);
	bool		any = take(&input, 1) % 4 == 0;
	double		threshold = any ? take_double(&input) : take_share(&input);
	double		recall = any ? take_double(&input) : take_share(&input);
	BandPlan	plan = band_plan(threshold, recall, k);
	uint16_t	a[SKETCH_MAX_HASHES];
	uint16_t	b[SKETCH_MAX_HASHES];

	if (!any)
		check_plan(threshold, recall, k, &plan);
	take_slots(&input, a, k);
	take_slots(&input, b, k);
	check_keys(a, k);
	check_agreement(a, b, k, &plan);
	return 0;
}
