/*-------------------------------------------------------------------------
 *
 * comb.c
 *	  A comb finds the signatures of a tile that a loop over the lowest bits of
 *	  their slots finds, among them all that are similar, and few others.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "core/sketch/comb.h"
#include "core/sketch/slots.h"
#include "unit.h"

#define QUERIES 40

static uint16_t slots[COMB_TILE][SKETCH_MAX_HASHES];
static uint16_t query[SKETCH_MAX_HASHES];

/* Draw a signature: of one of the ways to have empty slots, and some of a template. */
static void
draw(SketchMethod method, int num_hashes, uint16_t *to)
{
	int			kind = random_below(20);
	int			empty = method != SKETCH_ONE_PERMUTATION ? (kind == 0 ? 100 : 0) :
		kind == 0 ? 100 : kind < 10 ? random_below(100) : 0;
	int			common = random_below(101);

	for (int i = 0; i < num_hashes; i++)
		to[i] = random_below(100) < empty ? SLOT_EMPTY :
			random_below(100) < common ? (uint16_t) (i * 7919 % SLOT_MAX) :
			(uint16_t) random_below(method == SKETCH_WEIGHTED ? SLOT_EMPTY : SLOT_MAX + 1);
}

/* Return the number of slots of a signature that are empty. */
static int
count_empty(const uint16_t *of, int num_hashes)
{
	int			empty = 0;

	for (int i = 0; i < num_hashes; i++)
		empty += of[i] == SLOT_EMPTY;
	return empty;
}

/* Return true if a pair passes: the bound of comb.c, by its definition. */
static bool
passes(const uint16_t *a, int num_hashes, int bits, int most_empty, double threshold)
{
	int			equal = 0;
	int			empty = count_empty(query, num_hashes);
	int			compared = num_hashes - (empty < most_empty ? empty : most_empty);

	for (int i = 0; i < num_hashes; i++)
		equal += a[i] != SLOT_EMPTY && query[i] != SLOT_EMPTY &&
			(a[i] ^ query[i]) % (1 << bits) == 0;
	return compared > 0 && equal > 0 && (double) equal / compared >= threshold;
}

/* Counts of pairs. */
typedef struct Counts
{
	int			similar;
	int			rejected;		/* of them */
	int			wrong;			/* not as the definition says */
} Counts;

/* Compare the query with a tile. */
static void
check_query(const Comb *comb, int num_hashes, int tile, double threshold, Counts *counts)
{
	uint64_t	found[COMB_WORDS];
	bool		any = comb_filter(comb, query, found);
	bool		expect_any = false;
	int			most_empty = 0;

	for (int i = 0; i < tile; i++)
		if (count_empty(slots[i], num_hashes) > most_empty)
			most_empty = count_empty(slots[i], num_hashes);
	for (int i = 0; i < COMB_TILE; i++)
	{
		bool		is_found = found[i / 64] >> i % 64 & 1;
		bool		expected = i < tile &&
			passes(slots[i], num_hashes, comb->bits, most_empty, threshold);
		int			equal = 0;
		int			compared = 0;

		if (i < tile)
			slots_compare(slots[i], query, num_hashes, &equal, &compared);
		expect_any |= expected;
		counts->wrong += is_found != expected;
		if (compared > 0 && (double) equal / compared >= threshold)
		{
			counts->similar++;
			counts->rejected += !is_found;
		}
	}
	counts->wrong += any != expect_any;
}

/* Check tiles of several sizes, one after the other in the same memory. */
static void
check(SketchMethod method, int num_hashes)
{
	static const int tiles[] = {COMB_TILE, 1, 63, 64, 65, 255};
	static const double thresholds[] = {1e-9, 0.3, 0.65, 0.9, 1};
	void	   *memory = malloc(comb_size(num_hashes) + ROW_BYTES);
	uintptr_t	start = ((uintptr_t) memory + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES;
	Counts		counts = {0};
	Comb		comb;

	comb_begin(&comb, (void *) start, num_hashes);
	for (int t = 0; t < lengthof(tiles); t++)
	{
		comb_clear(&comb);
		for (int i = 0; i < tiles[t]; i++)
		{
			draw(method, num_hashes, slots[i]);
			comb_add(&comb, slots[i]);
		}
		for (int i = 0; i < cases_of(QUERIES); i++)
		{
			double		threshold = thresholds[i % lengthof(thresholds)];

			draw(method, num_hashes, query);
			if (i % 3 == 0)
				memcpy(query, slots[random_below(tiles[t])], sizeof(uint16_t) * (size_t) (num_hashes * 7 / 8));
			comb_set_threshold(&comb, threshold);
			check_query(&comb, num_hashes, tiles[t], threshold, &counts);
		}
	}
	ok(counts.wrong == 0, "method %d, %d hashes: found as the definition says",
	   method, num_hashes);
	ok(counts.rejected == 0 && counts.similar > 0,
	   "method %d, %d hashes: none of %d similar pairs is rejected",
	   method, num_hashes, counts.similar);
	free(memory);
}

/* Check that all slots are counted where every one is equal, and none if none is. */
static void
check_ends(int num_hashes)
{
	void	   *memory = malloc(comb_size(num_hashes) + ROW_BYTES);
	uintptr_t	start = ((uintptr_t) memory + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES;
	uint64_t	found[COMB_WORDS];
	Comb		comb;
	int			wrong = 0;

	comb_begin(&comb, (void *) start, num_hashes);
	comb_clear(&comb);
	for (int i = 0; i < num_hashes; i++)
		query[i] = (uint16_t) (i % SLOT_MAX);
	comb_add(&comb, query);
	for (int equal = 0; equal <= num_hashes; equal++)
	{
		memcpy(slots[0], query, sizeof(query));
		for (int i = equal; i < num_hashes; i++)
			slots[0][i] ^= 1;
		comb_set_threshold(&comb, equal == 0 ? 1e-9 : (double) equal / num_hashes);
		wrong += comb_filter(&comb, slots[0], found) != (equal > 0);
		if (equal < num_hashes)
		{
			comb_set_threshold(&comb, (equal + 1.0) / num_hashes);
			wrong += comb_filter(&comb, slots[0], found);
		}
	}
	ok(wrong == 0, "%d hashes: every number of equal slots is exact", num_hashes);
	free(memory);
}

int
main(void)
{
	SketchMethod methods[] = {SKETCH_ONE_PERMUTATION, SKETCH_K_PERMUTATION,
	SKETCH_WEIGHTED};
	int			sizes[] = {1, 15, 16, 17, 37, 127, 128, 129, 256, 1000, 4096};

	for (int i = 0; i < lengthof(methods); i++)
		for (int j = 0; j < lengthof(sizes); j++)
			check(methods[i], sizes[j]);
	for (int j = 0; j < lengthof(sizes); j++)
		check_ends(sizes[j]);
	return done_testing();
}
