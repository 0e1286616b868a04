/*-------------------------------------------------------------------------
 *
 * bit_counts.h
 *	  Count in how many of some 256-bit rows each bit is set.
 *
 * The counts are bit-sliced as well: row i of the counts has bit i of each of the
 * 256 numbers.  Carry-save adders, as in the population count of Harley and
 * Seal (Warren, "Hacker's Delight", 5-1), add a row in five operations or
 * fewer, each of which serves all 256 numbers.
 *
 * With gcc and clang, a row is a vector, for which the compiler takes the
 * registers that the processor has.  With other compilers, and with LSHSIM_PLAIN_C,
 * it has several parts, which are counted one by one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BIT_COUNTS_H
#define BIT_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "processor.h"

#define ROW_BITS 256
#define ROW_BYTES (ROW_BITS / 8)
#define ROW_WORDS (ROW_BITS / 64)	/* bit i is bit i % 64 of word i / 64 */
#define ROWS_AT_ONCE 16

/* A part of a row.  Arrays of rows must be aligned to it. */
#if defined(__GNUC__) && !defined(LSHSIM_PLAIN_C)
typedef uint64_t RowPart __attribute__((vector_size(ROW_BYTES), may_alias));
#else
typedef uint64_t RowPart;
#endif

#define ROW_PARTS (ROW_BYTES / sizeof(RowPart))

/* Set all counts, which have levels rows, to a number. */
VECTOR_PART void
bit_counts_set(RowPart *counts, int levels, uint32_t number)
{
	const RowPart none = {0};

	for (int i = 0; i < levels * (int) ROW_PARTS; i++)
		counts[i] = none - (uint64_t) (number >> i / (int) ROW_PARTS & 1);
}

/* Add two rows to a sum; the carries belong to the next higher one. */
VECTOR_PART void
add_two_rows(RowPart *sum, const RowPart *a, const RowPart *b, RowPart *carry)
{
	RowPart		one = *a ^ *b;

	*carry = (*a & *b) | (one & *sum);
	*sum ^= one;
}

/* Add the four rows with the given numbers to the two lowest sums. */
VECTOR_PART void
add_four_rows(const RowPart *rows, const uint32_t *numbers, RowPart *ones,
			  RowPart *twos, RowPart *carry)
{
	RowPart		a;
	RowPart		b;

	add_two_rows(ones, rows + numbers[0] * ROW_PARTS, rows + numbers[1] * ROW_PARTS, &a);
	add_two_rows(ones, rows + numbers[2] * ROW_PARTS, rows + numbers[3] * ROW_PARTS, &b);
	add_two_rows(twos, &a, &b, carry);
}

/* Add one part of some rows to that of the counts. */
VECTOR_PART void
add_row_parts(RowPart *counts, int levels, const RowPart *rows,
			  const uint32_t *numbers, int count)
{
	RowPart		ones = counts[0];
	RowPart		twos = counts[ROW_PARTS];
	RowPart		fours = counts[2 * ROW_PARTS];
	RowPart		eights = counts[3 * ROW_PARTS];

	for (int i = 0; i < count; i += ROWS_AT_ONCE)
	{
		RowPart		a;
		RowPart		b;
		RowPart		c;
		RowPart		carry;

		add_four_rows(rows, numbers + i, &ones, &twos, &a);
		add_four_rows(rows, numbers + i + 4, &ones, &twos, &b);
		add_two_rows(&fours, &a, &b, &c);
		add_four_rows(rows, numbers + i + 8, &ones, &twos, &a);
		add_four_rows(rows, numbers + i + 12, &ones, &twos, &b);
		add_two_rows(&fours, &a, &b, &carry);
		add_two_rows(&eights, &c, &carry, &carry);
		for (RowPart *sum = counts + 4 * ROW_PARTS; sum < counts + levels * ROW_PARTS; sum += ROW_PARTS)
		{
			RowPart		next = *sum & carry;

			*sum ^= carry;
			carry = next;
		}
	}
	counts[0] = ones;
	counts[ROW_PARTS] = twos;
	counts[2 * ROW_PARTS] = fours;
	counts[3 * ROW_PARTS] = eights;
}

/*
 * Add the rows with the given numbers, a multiple of ROWS_AT_ONCE, to counts,
 * which have levels rows, at least 4.  Carries out of the highest are lost.
 */
VECTOR_PART void
bit_counts_add(RowPart *counts, int levels, const RowPart *rows,
			   const uint32_t *numbers, int count)
{
	for (size_t part = 0; part < ROW_PARTS; part++)
		add_row_parts(counts + part, levels, rows + part, numbers, count);
}

#endif							/* BIT_COUNTS_H */
