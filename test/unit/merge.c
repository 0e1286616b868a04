/*-------------------------------------------------------------------------
 *
 * merge.c
 *	  The signature of a union is the slot-wise minimum of signatures.
 *
 * Random cases for each method and several numbers of hashes: sets of 0 to about
 * 8,000 elements, with from nothing to everything in common, compared bit for bit.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "unit.h"

#define CASES 560				/* for each of 18 kinds: 10,080 in all */

static const int sizes[] = {16, 17, 64, 100, 128, 200, 256, 1000, 4096};

/* Draw a number of elements, with a random order of magnitude. */
static int
random_count(void)
{
	return random_below(2 + (1 << random_below(13)));
}

/* Return true if the union of two overlapping sets has the minima of both. */
static bool
merges(SketchMethod method, int num_hashes, int32_t seed)
{
	static uint64_t hashes[3 * 8192];
	uint16_t	a[SKETCH_MAX_HASHES];
	uint16_t	b[SKETCH_MAX_HASHES];
	uint16_t	both[SKETCH_MAX_HASHES];
	int			only_a = random_count();
	int			common = random_count();
	int			only_b = random_count();

	for (int i = 0; i < only_a + common + only_b; i++)
		hashes[i] = random64();
	sketch_hashes(method, num_hashes, seed, hashes, only_a + common, a);
	sketch_hashes(method, num_hashes, seed, hashes + only_a, common + only_b, b);
	sketch_hashes(method, num_hashes, seed, hashes, only_a + common + only_b,
				  both);
	for (int i = 0; i < num_hashes; i++)
		if (both[i] != (a[i] < b[i] ? a[i] : b[i]))
			return false;
	return slots_are_valid(both, num_hashes, method);
}

/* Return true if codes never decrease, and increase by one at a time. */
static bool
codes_are_monotone(void)
{
	uint16_t	previous = slot_encode(0);

	for (uint64_t value = 1; value <= UINT32_MAX; value += 1 + value / 8192)
	{
		uint16_t	code = slot_encode((uint32_t) value);

		if (code < previous || code > previous + 1)
			return false;
		previous = code;
	}
	return previous == SLOT_MAX && slot_encode(UINT32_MAX) == SLOT_MAX;
}

/*
 * Return true if elements with the largest value, one for each of 16 slots,
 * fill these, and yield to smaller ones in either order.
 */
static bool
largest_value_fills_slot(void)
{
	uint64_t	hashes[3 * 16];
	uint16_t	alone[16];
	uint16_t	first[16];
	uint16_t	last[16];
	bool		good = true;

	for (int i = 0; i < 16; i++)
	{
		uint64_t	slot = (uint64_t) i << 60;

		hashes[i] = hashes[32 + i] = slot | UINT32_MAX;
		hashes[16 + i] = slot | 7;
	}
	sketch_hashes(SKETCH_ONE_PERMUTATION, 16, 0, hashes, 16, alone);
	sketch_hashes(SKETCH_ONE_PERMUTATION, 16, 0, hashes, 32, first);
	sketch_hashes(SKETCH_ONE_PERMUTATION, 16, 0, hashes + 16, 32, last);
	for (int i = 0; i < 16; i++)
		good &= alone[i] == SLOT_MAX && first[i] == 7 && last[i] == 7;
	return good;
}

int
main(void)
{
	for (int method = 1; method <= 2; method++)
		for (int i = 0; i < lengthof(sizes); i++)
		{
			int			cases = cases_of(CASES);
			int			good = 0;

			for (int j = 0; j < cases; j++)
				good += merges(method, sizes[i], (int32_t) random64());
			ok(good == cases, "minimum of slots is the union: "
			   "%s-permutation, %d hashes (%d of %d)",
			   method == SKETCH_ONE_PERMUTATION ? "one" : "k", sizes[i],
			   good, cases);
		}
	ok(codes_are_monotone(), "codes increase with their values");
	ok(largest_value_fills_slot(), "the largest value fills its slot");
	return done_testing();
}
