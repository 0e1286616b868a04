/*-------------------------------------------------------------------------
 *
 * planes.c
 *	  Cut signatures into planes, so that most comparisons read only a part.
 *
 * Digits.  A 16-bit slot is cut into a 4-bit digit and a 12-bit quotient.  The
 * digit is the slot's code modulo 15; digit 15 means that the slot is empty.
 * The code divided by 15 fits 12 bits, because codes are below 15 * 4096.
 * Only the codes of weighted sets use all 16 bits.  They are divided by 16
 * instead, so the digit does not show whether a slot is empty; it need not,
 * because either all slots of a weighted set are empty or none is.
 *
 * Planes.  A slice is one bit of every slot: bit i % 8 of its byte i / 8
 * belongs to slot i, and the unused bits of its last byte are zero.  The first
 * plane consists of the slices of the two lower bits of the digits, 32 bytes
 * for 128 hashes.  The second has those of the two upper bits, and the third
 * those of the four lower bits of the quotients.  The rest has one byte for
 * each slot, the upper bits of its quotient.
 *
 * Bounds.  Any number of slices bounds the similarity of two signatures from
 * above, because slots that differ in a slice are different.  Slots that agree
 * in the slices read count as equal if the query's slot is not empty, and as
 * empty in both if it is.  Both counts can only be too large, and both errors
 * make the estimate larger, so a signature that reaches the threshold is
 * never rejected.  Nearly all others are: two different slots agree in two
 * slices with probability 1/4, in four with 1/15, in eight with 1/240.  A slot
 * that is empty in only one signature never agrees once the whole digit is
 * read, which helps most with small sets.  So at thresholds from .3 on, the
 * first plane rejects most signatures that are not similar, and the second
 * nearly all of the remaining ones.  Signatures that are left must be compared
 * by their slots.
 *
 * Use.  Planes are for one signature and many others, each of which is read once:
 * the records of an lsh index, which are stored in this form, in a pass over the
 * store.  Where all pairs of signatures are compared, comb.c is faster.
 *
 *-------------------------------------------------------------------------
 */
#include "planes.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/base/processor.h"
#include "sketch.h"

#define EMPTY_DIGIT 15
#define EMPTY_QUOTIENT 4095

/* Return the number by which the codes of a method are divided. */
static inline unsigned
divisor(SketchMethod method)
{
	return method == SKETCH_WEIGHTED ? 16 : 15;
}

/*** Cutting and joining ***/

/*
 * Transpose an 8 x 8 bit matrix: bit i of byte j becomes bit j of byte i
 * (Warren, "Hacker's Delight", 7-3).
 */
VECTOR_PART uint64_t
transpose(uint64_t bits)
{
	uint64_t	swap;

	swap = (bits ^ (bits >> 7)) & UINT64_C(0x00AA00AA00AA00AA);
	bits ^= swap ^ (swap << 7);
	swap = (bits ^ (bits >> 14)) & UINT64_C(0x0000CCCC0000CCCC);
	bits ^= swap ^ (swap << 14);
	swap = (bits ^ (bits >> 28)) & UINT64_C(0x00000000F0F0F0F0);
	return bits ^ swap ^ (swap << 28);
}

/*
 * Cut slots into digits and quotients, packed into 8 lower and 8 upper bits.
 * Vectors have no division; for 16 bits, a product gives the same quotient.
 */
VECTOR_PART void
split_slots(const uint16_t *restrict slots, int count, unsigned by,
			uint8_t *restrict lower, uint8_t *restrict upper)
{
	unsigned	inverse = ((1U << 19) + by - 1) / by;

	for (int i = 0; i < count; i++)
	{
		bool		empty = slots[i] == SLOT_EMPTY;
		unsigned	quotient = empty ? EMPTY_QUOTIENT : slots[i] * inverse >> 19;
		unsigned	digit = empty ? EMPTY_DIGIT : slots[i] - quotient * by;

		lower[i] = (uint8_t) (digit | (quotient & 15) << 4);
		upper[i] = (uint8_t) (quotient >> 4);
	}
}

/* Write the bytes of 8 slots each into their slices. */
VECTOR_PART void
scatter_slices(const uint8_t *restrict bytes, int size, const Planes *planes)
{
	uint8_t    *restrict first = planes->first;
	uint8_t    *restrict second = planes->second;
	uint8_t    *restrict third = planes->third;

	for (int i = 0; i < size; i++)
	{
		first[i] = bytes[8 * i];
		first[size + i] = bytes[8 * i + 1];
		second[i] = bytes[8 * i + 2];
		second[size + i] = bytes[8 * i + 3];
		third[i] = bytes[8 * i + 4];
		third[size + i] = bytes[8 * i + 5];
		third[2 * size + i] = bytes[8 * i + 6];
		third[3 * size + i] = bytes[8 * i + 7];
	}
}

