/*-------------------------------------------------------------------------
 *
 * planes.c
 *	  Cut signatures into planes, so that most of a comparison can be left out.
 *
 * A slot of 16 bits becomes a digit of 4 bits, a byte, and 4 bits more.  The
 * digits of all slots together are the first plane, a quarter of the
 * signature: 64 bytes for 128 hashes, one line of a processor's cache.
 *
 * The digit is the remainder of the slot's code by 15, and 15 itself stands
 * for an empty slot, and for nothing else.  So the first plane alone tells
 * exactly how many slots are empty in both of two signatures, and at most how
 * many others are equal: equal slots have equal digits.  Together that is an
 * upper bound of their estimated similarity.  Two slots that differ have the
 * same digit once in 15, so nearly every signature that is not similar is
 * rejected by its first plane, and none that is.
 *
 * The quotient by 15 has 12 bits, since codes are below 15 * 4096, except for
 * weighted sets, whose codes use all of 16 bits.  Theirs are divided by 16; a
 * signature of that method has no empty slot or only such.
 *
 * The digit of slot i lies in the low half of byte i of a plane, that of slot
 * i + k/2 (rounded up) in the high half, so that loops over bytes can be
 * vectorized.  With an odd k the last high half stands for no slot.
 *
 *-------------------------------------------------------------------------
 */
#include "planes.h"

#include <string.h>

#include "slots.h"
#include "vector.h"

#define EMPTY_DIGIT 15
#define EMPTY_QUOTIENT 4095
#define STEP 64					/* bytes of a plane: their sums fit a byte */

/* By what the codes of a method are divided. */
static inline unsigned
divisor(SketchMethod method)
{
	return method == SKETCH_WEIGHTED ? 16 : 15;
}

/* Cut a signature into planes. */
void
planes_split(const uint16_t *slots, int num_hashes, SketchMethod method,
			 uint8_t *first, uint8_t *rest)
{
	unsigned	by = divisor(method);
	int			half = (int) plane_size(num_hashes);
	uint8_t    *last = rest + num_hashes;

	memset(first, 0, (size_t) half);
	memset(last, 0, (size_t) half);
	for (int i = 0; i < num_hashes; i++)
	{
		bool		empty = slots[i] == SLOT_EMPTY;
		unsigned	digit = empty ? EMPTY_DIGIT : slots[i] % by;
		unsigned	quotient = empty ? EMPTY_QUOTIENT : slots[i] / by;
		int			shift = i < half ? 0 : 4;
		int			place = i < half ? i : i - half;

		first[place] |= (uint8_t) (digit << shift);
		last[place] |= (uint8_t) ((quotient & 15) << shift);
		rest[i] = (uint8_t) (quotient >> 4);
	}
}

/* Put count slots together, whose digits lie in one half of their bytes. */
VECTOR_PART void
join_half(const uint8_t *first, const uint8_t *middle, const uint8_t *last,
		  int shift, int count, unsigned by, uint16_t *slots)
{
	for (int i = 0; i < count; i++)
	{
		unsigned	digit = (first[i] >> shift) & 15;
		unsigned	quotient = (unsigned) middle[i] << 4 | ((last[i] >> shift) & 15);
		uint16_t	code = (uint16_t) (quotient * by + digit);

		slots[i] = (by == 15 && digit == EMPTY_DIGIT) ? SLOT_EMPTY : code;
	}
}

/* Put a signature together from its planes.  The loops are auto-vectorized. */
VECTOR_CLONES void
planes_join(const Planes *planes, int num_hashes, SketchMethod method,
			uint16_t *slots)
{
	int			half = (int) plane_size(num_hashes);
	const uint8_t *last = planes->rest + num_hashes;

	if (divisor(method) == 15)
	{
		join_half(planes->first, planes->rest, last, 0, half, 15, slots);
		join_half(planes->first, planes->rest + half, last, 4,
				  num_hashes - half, 15, slots + half);
	}
	else
	{
		join_half(planes->first, planes->rest, last, 0, half, 16, slots);
		join_half(planes->first, planes->rest + half, last, 4,
				  num_hashes - half, 16, slots + half);
	}
}

