/*-------------------------------------------------------------------------
 *
 * common_grams.c
 *	  A list of k-grams that are common in a table, which winnowing avoids.
 *
 * Every k-gram of a text is looked up, and few are in the list.  So a bitmap
 * of the low bits of all k-grams in the list rejects most others without a
 * search; the high bits of the rest select a part of the list to search.
 *
 *-------------------------------------------------------------------------
 */
#include "common_grams.h"

#include <string.h>

/* Return the part of a list where a k-gram would be. */
static inline size_t
part_of(uint64_t gram)
{
	return (size_t) (gram >> (63 - COMMON_PART_BITS));
}

/* Note where the parts of a list begin, and where the last one ends. */
static void
find_parts(CommonGrams *list)
{
	size_t		place = 0;

	for (size_t part = 0; part <= (size_t) 1 << COMMON_PART_BITS; part++)
	{
		while (place < list->count && part_of(list->grams[place]) < part)
			place++;
		list->parts[part] = (uint16_t) place;
	}
}

/* Initialize a list. */
void
common_grams_init(CommonGrams *list, const uint64_t *grams, size_t count)
{
	list->grams = grams;
	list->count = count;
	find_parts(list);
	memset(list->filter, 0, sizeof(list->filter));
	for (size_t i = 0; i < count; i++)
	{
		size_t		bit = common_filter_bit(grams[i]);

		list->filter[bit / 8] |= (uint8_t) (1 << bit % 8);
	}
}

/* Return true if a k-gram is in a list. */
bool
common_grams_find(const CommonGrams *list, uint64_t gram)
{
	size_t		low = list->parts[part_of(gram)];
	size_t		high = list->parts[part_of(gram) + 1];
	size_t		end = high;

	while (low < high)
	{
		size_t		middle = low + (high - low) / 2;

		if (list->grams[middle] < gram)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end && list->grams[low] == gram;
}
