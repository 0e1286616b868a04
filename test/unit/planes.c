/*-------------------------------------------------------------------------
 *
 * planes.c
 *	  Planes are the bytes that the pages of an lsh index are said to hold, on
 *	  any machine; signatures are put together from them again; and they reject
 *	  no pair that is similar, and nearly all others, one by one and side by
 *	  side.  Conditions keep exactly those that are similar.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "core/bands/bands.h"
#include "core/sketch/planes.h"
#include "core/sketch/slots.h"
#include "unit.h"

#define PAIRS 2000
#define MANY 100
#define SIZE(k) ((k) * 2 + 4)	/* enough bytes for planes of k hashes */

/* A signature in planes. */
typedef struct Split
{
	uint8_t		first[SIZE(SKETCH_MAX_HASHES)];
	uint8_t		second[SIZE(SKETCH_MAX_HASHES)];
	uint8_t		third[SIZE(SKETCH_MAX_HASHES)];
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
	/* Their codes use all 16 bits. */
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
	s->planes = (Planes) {s->first, s->second, s->third, s->rest};
	planes_split(slots, num_hashes, method, &s->planes);
}

/* Read the bits of a slot from the first slices of a plane. */
static unsigned
bits_of(const uint8_t *plane, int slices, int size, int slot)
{
	unsigned	bits = 0;

	for (int i = 0; i < slices; i++)
		bits |= (plane[i * size + slot / 8] >> slot % 8 & 1U) << i;
	return bits;
}

/* Return true if the planes of a signature have the format of planes.c. */
static bool
is_as_told(const uint16_t *slots, int num_hashes, SketchMethod method,
		   const Split *s)
{
	int			size = (num_hashes + 7) / 8;
	unsigned	by = method == SKETCH_WEIGHTED ? 16 : 15;

	for (int i = 0; i < num_hashes; i++)
	{
		bool		empty = slots[i] == SLOT_EMPTY;
		unsigned	digit = empty ? 15 : slots[i] % by;
		unsigned	quotient = empty ? 4095 : slots[i] / by;
		unsigned	told = bits_of(s->first, 2, size, i) |
			bits_of(s->second, 2, size, i) << 2 |
			bits_of(s->third, 4, size, i) << 4;

		if (told != (digit | (quotient & 15) << 4) ||
			s->rest[i] != quotient >> 4)
			return false;
	}
	return bits_of(s->first, 2, size, num_hashes) == 0 ||
		num_hashes % 8 == 0;
}

/* Return true if planes with one bit changed pass for those of a signature. */
static bool
is_accepted_with(Split *s, const uint16_t *slots, int num_hashes,
				 SketchMethod method, int bit)
{
	uint8_t    *planes[] = {s->first, s->second, s->third, s->rest};
	size_t		size = bit % 4 < 2 ? plane_size(num_hashes) :
		bit % 4 == 2 ? 2 * plane_size(num_hashes) : (size_t) num_hashes;
	uint8_t    *byte = planes[bit % 4] + size - 1;
	bool		accepted;

	*byte ^= (uint8_t) (128 >> bit);
	accepted = planes_are_of(&s->planes, slots, num_hashes, method);
	*byte ^= (uint8_t) (128 >> bit);
	return accepted;
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
			memcmp(slots, pair.a, sizeof(uint16_t) * (size_t) num_hashes) != 0 ||
			!planes_are_of(&s.planes, slots, num_hashes, method);
		for (int bit = 0; bit < 8; bit++)
			wrong += is_accepted_with(&s, pair.a, num_hashes, method, bit);
	}
	ok(wrong == 0, "method %d, %d hashes: bytes as told, and the slots again",
	   method, num_hashes);
}

/* Counts of pairs. */
typedef struct Counts
{
	int			similar;
	int			rejected;		/* of them */
	int			passed;			/* of the others */
	int			others;
} Counts;

/* Return true if two or three planes of a pair do not reject it. */
static int
passes(const PlaneQuery *query, const Split *b, int planes)
{
	Planes		some = b->planes;
	uint16_t	place = 0;

	if (planes == 2)
		some.third = query->planes.third;
	return planes_filter(query, &some, 0, 1, &place);
}

/* Compare a pair by planes and by slots, at a threshold. */
static void
count_threshold(const Pair *pair, int num_hashes, SketchMethod method,
				const Split *b, double threshold, Counts *counts)
{
	static uint16_t memory[SIZE(SKETCH_MAX_HASHES) * 4];
	PlaneQuery	query;
	int			equal;
	int			compared;
	bool		similar;

	plane_query_init(&query, memory, pair->a, num_hashes, method, threshold);
	slots_compare(pair->a, pair->b, num_hashes, &equal, &compared);
	similar = compared > 0 && (double) equal / compared >= threshold;
	counts->similar += similar;
	counts->rejected += similar &&
		(!passes(&query, b, 2) || !passes(&query, b, 3));
	counts->others += !similar;
	counts->passed += !similar && passes(&query, b, 3);
}

