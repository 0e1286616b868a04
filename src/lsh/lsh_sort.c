/*-------------------------------------------------------------------------
 *
 * lsh_sort.c
 *	  Sorting tree entries and record numbers.
 *
 * A least-significant-digit radix sort (Knuth, "The Art of Computer
 * Programming", volume 3, 5.2.5) in time linear in the number of entries.
 * Digits of a key have 11 bits; a digit that is the same in all keys costs no
 * pass.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/interrupt.h"
#include "lsh_sort.h"

#define DIGIT_BITS 11
#define DIGITS (1 << DIGIT_BITS)
#define PASSES 6				/* 66 bits */
#define FEW 64					/* up to here an insertion sort is faster */

/* Return a digit of a key. */
static inline uint32
digit(uint64 key, int pass)
{
	return (uint32) (key >> (pass * DIGIT_BITS)) & (DIGITS - 1);
}

/* Count how often each digit occurs, for all passes. */
static void
count_digits(const LshEntry *entries, Size count, Size (*counts)[DIGITS])
{
	memset(counts, 0, sizeof(Size) * DIGITS * PASSES);
	for (Size i = 0; i < count; i++)
	{
		for (int pass = 0; pass < PASSES; pass++)
			counts[pass][digit(entries[i].key, pass)]++;
		check_sometimes(i);
	}
}

/* Move entries into the order of one digit. */
static void
move(const LshEntry *from, LshEntry *to, Size count, int pass, Size *places)
{
	Size		place = 0;

	for (int i = 0; i < DIGITS; i++)
	{
		Size		size = places[i];

		places[i] = place;
		place += size;
	}
	for (Size i = 0; i < count; i++)
	{
		to[places[digit(from[i].key, pass)]++] = from[i];
		check_sometimes(i);
	}
}

/* Sort entries by key. */
LshEntry *
lsh_sort(LshEntry *entries, LshEntry *scratch, Size count)
{
	Size		(*counts)[DIGITS] = palloc(sizeof(Size) * DIGITS * PASSES);

	count_digits(entries, count, counts);
	for (int pass = 0; pass < PASSES && count > 0; pass++)
	{
		LshEntry   *sorted = scratch;

		if (counts[pass][digit(entries[0].key, pass)] == count)
			continue;			/* all keys have the same digit */
		move(entries, sorted, count, pass, counts[pass]);
		scratch = entries;
		entries = sorted;
	}
	pfree(counts);
	return entries;
}

/* Sort a few numbers by insertion. */
static void
insertion_sort(uint32 *numbers, Size count)
{
	for (Size i = 1; i < count; i++)
	{
		uint32		number = numbers[i];
		Size		place = i;

		for (; place > 0 && numbers[place - 1] > number; place--)
			numbers[place] = numbers[place - 1];
		numbers[place] = number;
	}
}

/* Move numbers into the order of one 8-bit digit. */
static void
move_numbers(const uint32 *from, uint32 *to, Size count, int shift)
{
	Size		places[257] = {0};

	for (Size i = 0; i < count; i++)
		places[((from[i] >> shift) & 255) + 1]++;
	for (int i = 1; i < 256; i++)
		places[i] += places[i - 1];
	for (Size i = 0; i < count; i++)
		to[places[(from[i] >> shift) & 255]++] = from[i];
}

/* Sort numbers by four 8-bit digits. */
static void
radix_sort(uint32 *numbers, Size count)
{
	uint32	   *scratch = MemoryContextAllocHuge(CurrentMemoryContext,
												 sizeof(uint32) * count);

	for (int shift = 0; shift < 32; shift += 16)
	{
		move_numbers(numbers, scratch, count, shift);
		move_numbers(scratch, numbers, count, shift + 8);
	}
	pfree(scratch);
}

/* Sort numbers, and keep those that occur often enough, once each. */
Size
lsh_sort_numbers(uint32 *numbers, Size count, int least)
{
	Size		kept = 0;
	Size		start = 0;

	if (count <= FEW)
		insertion_sort(numbers, count);
	else
		radix_sort(numbers, count);
	for (Size i = 1; i <= count; i++)
		if (i == count || numbers[i] != numbers[start])
		{
			if (i - start >= (Size) least)
				numbers[kept++] = numbers[start];
			start = i;
		}
	return kept;
}
