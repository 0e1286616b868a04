/*-------------------------------------------------------------------------
 *
 * radix_sort.c
 *	  Items are sorted by key, and those of one key keep their order.
 *
 *-------------------------------------------------------------------------
 */
#include "core/base/hash.h"
#include "unit.h"

#define MAX_ITEMS 200000

typedef struct Item
{
	uint64_t	key;
	uint32_t	place;			/* before the sort */
} Item;

#define RADIX_SORT sort_by_key
#define RADIX_ITEM Item
#define RADIX_KEY(item) ((item).key)
#define RADIX_KEY_BITS 64
#include "core/base/radix_sort.h"

#define RADIX_SORT sort_by_high_half
#define RADIX_ITEM Item
#define RADIX_KEY(item) ((uint32_t) ((item).key >> 32))
#define RADIX_KEY_BITS 32
#include "core/base/radix_sort.h"

static Item items[MAX_ITEMS];
static Item scratch[MAX_ITEMS];
static uint64_t keys[MAX_ITEMS];

/* Return true if items are sorted by their keys without the lowest bits. */
static bool
is_sorted(const Item *sorted, size_t count, int ignored_bits)
{
	for (size_t i = 0; i < count; i++)
	{
		uint64_t	key = sorted[i].key >> ignored_bits;
		uint64_t	last = i > 0 ? sorted[i - 1].key >> ignored_bits : 0;

		if (sorted[i].key != keys[sorted[i].place] || key < last)
			return false;
		if (i > 0 && key == last && sorted[i].place <= sorted[i - 1].place)
			return false;
	}
	return true;
}

/* Put the items of the keys into their first order. */
static void
deal(size_t count)
{
	for (size_t i = 0; i < count; i++)
		items[i] = (Item)
	{
		keys[i], (uint32_t) i
	};
}

/* Sort random keys that have some of their bits, except for one key. */
static void
check_sort(size_t count, uint64_t mask)
{
	static uint64_t random = 42;
	bool		sorted;

	for (size_t i = 0; i < count; i++)
		keys[i] = splitmix64(&random) & (i == count / 2 ? UINT64_MAX : mask);
	deal(count);
	sorted = is_sorted(sort_by_key(items, scratch, count), count, 0);
	deal(count);
	ok(sorted && is_sorted(sort_by_high_half(items, scratch, count), count, 32),
	   "%zu items, keys have the bits %016" PRIX64, count, mask);
}

int
main(void)
{
	static const size_t sizes[] = {0, 1, 2, 24, 25, 300, 2047, 2048, 2049, MAX_ITEMS};
	static const uint64_t masks[] = {
		UINT64_MAX, 0, 1, 15, UINT64_C(3) << 31, UINT64_C(1) << 63,
		UINT64_C(0xFFFFFFFF), UINT64_C(0xFFFFFFFF) << 32, UINT64_C(0xF000F000F000F)
	};

	for (int i = 0; i < lengthof(sizes); i++)
		for (int j = 0; j < lengthof(masks); j++)
			check_sort(sizes[i], masks[j]);
	ok(interrupt_checks >= 8 * MAX_ITEMS / CHECK_EVERY, "checks for interrupts");
	return done_testing();
}
