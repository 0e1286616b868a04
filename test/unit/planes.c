/*-------------------------------------------------------------------------
 *
 * planes.c
 *	  Planes are the bytes that the pages of an lsh index are said to hold, on
 *	  any machine; signatures are put together from them again, and compared as
 *	  they are; and the first plane rejects no pair that is similar, and nearly
 *	  all others.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "planes.h"
#include "slots.h"
#include "unit.h"

#define PAIRS 2000
#define SIZE(k) ((k) * 2 + 4)	/* enough bytes for planes of k hashes */

/* A signature in planes. */
typedef struct Split
{
	uint8_t		first[SIZE(SKETCH_MAX_HASHES)];
	uint8_t		rest[SIZE(SKETCH_MAX_HASHES)];
	Planes		planes;
} Split;

/* Draw two signatures that have more or less in common. */
static void
draw_pair(SketchMethod method, int num_hashes, Pair *pair)
{
	int			union_size = 1 + random_below(random_below(2) ? 20 : 400);

	if (method != SKETCH_WEIGHTED)
	{
		random_pair(method, num_hashes, union_size,
					random_below(union_size + 1), pair);
		return;
	}
	/* Their codes use all of 16 bits. */
	for (int i = 0; i < num_hashes; i++)
	{
		pair->a[i] = (uint16_t) random_below(SLOT_EMPTY);
		pair->b[i] = random_below(3) ? pair->a[i] :
			(uint16_t) random_below(SLOT_EMPTY);
	}
}

/* Cut a signature into planes. */
static void
split(const uint16_t *slots, int num_hashes, SketchMethod method, Split *s)
{
	planes_split(slots, num_hashes, method, s->first, s->rest);
	s->planes = (Planes) {s->first, s->rest};
}

/* Tell whether the planes of a signature have the bytes that planes.c tells. */
static bool
is_as_told(const uint16_t *slots, int num_hashes, SketchMethod method,
		   const Split *s)
{
	int			half = (num_hashes + 1) / 2;
	unsigned	by = method == SKETCH_WEIGHTED ? 16 : 15;

	for (int i = 0; i < num_hashes; i++)
	{
		bool		empty = slots[i] == SLOT_EMPTY;
		int			shift = i < half ? 0 : 4;
		unsigned	digit = s->first[i % half] >> shift & 15;
		unsigned	last = s->rest[num_hashes + i % half] >> shift & 15;
		unsigned	quotient = empty ? 4095 : slots[i] / by;

		if (digit != (empty ? 15 : slots[i] % by) ||
			s->rest[i] != quotient >> 4 || last != (quotient & 15))
			return false;
	}
	return true;
}

/* Check what planes hold. */
static void
check_bytes(SketchMethod method, int num_hashes)
{
	static Pair pair;
	static Split s;
	uint16_t	slots[SKETCH_MAX_HASHES];
	int			wrong = 0;

	for (int i = 0; i < cases_of(PAIRS) / 10 + 1; i++)
	{
		draw_pair(method, num_hashes, &pair);
		split(pair.a, num_hashes, method, &s);
		planes_join(&s.planes, num_hashes, method, slots);
		wrong += !is_as_told(pair.a, num_hashes, method, &s) ||
			memcmp(slots, pair.a, sizeof(uint16_t) * (size_t) num_hashes) != 0;
	}
	ok(wrong == 0, "method %d, %d hashes: bytes as told, and the slots again",
	   method, num_hashes);
}

/* What is counted over pairs. */
typedef struct Counts
{
	int			different;		/* by planes and by slots */
	int			similar;
	int			rejected;		/* of them */
} Counts;

/* Compare a pair by planes and by slots, at a threshold. */
static void
count_threshold(const Pair *pair, int num_hashes, SketchMethod method,
				const Split *b, double threshold, Counts *counts)
{
	static uint16_t memory[SIZE(SKETCH_MAX_HASHES) * 4];
	PlaneQuery	query;
	int			equal[2];
	int			compared[2];
	bool		near;
	bool		similar;

	plane_query_init(&query, memory, pair->a, num_hashes, method, threshold);
	planes_compare(&query, &b->planes, &equal[0], &compared[0]);
	slots_compare(pair->a, pair->b, num_hashes, &equal[1], &compared[1]);
	near = plane_may_be_similar(&query, b->first);
	similar = compared[1] > 0 && (double) equal[1] / compared[1] >= threshold;
	counts->different += equal[0] != equal[1] || compared[0] != compared[1];
	counts->similar += similar;
	counts->rejected += similar && !near;
}

/* Check that planes compare as slots do, also next to the estimate itself. */
static void
check_pairs(SketchMethod method, int num_hashes)
{
	static Pair pair;
	static Split b;
	Counts		counts = {0};
	int			equal;
	int			compared;

	for (int i = 0; i < cases_of(PAIRS); i++)
	{
		draw_pair(method, num_hashes, &pair);
		split(pair.b, num_hashes, method, &b);
		slots_compare(pair.a, pair.b, num_hashes, &equal, &compared);
		for (int more = -1; more <= 1; more++)
			if (equal + more >= 0 && equal + more <= compared && compared > 0)
				count_threshold(&pair, num_hashes, method, &b,
								(double) (equal + more) / compared, &counts);
		count_threshold(&pair, num_hashes, method, &b, 0.5, &counts);
	}
	ok(counts.different == 0 && counts.rejected == 0 && counts.similar > 0,
	   "method %d, %d hashes: compared as slots are, none of %d similar pairs is rejected",
	   method, num_hashes, counts.similar);
}

/* Check that the first planes of unrelated pairs rule them out at 0.3. */
static void
check_unrelated(void)
{
	static uint16_t memory[SIZE(SKETCH_MAX_HASHES) * 4];
	static Pair pair;
	static Split b;
	PlaneQuery	query;
	int			passed = 0;

	for (int i = 0; i < cases_of(PAIRS); i++)
	{
		random_pair(SKETCH_ONE_PERMUTATION, 128, 400, 0, &pair);
		plane_query_init(&query, memory, pair.a, 128, SKETCH_ONE_PERMUTATION, 0.3);
		split(pair.b, 128, SKETCH_ONE_PERMUTATION, &b);
		passed += plane_may_be_similar(&query, b.first);
	}
	ok(passed <= cases_of(PAIRS) / 100, "of %d unrelated pairs %d pass at 0.3",
	   cases_of(PAIRS), passed);
}

int
main(void)
{
	SketchMethod methods[] = {SKETCH_ONE_PERMUTATION, SKETCH_K_PERMUTATION,
	SKETCH_WEIGHTED};
	int			sizes[] = {16, 17, 33, 127, 128, 129, 1000, 4060};

	for (int i = 0; i < lengthof(methods); i++)
		for (int j = 0; j < lengthof(sizes); j++)
			check_bytes(methods[i], sizes[j]);
	for (int i = 0; i < lengthof(methods); i++)
	{
		check_pairs(methods[i], 33);
		check_pairs(methods[i], 128);
	}
	check_unrelated();
	return done_testing();
}
