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

#include "core/bands/bands.h"
#include "fuzz.h"
#include "core/sketch/sketch.h"

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
		check(band * BAND_STEP + band_rows(band, k) <= k);
		for (int rows = 0; rows <= band_rows(band, k); rows++)
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
	int			matches = 0;
	bool		agree;

	if (plan->compare_all)
		return;
	if (band_keys(a, k, keys_a) > 0 && band_keys(b, k, keys_b) > 0)
		for (int i = 0; i < plan->bands; i++)
		{
			int			band = band_of_plan(plan, i);

			check(band < band_count(k) && plan->rows <= band_rows(band, k));
			matches += ((keys_a[band] ^ keys_b[band]) & band_mask(plan->rows)) == 0;
		}
	agree = matches >= plan->agreeing;
	check(bands_agree(a, b, k, plan) == agree);
	check(bands_agree(b, a, k, plan) == agree);
}

/* Probability to miss a pair, by the C library. */
static double
miss(double similarity, int bands, int rows, int matches)
{
	double		agree = pow(similarity, rows);

	return pow(1 - agree, bands) +
		(matches == 2 ? bands * agree * pow(1 - agree, bands - 1) : 0);
}

/* Return the number of bands with the given number of rows. */
static int
bands_of_rows(int rows, int k)
{
	int			bands = rows > BAND_STEP ? k / BAND_ROWS : k / BAND_STEP;
	int			max = rows > BAND_STEP ? BAND_MAX / 2 : BAND_MAX;

	return bands < max ? bands : max;
}

/* Check that no deeper bands, nor more matches, would have reached the recall. */
static void
check_depth(double threshold, double allowed, int k, const BandPlan *plan)
{
	for (int rows = 1; rows <= BAND_ROWS; rows++)
		for (int matches = 1; matches <= (rows > BAND_STEP ? 1 : 2); matches++)
		{
			int			all = bands_of_rows(rows, k);

			if (rows > plan->rows ||
				(rows == plan->rows && matches > plan->agreeing))
				check(miss(threshold, all, rows, matches) > allowed - 2e-12);
		}
}

/* Check that a plan keeps its promise, and is the cheapest that does. */
static void
check_plan(double threshold, double recall, int k, const BandPlan *plan)
{
	double		allowed = 1 - recall + 1e-12;
	double		missed;

	check_depth(threshold, allowed, k, plan);
	if (plan->compare_all)
		return;
	missed = miss(threshold, plan->bands, plan->rows, plan->agreeing);
	check(plan->rows >= 1 && plan->rows <= BAND_ROWS);
	check(plan->agreeing >= 1 && plan->agreeing <= 2);
	check(plan->bands >= plan->agreeing);
	check(plan->bands <= bands_of_rows(plan->rows, k));
	check(missed <= allowed);
	check(fabs(1 - missed - plan->probability) < 1e-12);
	check(plan->bands == plan->agreeing ||
		  miss(threshold, plan->bands - 1, plan->rows, plan->agreeing) > allowed - 2e-12);
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