/*
 * Check that planes reject none that is similar, also at the estimate itself,
 * and most of the others, also a slot above it.
 */
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
	ok(counts.rejected == 0 && counts.similar > 0,
	   "method %d, %d hashes: none of %d similar pairs is rejected",
	   method, num_hashes, counts.similar);
	ok(counts.passed * 3 < counts.others,
	   "method %d, %d hashes: of %d others %d pass", method, num_hashes,
	   counts.others, counts.passed);
}

/* Write the planes of a signature next to those of others. */
static void
put_planes(const Split *s, int num_hashes, int place, uint8_t *memory)
{
	size_t		size = plane_size(num_hashes);

	memcpy(memory + size * place, s->first, size);
	memcpy(memory + size * (MANY + place), s->second, size);
	memcpy(memory + size * 2 * (MANY + place), s->third, 2 * size);
	memcpy(memory + size * 4 * MANY + (size_t) num_hashes * place, s->rest,
		   (size_t) num_hashes);
}

/*
 * Check that signatures side by side are found as they are one by one, and that
 * two conditions keep those that are similar to both of a pair.
 */
static void
check_many(SketchMethod method, int num_hashes)
{
	static uint16_t memory[2][SIZE(SKETCH_MAX_HASHES) * 4];
	static uint8_t many[SIZE(SKETCH_MAX_HASHES) * MANY];
	static Pair pair;
	static Pair other;
	static Split s;
	bool		alone[MANY];
	bool		similar[MANY];
	uint16_t	places[2][MANY];
	size_t		size = plane_size(num_hashes);
	Planes		planes = {many, many + size * MANY, many + size * 2 * MANY, many + size * 4 * MANY};
	Condition	conditions[2];
	BandPlan	plans[2] = {band_plan(0.4, 0.9, num_hashes), band_plan(0.3, 0.9, num_hashes)};
	int			found;
	int			next = 0;
	int			wrong = 0;

	draw_pair(method, num_hashes, &pair);
	memcpy(pair.b, pair.a, sizeof(uint16_t) * (size_t) (num_hashes / 2));
	condition_init(&conditions[0], memory[0], pair.a, num_hashes, method, &plans[0]);
	condition_init(&conditions[1], memory[1], pair.b, num_hashes, method, &plans[1]);
	for (int i = 0; i < MANY; i++)
	{
		const uint16_t *slots = i % 3 == 0 ? pair.b : other.a;

		draw_pair(method, num_hashes, &other);
		split(slots, num_hashes, method, &s);
		put_planes(&s, num_hashes, i, many);
		alone[i] = passes(&conditions[0].query, &s, 3);
		similar[i] = slots_are_similar(pair.a, slots, num_hashes, &plans[0]) &&
			slots_are_similar(pair.b, slots, num_hashes, &plans[1]);
		places[0][i] = places[1][i] = (uint16_t) i;
	}
	found = planes_filter(&conditions[0].query, &planes, size, MANY, places[0]);
	for (int i = 0; i < MANY; i++)
		if (alone[i])
			wrong += next == found || places[0][next++] != i;
	ok(wrong == 0 && next == found && found > 0,
	   "method %d, %d hashes: %d of %d side by side, as one by one", method,
	   num_hashes, found, MANY);
	found = conditions_filter(conditions, 2, &planes, size, (size_t) num_hashes,
							  MANY, places[1]);
	next = 0;
	for (int i = 0; i < MANY; i++)
		if (similar[i])
			wrong += next == found || places[1][next++] != i;
	ok(wrong == 0 && next == found && found > 0,
	   "method %d, %d hashes: %d of %d meet two conditions", method, num_hashes,
	   found, MANY);
}

/* Check that two planes of unrelated pairs rule them out at 0.3. */
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
		passed += passes(&query, &b, 2);
	}
	ok(passed <= cases_of(PAIRS) / 100, "of %d unrelated pairs %d pass at 0.3",
	   cases_of(PAIRS), passed);
}

int
main(void)
{
	SketchMethod methods[] = {SKETCH_ONE_PERMUTATION, SKETCH_K_PERMUTATION,
	SKETCH_WEIGHTED};
	int			sizes[] = {16, 17, 33, 127, 128, 129, 1000, 4058};

	for (int i = 0; i < lengthof(methods); i++)
		for (int j = 0; j < lengthof(sizes); j++)
			check_bytes(methods[i], sizes[j]);
	for (int i = 0; i < lengthof(methods); i++)
	{
		check_pairs(methods[i], 33);
		check_pairs(methods[i], 128);
		check_many(methods[i], 33);
		check_many(methods[i], 128);
	}
	check_unrelated();
	return done_testing();
}