/* Bytes that a query needs beside its struct, which is aligned to 2 bytes. */
size_t
plane_query_size(int num_hashes)
{
	return sizeof(uint16_t) * ((size_t) num_hashes + 1) +
		plane_size(num_hashes) + planes_rest_size(num_hashes);
}

/*
 * Find the fewest equal slots of so many that reach a threshold.
 *
 * None do if nothing is compared: then it is more than there are.
 */
static int
least_equal(int compared, double threshold)
{
	int			equal = (int) (threshold * compared);

	if (compared == 0)
		return 1;
	while (equal > 0 && (double) (equal - 1) / compared >= threshold)
		equal--;
	while ((double) equal / compared < threshold)
		equal++;
	return equal;
}

/* Prepare queries for a threshold; least has room for num_hashes + 1 numbers. */
void
plane_query_rules(PlaneQuery *query, uint16_t *least, int num_hashes,
				  SketchMethod method, double threshold)
{
	for (int i = 0; i <= num_hashes; i++)
		least[i] = (uint16_t) least_equal(num_hashes - i, threshold);
	query->num_hashes = num_hashes;
	query->is_weighted = method == SKETCH_WEIGHTED;
	query->least_equal = least;
}

/* Tell whether a first plane has an empty slot.  The loop is auto-vectorized. */
VECTOR_CLONES static bool
plane_has_empty(const uint8_t *first, int num_hashes)
{
	int			size = (int) plane_size(num_hashes);
	uint8_t		found = 0;

	for (int i = 0; i < size; i++)
		found |= ((first[i] & 0x0F) == 0x0F) | ((first[i] & 0xF0) == 0xF0);
	return found != 0;
}

/*
 * Make a query of which only the first plane is known, and stays where it is:
 * enough for planes_filter, not for planes_compare.
 */
void
plane_query_set(PlaneQuery *query, const uint8_t *first)
{
	query->first = first;
	query->has_empty = !query->is_weighted &&
		plane_has_empty(first, query->num_hashes);
}

/* Prepare a query in memory of plane_query_size() bytes. */
void
plane_query_init(PlaneQuery *query, void *memory, const uint16_t *slots,
				 int num_hashes, SketchMethod method, double threshold)
{
	uint16_t   *least = memory;
	uint8_t    *first = (uint8_t *) (least + num_hashes + 1);
	uint8_t    *rest = first + plane_size(num_hashes);

	plane_query_rules(query, least, num_hashes, method, threshold);
	planes_split(slots, num_hashes, method, first, rest);
	query->first = first;
	query->rest = rest;
	query->has_empty = false;
	for (int i = 0; i < num_hashes; i++)
		query->has_empty |= slots[i] == SLOT_EMPTY;
}

/* Count the equal digits of some bytes of a plane, at most STEP. */
VECTOR_PART int
count_same(const uint8_t *restrict a, const uint8_t *restrict b, int count)
{
	uint8_t		same = 0;

	for (int i = 0; i < count; i++)
	{
		uint8_t		differ = a[i] ^ b[i];

		same += ((differ & 0x0F) == 0) + ((differ & 0xF0) == 0);
	}
	return same;
}

/* Count those of them that are of slots empty in both. */
VECTOR_PART int
count_both_empty(const uint8_t *restrict a, const uint8_t *restrict b, int count)
{
	uint8_t		empty = 0;

	for (int i = 0; i < count; i++)
	{
		uint8_t		both = a[i] & b[i];

		empty += ((both & 0x0F) == 0x0F) + ((both & 0xF0) == 0xF0);
	}
	return empty;
}

/* Count the equal slots of some bytes of all planes, at most STEP. */
VECTOR_PART int
count_equal(const uint8_t *restrict a, const uint8_t *restrict b,
			const uint8_t *restrict a_low, const uint8_t *restrict b_low,
			const uint8_t *restrict a_high, const uint8_t *restrict b_high,
			const uint8_t *restrict a_last, const uint8_t *restrict b_last,
			int count)
{
	uint8_t		equal = 0;

	for (int i = 0; i < count; i++)
	{
		uint8_t		differ = (a[i] ^ b[i]) | (a_last[i] ^ b_last[i]);
		uint8_t		low = (differ & 0x0F) | (a_low[i] ^ b_low[i]);
		uint8_t		high = (differ & 0xF0) | (a_high[i] ^ b_high[i]);

		equal += (low == 0) + (high == 0);
	}
	return equal;
}

