/*-------------------------------------------------------------------------
 *
 * platform.c
 *	  Results of floating-point arithmetic, the same on every platform.
 *
 * The x87 unit computes with more digits than a double has, and other processors
 * have fused multiply-add.  Neither may change a result.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "core/bands/bands.h"
#include "unit.h"

/* Mix a number into a checksum. */
static void
add_to(uint64_t *checksum, uint64_t number)
{
	*checksum = mix64(*checksum ^ number);
}

/* Mix the bits of a number into a checksum. */
static void
add_double(uint64_t *checksum, double number)
{
	uint64_t	bits;

	memcpy(&bits, &number, sizeof(bits));
	add_to(checksum, bits);
}

/* Return true if a pair reaches the threshold that is its estimate. */
static bool
reaches_itself(int equal, int num_hashes)
{
	uint16_t	a[SKETCH_MAX_HASHES];
	uint16_t	b[SKETCH_MAX_HASHES];
	volatile double estimate = (double) equal / num_hashes;
	BandPlan	plan = {.compare_all = true};

	plan.threshold = estimate;
	plan.max_different = num_hashes;
	for (int i = 0; i < num_hashes; i++)
	{
		a[i] = (uint16_t) i;
		b[i] = (uint16_t) (i < equal ? i : i + 1);
	}
	return slots_are_similar(a, b, num_hashes, &plan);
}

/* Check each fraction of equal slots as a threshold. */
static void
check_thresholds(void)
{
	int			reached = 0;
	int			pairs = 0;

	for (int num_hashes = 1; num_hashes <= 128; num_hashes++)
		for (int equal = 0; equal <= num_hashes; equal++, pairs++)
			reached += reaches_itself(equal, num_hashes);
	ok(reached == pairs, "a pair reaches the threshold that is its estimate "
	   "(%d of %d pairs)", reached, pairs);
}

/* Check that plans never change. */
static void
check_plans(void)
{
	uint64_t	checksum = 0;

	for (int t = 0; t <= 1000; t++)
		for (int r = 0; r <= 20; r++)
		{
			BandPlan	plan = band_plan(t / 1000.0, r / 20.0, 16 + t % 200);

			add_to(&checksum, (uint64_t) plan.bands << 8 |
				   (uint64_t) plan.agreeing << 6 | (uint64_t) plan.rows << 1 |
				   plan.compare_all);
			add_double(&checksum, plan.probability);
		}
	ok(checksum == UINT64_C(0xE94107E92EE43722), "plans of 21,021 thresholds and "
	   "recalls (%016" PRIX64 ")", checksum);
}

/* Check that the values of codes never change. */
static void
check_codes(void)
{
	uint64_t	checksum = 0;

	for (int code = 0; code <= SLOT_MAX; code++)
		add_double(&checksum, slot_decode((uint16_t) code));
	ok(checksum == UINT64_C(0x82940B795DDFDC45), "values of codes "
	   "(%016" PRIX64 ")", checksum);
}

int
main(void)
{
	check_thresholds();
	check_plans();
	check_codes();
	return done_testing();
}
