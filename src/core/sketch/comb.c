/*-------------------------------------------------------------------------
 *
 * comb.c
 *	  Count the slots that a signature has in common with each signature of a
 *	  tile, all of them at once.
 *
 * Teeth.  For each slot and each value of its lowest bits, the comb has a row
 * with a bit for each signature of the tile: whether its slot has this value,
 * and is not empty.  A signature that is compared with the tile takes one row
 * for each of its slots that are not empty.  The number of these rows in which
 * a bit is set is the number of equal slots or, because only the lowest bits
 * are compared, more: of the slots that differ, with 5 bits, 1 in 32 counts as
 * equal.
 *
 * Bound.  At most the slots that are empty in the signature, and at most as
 * many as are empty in any of the tile, are empty in both.  Both errors make
 * the estimate larger, so a signature that reaches the threshold is never
 * rejected.  Of unrelated signatures, nearly all are rejected.  Signatures that
 * are left must be compared by their slots.
 *
 * Counting.  The rows are added by bit_counts.h.  The counts start at a power of
 * two minus the equal slots that the threshold requires, so that the highest
 * bit of a count shows whether the threshold is reached.
 *
 * Use.  This form serves searches for pairs, where thousands of signatures are
 * compared with each tile: with 128 hashes and AVX2 it takes a twelfth of the
 * time of planes (planes.c).  These serve where one signature is compared with
 * many, as in a search, because to make a comb of a tile takes as long as 500
 * comparisons with it.
 *
 * Memory: 128 kB with 128 hashes, at most 1 MB with any number; that is 5 bits of
 * a slot for up to 256 hashes, and down to 3 bits for 4,096.
 *
 *-------------------------------------------------------------------------
 */
#include "comb.h"

#include <string.h>

#include "sketch.h"
#include "slots.h"

#define MOST_BITS 5
#define FEWEST_BITS 3
#define TEETH_BYTES (256 * 1024)	/* fits the second-level cache; more with
									 * FEWEST_BITS */
#define FIRST_LEVELS 4			/* rows of a count up to ROWS_AT_ONCE */

/* Return the number of bits of a slot that are compared. */
static int
slot_bits(int num_hashes)
{
	int			bits = MOST_BITS;

	while (bits > FEWEST_BITS && ((size_t) num_hashes << bits) * ROW_BYTES > TEETH_BYTES)
		bits--;
	return bits;
}

/* Return the number of rows: the teeth, one without bits, and one not read. */
static size_t
row_count(int num_hashes)
{
	return ((size_t) num_hashes << slot_bits(num_hashes)) + 2;
}

/* Add up the rows, and as many as the table of the threshold takes. */
size_t
comb_size(int num_hashes)
{
	size_t		table = sizeof(uint16_t) * ((size_t) num_hashes + 1);

	return (row_count(num_hashes) + (table + ROW_BYTES - 1) / ROW_BYTES) * ROW_BYTES;
}

/* Divide the memory between the rows and the table of the threshold. */
void
comb_begin(Comb *comb, void *memory, int num_hashes)
{
	comb->num_hashes = num_hashes;
	comb->bits = slot_bits(num_hashes);
	comb->levels = FIRST_LEVELS + 1;
	while (1 << (comb->levels - 1) < num_hashes)
		comb->levels++;
	comb->rows = memory;
	comb->least_equal = (uint16_t *) (comb->rows + row_count(num_hashes) * ROW_PARTS);
	comb->count = 0;
}

/* Set the threshold, for each number of slots that are empty in both. */
void
comb_set_threshold(Comb *comb, double threshold)
{
	for (int empty = 0; empty <= comb->num_hashes; empty++)
		comb->least_equal[empty] =
			(uint16_t) slots_least_equal(comb->num_hashes - empty, threshold);
}

/* Clear all bits. */
void
comb_clear(Comb *comb)
{
	memset(comb->rows, 0, row_count(comb->num_hashes) * ROW_BYTES);
	comb->count = 0;
	comb->most_empty = 0;
}

/* Set the bits of a signature; those of empty slots in the row that is not read. */
void
comb_add(Comb *comb, const uint16_t *slots)
{
	uint64_t   *words = (uint64_t *) comb->rows + comb->count / 64;
	uint64_t	bit = UINT64_C(1) << comb->count % 64;
	unsigned	mask = (1U << comb->bits) - 1;
	size_t		unread = (size_t) comb->num_hashes << comb->bits | 1;
	int			empty = 0;

	for (int i = 0; i < comb->num_hashes; i++)
	{
		bool		is_empty = slots[i] == SLOT_EMPTY;
		size_t		row = ((size_t) i << comb->bits) + (slots[i] & mask);

		words[(is_empty ? unread : row) * ROW_WORDS] |= bit;
		empty += is_empty;
	}
	comb->count++;
	if (empty > comb->most_empty)
		comb->most_empty = empty;
}

/*
 * Find the rows of the slots that are not empty, up to a multiple of ROWS_AT_ONCE;
 * return the number of empty slots.  The loop is auto-vectorized.
 */
VECTOR_PART int
find_rows(const Comb *comb, const uint16_t *restrict slots, uint32_t *restrict rows)
{
	uint32_t	mask = (1U << comb->bits) - 1;
	uint32_t	none = (uint32_t) comb->num_hashes << comb->bits;
	uint32_t	empty = 0;

	for (int i = 0; i < comb->num_hashes; i++)
	{
		bool		is_empty = slots[i] == SLOT_EMPTY;

		rows[i] = is_empty ? none : ((uint32_t) i << comb->bits) + (slots[i] & mask);
		empty += is_empty;
	}
	for (int i = comb->num_hashes; i % ROWS_AT_ONCE != 0; i++)
		rows[i] = none;
	return (int) empty;
}

/* Count, starting from the number that makes the highest bit show the result. */
VECTOR_CLONES_WIDE bool
comb_filter(const Comb *comb, const uint16_t *slots, uint64_t found[COMB_WORDS])
{
	uint32_t	rows[SKETCH_MAX_HASHES];
	RowPart		counts[COMB_LEVELS * ROW_PARTS];
	int			empty = find_rows(comb, slots, rows);
	int			count = (comb->num_hashes + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE * ROWS_AT_ONCE;
	int			last = comb->levels - 1;
	int			first;
	uint64_t	any = 0;

	if (empty > comb->most_empty)
		empty = comb->most_empty;
	first = (1 << last) - comb->least_equal[empty];
	bit_counts_set(counts, comb->levels, (uint32_t) first);
	bit_counts_add(counts, comb->levels, comb->rows, rows, count);
	memcpy(found, &counts[last * ROW_PARTS], ROW_BYTES);
	for (int word = 0; word < COMB_WORDS; word++)
		any |= found[word];
	return any != 0;
}
