/*-------------------------------------------------------------------------
 *
 * radix_sort.h
 *	  A radix sort: a template, in the style of sort_template.h of the server.
 *
 * Least significant digit first (Knuth, "The Art of Computer Programming",
 * volume 3, 5.2.5), in time linear in the number of items.  Digits have 8 bits,
 * or 11 if there are many items; items are not moved for a digit that is the
 * same in all keys.  A few items are sorted by insertion.
 *
 * Define these macros, then include this file, once for each function:
 *
 *	RADIX_SORT				the name of the function
 *	RADIX_ITEM				the type of an item
 *	RADIX_KEY(item)			its key, an unsigned integer
 *	RADIX_KEY_BITS			the size of keys
 *
 * This defines
 *
 *	static RADIX_ITEM *RADIX_SORT(RADIX_ITEM *items, RADIX_ITEM *scratch,
 *								  size_t count)
 *
 * which sorts items by key; the sort is stable.  scratch has room for count
 * items.  The function returns the sorted array, which is one of the two; the
 * other is overwritten.  It checks for interrupts and allocates no memory.
 *
 *-------------------------------------------------------------------------
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "interrupt.h"

#ifndef RADIX_MANY
#define RADIX_FEW 24			/* up to here an insertion sort is faster */
#define RADIX_MANY 2048			/* from here on, long digits are faster */
#define RADIX_DIGIT_BITS 8
#define RADIX_MAX_BITS 11
#define RADIX_MAX_DIGITS (1 << RADIX_MAX_BITS)
#endif

/* Sort items by key. */
static RADIX_ITEM *
RADIX_SORT(RADIX_ITEM *items, RADIX_ITEM *scratch, size_t count)
{
	size_t		places[RADIX_MAX_DIGITS];
	int			bits = count < RADIX_MANY ? RADIX_DIGIT_BITS : RADIX_MAX_BITS;
	size_t		mask = ((size_t) 1 << bits) - 1;

	if (count <= RADIX_FEW)
	{
		for (size_t i = 1; i < count; i++)
		{
			RADIX_ITEM	item = items[i];
			size_t		place = i;

			for (; place > 0 && RADIX_KEY(items[place - 1]) > RADIX_KEY(item); place--)
				items[place] = items[place - 1];
			items[place] = item;
		}
		return items;
	}
	for (int shift = 0; shift < RADIX_KEY_BITS; shift += bits)
	{
		RADIX_ITEM *sorted = scratch;
		size_t		place = 0;

		memset(places, 0, sizeof(size_t) << bits);
		for (size_t i = 0; i < count; i++)
		{
			check_sometimes(i);
			places[RADIX_KEY(items[i]) >> shift & mask]++;
		}
		if (places[RADIX_KEY(items[0]) >> shift & mask] == count)
			continue;
		for (size_t digit = 0; digit <= mask; digit++)
		{
			size_t		size = places[digit];

			places[digit] = place;
			place += size;
		}
		for (size_t i = 0; i < count; i++)
		{
			check_sometimes(i);
			sorted[places[RADIX_KEY(items[i]) >> shift & mask]++] = items[i];
		}
		scratch = items;
		items = sorted;
	}
	return items;
}

#undef RADIX_SORT
#undef RADIX_ITEM
#undef RADIX_KEY
#undef RADIX_KEY_BITS