/* Transpose the bits of all words. */
VECTOR_PART void
transpose_all(uint64_t *words, int count)
{
	for (int i = 0; i < count; i++)
		words[i] = little_endian(transpose(little_endian(words[i])));
}

/* Cut a signature into planes.  The loops are auto-vectorized. */
VECTOR_CLONES void
planes_split(const uint16_t *slots, int num_hashes, SketchMethod method,
			 const Planes *planes)
{
	int			size = (int) slice_size(num_hashes);
	uint64_t	words[SKETCH_MAX_HASHES / 8];
	uint8_t    *lower = (uint8_t *) words;

	words[size - 1] = 0;
	split_slots(slots, num_hashes, divisor(method), lower, planes->rest);
	transpose_all(words, size);
	scatter_slices(lower, size, planes);
}

/* Read the bytes of 8 slots each from their slices. */
VECTOR_PART void
gather_slices(const Planes *planes, int size, uint8_t *restrict bytes)
{
	const uint8_t *first = planes->first;
	const uint8_t *second = planes->second;
	const uint8_t *third = planes->third;

	for (int i = 0; i < size; i++)
	{
		bytes[8 * i] = first[i];
		bytes[8 * i + 1] = first[size + i];
		bytes[8 * i + 2] = second[i];
		bytes[8 * i + 3] = second[size + i];
		bytes[8 * i + 4] = third[i];
		bytes[8 * i + 5] = third[size + i];
		bytes[8 * i + 6] = third[2 * size + i];
		bytes[8 * i + 7] = third[3 * size + i];
	}
}

/* Compute slots from the 8 lower and 8 upper bits of split_slots(). */
VECTOR_PART void
join_slots(const uint8_t *lower, const uint8_t *upper, int count, unsigned by,
		   uint16_t *slots)
{
	for (int i = 0; i < count; i++)
	{
		unsigned	digit = lower[i] & 15;
		unsigned	quotient = (unsigned) upper[i] << 4 | lower[i] >> 4;
		uint16_t	code = (uint16_t) (quotient * by + digit);

		slots[i] = (by == 15 && digit == EMPTY_DIGIT) ? SLOT_EMPTY : code;
	}
}

/* Restore a signature from its planes.  The loops are auto-vectorized. */
VECTOR_CLONES void
planes_join(const Planes *planes, int num_hashes, SketchMethod method,
			uint16_t *slots)
{
	int			size = (int) slice_size(num_hashes);
	uint64_t	words[SKETCH_MAX_HASHES / 8];
	uint8_t    *lower = (uint8_t *) words;

	gather_slices(planes, size, lower);
	transpose_all(words, size);
	join_slots(lower, planes->rest, num_hashes, divisor(method), slots);
}

/* Return true if all planes are those of a signature. */
bool
planes_are_of(const Planes *planes, const uint16_t *slots, int num_hashes,
			  SketchMethod method)
{
	size_t		size = plane_size(num_hashes);
	uint8_t		first[SKETCH_MAX_HASHES / 4];
	uint8_t		second[SKETCH_MAX_HASHES / 4];
	uint8_t		third[SKETCH_MAX_HASHES / 2];
	uint8_t		rest[SKETCH_MAX_HASHES];
	Planes		own = {first, second, third, rest};

	planes_split(slots, num_hashes, method, &own);
	return memcmp(planes->first, first, size) == 0 &&
		memcmp(planes->second, second, size) == 0 &&
		memcmp(planes->third, third, 2 * size) == 0 &&
		memcmp(planes->rest, rest, (size_t) num_hashes) == 0;
}

/*** Queries ***/

/* Set the threshold, for each number of empty slots that a query can have. */
void
plane_query_threshold(PlaneQuery *query, double threshold)
{
	for (int i = 0; i <= query->empty_count; i++)
		query->least_equal[i] =
			(uint16_t) slots_least_equal(query->num_hashes - i, threshold);
}

/* Load 8 bytes or 1 byte of a slice. */
VECTOR_PART uint64_t
load_slice(const uint8_t *slice, int bytes)
{
	uint64_t	word = 0;

	memcpy(&word, slice, (size_t) bytes);
	return word;
}

