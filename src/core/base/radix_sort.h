/*-------------------------------------------------------------------------
 *
 * radix_sort.h
 *	  A radix sort: a template, in the style of sort_template.h of the server.
 *
 * Least significant digit first (Knuth, "The Art of Computer Programming",
 * volume 3, 5.2.5), in time linear in the number of items.  Digits have 8 bits,
 * or 11 if there are many items; a digit that is the same in all keys costs no
 * pass.  A few items are sorted by insertion.
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
 * other is overwritten.  It checks for interrupts and allocates no memory, but
 * uses up to 16 kB of the stack for every 11 bits of a key.
 *
 *-------------------------------------------------------------------------
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "host.h"
#include "processor.h"

#ifndef RADIX_MANY
#define RADIX_FEW 24			/* up to here an insertion sort is faster */
#define RADIX_MANY 2048			/* from here on, long digits are faster */
#define RADIX_SHORT 8			/* bits of a digit */
#define RADIX_LONG 11
#define RADIX_PASSES(bits) ((RADIX_KEY_BITS + (bits) - 1) / (bits))
#define RADIX_NAME(name, suffix) RADIX_JOIN(name, suffix)
#define RADIX_JOIN(name, suffix) name##suffix
#endif

#define RADIX_SORT_DIGITS RADIX_NAME(RADIX_SORT, _digits)
#define RADIX_SORT_LARGE RADIX_NAME(RADIX_SORT, _large)

/* Sort items by digits of some bits, a constant, so that loops are unrolled. */
VECTOR_PART RADIX_ITEM *
RADIX_SORT_DIGITS(RADIX_ITEM * items, RADIX_ITEM * scratch, size_t count,
				  size_t *counts, int bits)
{
	size_t		digits = (size_t) 1 << bits;

	memset(counts, 0, sizeof(size_t) * digits * RADIX_PASSES(bits));
	for (size_t i = 0; i < count; i++)
	{
		check_sometimes(i);
		for (int pass = 0; pass < RADIX_PASSES(bits); pass++)
			counts[pass * digits + (RADIX_KEY(items[i]) >> pass * bits & (digits - 1))]++;
	}
	for (int pass = 0; pass < RADIX_PASSES(bits); pass++)
	{
		size_t	   *places = counts + pass * digits;
		int			shift = pass * bits;
		RADIX_ITEM *sorted = scratch;
		size_t		place = 0;

		if (places[RADIX_KEY(items[0]) >> shift & (digits - 1)] == count)
			continue;
		for (size_t digit = 0; digit < digits; digit++)
		{
			size_t		size = places[digit];

			places[digit] = place;
			place += size;
		}
		for (size_t i = 0; i < count; i++)
		{
			check_sometimes(i);
			sorted[places[RADIX_KEY(items[i]) >> shift & (digits - 1)]++] = items[i];
		}
		scratch = items;
		items = sorted;
	}
	return items;
}

/* Sort more than a few items; apart, because small sorts need no large stack. */
static RADIX_ITEM *
RADIX_SORT_LARGE(RADIX_ITEM * items, RADIX_ITEM * scratch, size_t count)
{
	size_t		counts[RADIX_PASSES(RADIX_LONG) << RADIX_LONG];

	return count < RADIX_MANY ?
		RADIX_SORT_DIGITS(items, scratch, count, counts, RADIX_SHORT) :
		RADIX_SORT_DIGITS(items, scratch, count, counts, RADIX_LONG);
}

/* Sort items by key. */
static RADIX_ITEM *
RADIX_SORT(RADIX_ITEM * items, RADIX_ITEM * scratch, size_t count)
{
	if (count > RADIX_FEW)
		return RADIX_SORT_LARGE(items, scratch, count);
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

#undef RADIX_SORT_DIGITS
#undef RADIX_SORT_LARGE
#undef RADIX_SORT
#undef RADIX_ITEM
#undef RADIX_KEY
#undef RADIX_KEY_BITS
