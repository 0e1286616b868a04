/*-------------------------------------------------------------------------
 *
 * lsh_sort.c
 *	  Sorting tree entries and record numbers.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lsh_sort.h"

#define RADIX_SORT sort_by_key
#define RADIX_ITEM LshEntry
#define RADIX_KEY(item) (item).key
#define RADIX_KEY_BITS 64
#include "core/base/radix_sort.h"

#define RADIX_SORT sort_numbers
#define RADIX_ITEM uint32
#define RADIX_KEY(item) (item)
#define RADIX_KEY_BITS 32
#include "core/base/radix_sort.h"

/* Sort entries by key. */
LshEntry *
lsh_sort(LshEntry *entries, LshEntry *scratch, Size count)
{
	return sort_by_key(entries, scratch, count);
}

/* Sort numbers, and keep those that occur often enough, once each. */
Size
lsh_sort_numbers(uint32 *numbers, Size count, int least)
{
	uint32	   *scratch = MemoryContextAllocHuge(CurrentMemoryContext,
												 sizeof(uint32) * count);
	const uint32 *sorted = sort_numbers(numbers, scratch, count);
	Size		kept = 0;
	Size		start = 0;

	for (Size i = 1; i <= count; i++)
		if (i == count || sorted[i] != sorted[start])
		{
			if (i - start >= (Size) least)
				numbers[kept++] = sorted[start];
			start = i;
		}
	pfree(scratch);
	return kept;
}