/* Count the equal digits of a first plane. */
VECTOR_PART int
plane_same(const PlaneQuery *query, const uint8_t *first)
{
	int			whole = query->num_hashes / 2;
	int			same = 0;
	int			i = 0;

	for (; i + STEP <= whole; i += STEP)
		same += count_same(first + i, query->first + i, STEP);
	same += count_same(first + i, query->first + i, whole - i);
	if (query->num_hashes % 2 == 1)
		same += ((first[whole] ^ query->first[whole]) & 0x0F) == 0;
	return same;
}

/* Count the slots that are empty in both a query and a signature. */
VECTOR_PART int
plane_both_empty(const PlaneQuery *query, const uint8_t *first)
{
	int			whole = query->num_hashes / 2;
	int			both = 0;
	int			i = 0;

	if (!query->has_empty || query->is_weighted)
		return 0;
	for (; i + STEP <= whole; i += STEP)
		both += count_both_empty(first + i, query->first + i, STEP);
	both += count_both_empty(first + i, query->first + i, whole - i);
	if (query->num_hashes % 2 == 1)
		both += (first[whole] & query->first[whole] & 0x0F) == 0x0F;
	return both;
}

/*
 * Find the signatures that can reach the query's threshold, of some whose first
 * planes lie side by side; return how many.  The loops are auto-vectorized.
 */
VECTOR_CLONES int
planes_filter(const PlaneQuery *query, const uint8_t *firsts, int count,
			  uint16_t *places)
{
	size_t		size = plane_size(query->num_hashes);
	int			found = 0;

	for (int i = 0; i < count; i++)
	{
		const uint8_t *first = firsts + size * (size_t) i;
		int			both_empty = plane_both_empty(query, first);

		places[found] = (uint16_t) i;
		found += plane_same(query, first) - both_empty >=
			query->least_equal[both_empty];
	}
	return found;
}

/*
 * Tell whether a signature of which only the first plane is known can reach
 * the query's threshold.
 */
bool
plane_may_be_similar(const PlaneQuery *query, const uint8_t *first)
{
	uint16_t	place;

	return planes_filter(query, first, 1, &place) == 1;
}

/* Count the equal slots in so many bytes of the planes from some byte on. */
VECTOR_PART int
equal_at(const PlaneQuery *query, const Planes *planes, int i, int count)
{
	int			half = (int) plane_size(query->num_hashes);
	int			last = query->num_hashes + i;

	return count_equal(planes->first + i, query->first + i,
					   planes->rest + i, query->rest + i,
					   planes->rest + half + i, query->rest + half + i,
					   planes->rest + last, query->rest + last, count);
}

/* Tell whether the slot in the middle of an odd number of them is equal. */
VECTOR_PART bool
middle_is_equal(const PlaneQuery *query, const Planes *planes)
{
	int			middle = query->num_hashes / 2;
	int			last = query->num_hashes + middle;

	return planes->rest[middle] == query->rest[middle] &&
		((planes->first[middle] ^ query->first[middle]) & 0x0F) == 0 &&
		((planes->rest[last] ^ query->rest[last]) & 0x0F) == 0;
}

/*
 * Count the slots that are not empty in both a query and a signature, and
 * those of them that are equal.  The loops are auto-vectorized.
 */
VECTOR_CLONES void
planes_compare(const PlaneQuery *query, const Planes *planes,
			   int *equal, int *compared)
{
	int			whole = query->num_hashes / 2;
	int			both_empty = plane_both_empty(query, planes->first);
	int			same = 0;
	int			i = 0;

	for (; i + STEP <= whole; i += STEP)
		same += equal_at(query, planes, i, STEP);
	same += equal_at(query, planes, i, whole - i);
	if (query->num_hashes % 2 == 1)
		same += middle_is_equal(query, planes);
	if (query->has_empty && query->is_weighted && same == query->num_hashes)
		both_empty = same;		/* two empty sets */
	*equal = same - both_empty;
	*compared = query->num_hashes - both_empty;
}
