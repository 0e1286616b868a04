/*-------------------------------------------------------------------------
 *
 * inverted_index.c
 *	  An inverted index counts common hashes as a loop over all pairs does.
 *
 * A set has the hash h in one of h cases, so that a sample has both lists and
 * bitmaps; the first set has all hashes.  The number of sets is around
 * multiples of the bits of a word.
 *
 *-------------------------------------------------------------------------
 */
#include "core/base/hash.h"
#include "core/base/inverted_index.h"
#include "unit.h"

#define HASHES 1000
#define MAX_SETS 1001

static uint64_t sets[MAX_SETS][HASHES];
static uint32_t sizes[MAX_SETS];

/* Draw a set, of which the hash h is an element in one of h cases. */
static void
draw_set(int set, uint64_t *state)
{
	sizes[set] = 0;
	for (uint64_t hash = 1; hash <= HASHES; hash++)
		if (splitmix64(state) % hash == 0 || set == 0)
			sets[set][sizes[set]++] = hash;
}

/* Return true if all counts of common hashes with a set are right. */
static bool
counts_are_right(const InvertedIndex *index, int count, int other)
{
	bool		in_other[HASHES + 1] = {false};

	for (uint32_t i = 0; i < sizes[other]; i++)
		in_other[sets[other][i]] = true;
	for (int set = 0; set < count; set++)
	{
		uint32_t	common = 0;

		for (uint32_t i = 0; i < sizes[set]; i++)
			common += in_other[sets[set][i]];
		if (index->common[set] != common)
			return false;
	}
	return true;
}

/* Compare all sets with a sample of the first ones. */
static bool
index_is_right(int count, uint64_t *state)
{
	InvertedIndex index;
	bool		right = true;

	inverted_index_begin(&index, (uint32_t) count, splitmix64(state));
	for (int set = 0; set < count; set++)
		inverted_index_count(&index, sets[set], sizes[set]);
	inverted_index_place(&index);
	for (int set = 0; set < count; set++)
		inverted_index_add(&index, (uint32_t) set, sets[set], sizes[set]);
	for (int set = 0; set < MAX_SETS && right; set++)
	{
		inverted_index_compare(&index, sets[set], sizes[set]);
		right = counts_are_right(&index, count, set);
	}
	inverted_index_end(&index);
	return right;
}

int
main(void)
{
	static const int counts[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 300, MAX_SETS};
	uint64_t	state = 1;

	for (int set = 0; set < MAX_SETS; set++)
		draw_set(set, &state);
	for (int i = 0; i < lengthof(counts); i++)
		ok(index_is_right(counts[i], &state), "a sample of %d sets", counts[i]);
	return done_testing();
}