/*
 * Note the slots of a query that are empty.
 *
 * Slots of weighted sets never count as empty.  If they are, all of them are,
 * and agree with those of another empty set.  The loop is auto-vectorized.
 */
static void
set_empty(PlaneQuery *query, const uint16_t *slots)
{
	int			size = (int) slice_size(query->num_hashes);
	uint8_t		counts = query->method == SKETCH_WEIGHTED ? 0 : 0xFF;
	const uint8_t *first = query->planes.first;
	const uint8_t *second = query->planes.second;
	uint8_t    *restrict empty = query->empty;

	for (int i = 0; i < size; i++)
		empty[i] = counts & first[i] & first[size + i] & second[i] &
			second[size + i];
	query->empty_count = 0;
	for (int i = 0; i < query->num_hashes; i++)
		query->empty_count += counts & (slots[i] == SLOT_EMPTY);
}

/* Make a query of a signature, given by its slots. */
void
plane_query_init(PlaneQuery *query, void *memory, const uint16_t *slots,
				 int num_hashes, SketchMethod method, double threshold)
{
	Planes	   *own = &query->planes;

	query->num_hashes = num_hashes;
	query->method = method;
	query->least_equal = memory;
	query->empty = (uint8_t *) (query->least_equal + num_hashes + 1);
	own->first = query->empty + slice_size(num_hashes);
	own->second = own->first + plane_size(num_hashes);
	own->third = own->second + plane_size(num_hashes);
	own->rest = own->third + 2 * plane_size(num_hashes);
	planes_split(slots, num_hashes, method, own);
	set_empty(query, slots);
	plane_query_threshold(query, threshold);
}

/*** Bounds ***/

/* The numbers of slots that differ, and of empty ones that agree. */
typedef struct Counts
{
	uint32_t	apart;
	uint32_t	empty;			/* in the query */
} Counts;

/* Return the slots that differ in some bytes of two adjacent slices. */
VECTOR_PART uint64_t
slices_differ(const uint8_t *a, const uint8_t *b, int size, int bytes)
{
	return (load_slice(a, bytes) ^ load_slice(b, bytes)) |
		(load_slice(a + size, bytes) ^ load_slice(b + size, bytes));
}

/* Count the slots of the first slices, in their bytes from i on. */
VECTOR_PART void
count_slice_slots(const PlaneQuery *query, const Planes *planes, int slices,
				  int i, int bytes, Counts *counts)
{
	int			size = (int) slice_size(query->num_hashes);
	const Planes *own = &query->planes;
	uint64_t	apart = slices_differ(planes->first + i, own->first + i, size, bytes);

	if (slices >= 4)
		apart |= slices_differ(planes->second + i, own->second + i, size, bytes);
	if (slices == 8)
		apart |= slices_differ(planes->third + i, own->third + i, size, bytes) |
			slices_differ(planes->third + 2 * size + i, own->third + 2 * size + i,
						  size, bytes);
	counts->apart += count_bits(apart);
	if (query->empty_count > 0)
		counts->empty += count_bits(load_slice(query->empty + i, bytes) & ~apart);
}

/* Return true if the first slices of a signature allow it to be similar. */
VECTOR_PART bool
may_reach(const PlaneQuery *query, const Planes *planes, int slices)
{
	int			size = (int) slice_size(query->num_hashes);
	Counts		counts = {0, 0};
	int			i = 0;

	for (; i + 8 <= size; i += 8)
		count_slice_slots(query, planes, slices, i, 8, &counts);
	for (; i < size; i++)
		count_slice_slots(query, planes, slices, i, 1, &counts);
	return (uint32_t) query->num_hashes - counts.apart - counts.empty >=
		query->least_equal[counts.empty];
}

/*
 * Keep the places of signatures whose first slices allow them to be similar;
 * return their number.
 */
VECTOR_PART int
filter_places(const PlaneQuery *query, const Planes *planes, size_t stride,
			  int slices, int count, uint16_t *places)
{
	int			found = 0;

	for (int i = 0; i < count; i++)
	{
		uint16_t	place = places[i];
		Planes		one = planes_at(planes, stride, 0, place);

		places[found] = place;
		found += may_reach(query, &one, slices);
	}
	return found;
}

/* Keep the places of signatures that may be similar; return their number. */
VECTOR_CLONES int
planes_filter(const PlaneQuery *query, const Planes *planes, size_t stride,
			  int count, uint16_t *places)
{
	count = filter_places(query, planes, stride, 2, count, places);
	count = filter_places(query, planes, stride, 4, count, places);
	return filter_places(query, planes, stride, 8, count, places);
}
