/*-------------------------------------------------------------------------
 *
 * sketch.c
 *	  Fuzz sketches: minima of sets, unions and codes.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "fuzz.h"
#include "unit.h"

#define MAX_ELEMENTS 300

/* Check the order of two codes, and their values. */
static void
check_codes(uint64_t a, uint64_t b)
{
	uint32_t	x = (uint32_t) a;
	uint32_t	y = (uint32_t) b;

	check((x < y) <= (slot_encode(x) <= slot_encode(y)));
	check((a < b) <= (slot_encode_imported(a) <= slot_encode_imported(b)));
	check(slot_encode(x) <= SLOT_MAX && slot_encode_imported(a) <= SLOT_MAX_IMPORTED);
	check(fabs(slot_decode(slot_encode(x)) * 4294967296.0 - 0.5 - x) <= x / 2048.0);
}

/* Check that comparing slots agrees with counting them. */
static void
check_comparison(const uint16_t *a, const uint16_t *b, int k, int limit)
{
	int			same = 0;
	int			both_empty = 0;
	int			equal;
	int			compared;

	for (int i = 0; i < k; i++)
	{
		same += a[i] == b[i];
		both_empty += a[i] == SLOT_EMPTY && b[i] == SLOT_EMPTY;
	}
	slots_compare(a, b, k, &equal, &compared);
	check(equal == same - both_empty && compared == k - both_empty);
	check(slots_differ_at_most(a, b, k, limit) == (k - same <= limit));
}

/* Check that the union of the first and the last elements is that of all. */
static void
check_union(SketchMethod method, int k, int32_t seed, const uint64_t *hashes,
			int count, int first, int last)
{
	static Sketch a;
	static Sketch b;
	uint16_t	all[SKETCH_MAX_HASHES];
	uint16_t	slots_a[SKETCH_MAX_HASHES];
	uint16_t	slots_b[SKETCH_MAX_HASHES];

	sketch_hashes(method, k, seed, hashes, count, all);
	check(slots_are_valid(all, k, method));
	sketch_begin(&a, method, k, seed);
	sketch_begin(&b, method, k, seed);
	for (int i = 0; i < first; i++)
		sketch_add(&a, hashes + i, 1);
	sketch_add(&b, hashes + last, (size_t) (count - last));
	sketch_end(&a, slots_a);
	sketch_end(&b, slots_b);
	check_comparison(slots_a, slots_b, k, first);
	slots_union(slots_a, slots_b, k);
	check(memcmp(slots_a, all, sizeof(uint16_t) * (size_t) k) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {data, size};
	SketchMethod method = take(&input, 1) % 2 ? SKETCH_ONE_PERMUTATION :
		SKETCH_K_PERMUTATION;
	int			k = take_between(&input, SKETCH_MIN_HASHES, 300);
	int32_t		seed = (int32_t) take(&input, 4);
	uint64_t	hashes[MAX_ELEMENTS];
	int			count = 0;
	int			first;

	while (input.left > 3 && count < MAX_ELEMENTS)
		hashes[count++] = take(&input, 8);
	first = take_between(&input, 0, count);
	check_union(method, k, seed, hashes, count, first,
				take_between(&input, 0, first));
	for (int i = 1; i < count; i++)
		check_codes(hashes[i - 1], hashes[i]);
	return 0;
}
