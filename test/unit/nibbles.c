/*-------------------------------------------------------------------------
 *
 * nibbles.c
 *	  Nibbles reject no pair that is similar, and nearly all others.
 *
 * For random pairs of sets of every size, the estimate itself is taken as the
 * threshold, and the estimates of one slot more and less: where the estimate
 * reaches it, the nibbles must let the pair pass.  Every shape of slots is
 * tried: empty in one, in both, in none; any number of hashes.
 *
 *-------------------------------------------------------------------------
 */
#include "nibbles.h"
#include "slots.h"
#include "unit.h"

#define PAIRS 3000
#define TILE_SIZE 32

/* What is counted over the pairs of a kind. */
typedef struct Counts
{
	int			similar;		/* pair and threshold: it reaches that */
	int			rejected;		/* those of them that the nibbles reject */
	int			others;
	int			passed;			/* of the others */
} Counts;

/* Compare what nibbles say of a pair and a threshold with its estimate. */
static void
count_threshold(const uint64_t *a, const uint64_t *b, int num_hashes,
				double estimate, double threshold, Counts *counts)
{
	bool		near = nibbles_are_near(a, b, num_hashes,
										nibbles_threshold(threshold));
	bool		similar = estimate >= threshold;

	counts->similar += similar;
	counts->rejected += similar && !near;
	counts->others += !similar;
	counts->passed += !similar && near;
}

/* Try a pair with thresholds that are next to its estimate, and usual ones. */
static void
count_pair(const Pair *pair, int num_hashes, Counts *counts)
{
	uint64_t	a[NIBBLES_MAX_WORDS];
	uint64_t	b[NIBBLES_MAX_WORDS];
	int			equal;
	int			compared;
	double		estimate;

	nibbles_make(pair->a, num_hashes, a);
	nibbles_make(pair->b, num_hashes, b);
	slots_compare(pair->a, pair->b, num_hashes, &equal, &compared);
	estimate = (double) equal / compared;
	for (int more = -1; more <= 1; more++)
		if (equal + more >= 0 && equal + more <= compared)
			count_threshold(a, b, num_hashes, estimate,
							(double) (equal + more) / compared, counts);
	for (int tenths = 0; tenths <= 10; tenths++)
		count_threshold(a, b, num_hashes, estimate, tenths / 10.0, counts);
}

/* Check that nothing similar is rejected. */
static void
check_nothing_lost(int num_hashes)
{
	static Pair pair;
	Counts		counts = {0};

	for (int i = 0; i < cases_of(PAIRS); i++)
	{
		int			union_size = 1 + random_below(i % 2 ? 2 * num_hashes : 20);

		if (union_size > MAX_UNION)
			union_size = MAX_UNION;
		random_pair(i % 5 ? SKETCH_ONE_PERMUTATION : SKETCH_K_PERMUTATION,
					num_hashes, union_size, random_below(union_size + 1), &pair);
		if (!slots_are_empty(pair.a, num_hashes) ||
			!slots_are_empty(pair.b, num_hashes))
			count_pair(&pair, num_hashes, &counts);
	}
	ok(counts.rejected == 0 && counts.similar > 0,
	   "%d hashes: none of %d similar pairs is rejected", num_hashes,
	   counts.similar);
}

/* Check that unrelated pairs are rejected: most at .2, nearly all at .3. */
static void
check_unrelated(int union_size)
{
	static Pair pair;
	int			passed[] = {0, 0};

	for (int i = 0; i < cases_of(PAIRS); i++)
	{
		uint64_t	a[NIBBLES_MAX_WORDS];
		uint64_t	b[NIBBLES_MAX_WORDS];

		random_pair(SKETCH_ONE_PERMUTATION, 128, union_size, union_size / 50, &pair);
		nibbles_make(pair.a, 128, a);
		nibbles_make(pair.b, 128, b);
		for (int j = 0; j < 2; j++)
			passed[j] += nibbles_are_near(a, b, 128,
										  nibbles_threshold(j ? 0.3 : 0.2));
	}
	ok(passed[0] <= cases_of(PAIRS) / 10 && passed[1] <= cases_of(PAIRS) / 100,
	   "union of %d, 2 %% similar: of %d pairs %d pass at 0.2, %d at 0.3",
	   union_size, cases_of(PAIRS), passed[0], passed[1]);
}

/* Check that a tile is compared as its signatures are one by one. */
static void
check_tile(int num_hashes)
{
	static Pair pair;
	size_t		words = nibbles_words(num_hashes);
	uint64_t	tile[TILE_SIZE * NIBBLES_MAX_WORDS];
	uint64_t	one[NIBBLES_MAX_WORDS];
	uint32_t	threshold = nibbles_threshold(0.5);
	uint32_t	expected = 0;

	for (int i = 0; i < TILE_SIZE; i++)
	{
		random_state = 7;
		random_pair(SKETCH_K_PERMUTATION, num_hashes, 64, 64 - 2 * i, &pair);
		nibbles_make(pair.a, num_hashes, one);
		nibbles_make(pair.b, num_hashes, tile + (size_t) i * words);
	}
	for (int i = 0; i < TILE_SIZE; i++)
	{
		bool		near = nibbles_are_near(tile + (size_t) i * words, one,
											num_hashes, threshold);

		expected |= (uint32_t) near << i;
	}
	ok(nibbles_near(tile, TILE_SIZE, one, num_hashes, threshold) == expected &&
	   nibbles_near(tile, 5, one, num_hashes, threshold) == (expected & 31) &&
	   expected != 0 && ~expected != 0,
	   "%d hashes: a tile as one by one (%08" PRIX32 ")", num_hashes, expected);
}

int
main(void)
{
	static const int sizes[] = {16, 17, 63, 64, 65, 100, 128, 200, 512, 4096};

	for (int i = 0; i < lengthof(sizes); i++)
	{
		check_nothing_lost(sizes[i]);
		check_tile(sizes[i]);
	}
	check_unrelated(30);
	check_unrelated(300);
	return done_testing();
}
