/*-------------------------------------------------------------------------
 *
 * sample_join.c
 *	  Count common hashes by an inverted index of the sample.
 *
 * An inverted index maps each hash to the sets of the sample that contain it.
 * To compare a set, count them for each of its hashes: the count of a set is
 * the size of the intersection.  This is exact, and sets without common hashes
 * cost nothing.
 *
 * Few sets are kept as a list of their numbers.  Where the list would be longer
 * than a bitmap of all sets, the bitmap takes its place.  Bitmaps are added for
 * many sets at once, by carry-save adders as in the population count of Harley
 * and Seal: at each power of two there are the bits of a sum, and possibly a
 * bitmap that waits.  If another one comes, the three are added, and the carry
 * goes to the next power.  So a bitmap costs about five operations for each
 * word, a list one step for each set.
 *
 * Lists and bitmaps are in one array, laid out after all hashes have been
 * counted, so the sample is read twice.  Memory: at most 4 bytes for each hash of
 * each set, plus 16 for each set and a hash table of 21 to 43 bytes for each
 * distinct hash.
 *
 *-------------------------------------------------------------------------
 */
#include "sample_join.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/cache.h"
#include "core/base/interrupt.h"
#include "core/base/vector.h"

#define AT_ONCE 128				/* hashes that are looked up together */

/* Allocate all memory at once, except for the table, which grows. */
void
sample_join_begin(SampleJoin *join, uint32_t sets, uint64_t hashes,
				  uint64_t secret, const Memory *memory)
{
	join->memory = memory;
	join->words = sets / 32 + 1;
	join->work = 0;
	hash_table_begin(&join->table, 0, secret, memory);
	join->lists = memory->allocate(sizeof(uint32_t) * (size_t) hashes);
	join->common = memory->allocate(sizeof(uint32_t) * 32 * join->words);
	join->sums = memory_allocate_zeros(sizeof(uint32_t) * 3 * SAMPLE_JOIN_POWERS *
									   join->words, memory);
}

/* Count each hash, to know the length of its list. */
void
sample_join_count(SampleJoin *join, const uint64_t *hashes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
	{
		check_sometimes(i);
		hash_table_enter(&join->table, hashes[i])->value++;
	}
}

/* Return true if a bitmap takes the place of the list of an entry. */
static inline bool
is_bitmap(const SampleJoin *join, const HashEntry *entry)
{
	return entry->value > join->words;
}

/* Let lists, to be filled from the end, and empty bitmaps follow each other. */
void
sample_join_place(SampleJoin *join)
{
	uint32_t	place = 0;

	for (size_t i = 0; i < hash_table_size(&join->table); i++)
	{
		HashEntry  *entry = &join->table.entries[i];

		check_sometimes(i);
		entry->extra = place;
		if (is_bitmap(join, entry))
		{
			memset(join->lists + place, 0, sizeof(uint32_t) * join->words);
			place += join->words;
		}
		else
			entry->extra = place += entry->value;
	}
}

/* Add a set to the list or the bitmap of each of its hashes. */
void
sample_join_add(SampleJoin *join, uint32_t set, const uint64_t *hashes,
				uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
	{
		HashEntry  *entry = hash_table_find(&join->table, hashes[i]);

		check_sometimes(i);
		if (is_bitmap(join, entry))
			join->lists[entry->extra + set / 32] |= (uint32_t) 1 << set % 32;
		else
			join->lists[--entry->extra] = set;
	}
}

/*** Sums of bitmaps ***/

/* Add two bitmaps to the bits of a sum; sets the carry. */
VECTOR_CLONES static void
add_two(uint32_t *restrict sum, const uint32_t *restrict a,
		const uint32_t *restrict b, uint32_t *restrict carry, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++)
	{
		uint32_t	one = sum[i] ^ a[i];
		uint32_t	both = sum[i] & a[i];

		sum[i] = one ^ b[i];
		carry[i] = both | (one & b[i]);
	}
}

/*
 * Add a bitmap after some others.  A bitmap waits at each power of two that is
 * in their number.  The two carries to such a power are kept apart.
 */
static void
add_bitmap(SampleJoin *join, const uint32_t *bitmap, uint32_t others)
{
	const uint32_t **waiting = join->waiting;
	uint32_t	words = join->words;

	for (uint32_t *sum = join->sums; others & 1; sum += 3 * words)
	{
		uint32_t   *carry;

		others /= 2;
		carry = sum + (1 + (others & 1)) * words;
		add_two(sum, *waiting++, bitmap, carry, words);
		bitmap = carry;
	}
	*waiting = bitmap;
}

/* Add the bits of a bitmap, times a power of two, to the counts. */
VECTOR_CLONES static void
add_bits(uint32_t *restrict common, const uint32_t *restrict bitmap,
		 uint32_t words, int power)
{
	for (uint32_t i = 0; i < words; i++, common += 32)
	{
		uint32_t	bits = bitmap[i];

		for (int j = 0; j < 32; j++)
			common[j] += (bits >> j & 1) << power;
	}
}

/* Add the sums of the bitmaps, and those that wait, to the counts. */
static void
take_sums(SampleJoin *join, uint32_t bitmaps)
{
	uint32_t	words = join->words;
	uint32_t   *sum = join->sums;

	for (int power = 0; bitmaps >> power > 0; power++, sum += 3 * words)
	{
		add_bits(join->common, sum, words, power);
		memset(sum, 0, sizeof(uint32_t) * words);
		if (bitmaps >> power & 1)
			add_bits(join->common, join->waiting[power], words, power);
	}
}

/*** Comparison ***/

/* Find the entries of hashes, while the processor loads entries and lists. */
static void
find_entries(const SampleJoin *join, const uint64_t *hashes, uint32_t count,
			 const HashEntry **found)
{
	for (uint32_t i = 0; i < count; i++)
		prefetch_line(&join->table.entries[hash_table_home(&join->table, hashes[i])]);
	for (uint32_t i = 0; i < count; i++)
	{
		found[i] = hash_table_find(&join->table, hashes[i]);
		prefetch_line(join->lists + found[i]->extra);
		prefetch_line(join->lists + found[i]->extra + CACHE_LINE / sizeof(uint32_t) - 1);
	}
}

/* Scan the list or add the bitmap of each hash. */
void
sample_join_compare(SampleJoin *join, const uint64_t *hashes, uint32_t count)
{
	const HashEntry *found[AT_ONCE];
	uint32_t	bitmaps = 0;

	memset(join->common, 0, sizeof(uint32_t) * 32 * join->words);
	for (uint32_t i = 0; i < count; i++)
	{
		const HashEntry *entry;
		const uint32_t *list;

		check_sometimes(i);
		if (i % AT_ONCE == 0)
			find_entries(join, hashes + i, count - i < AT_ONCE ? count - i : AT_ONCE, found);
		entry = found[i % AT_ONCE];
		list = join->lists + entry->extra;
		if (is_bitmap(join, entry))
			add_bitmap(join, list, bitmaps++);
		else
		{
			for (uint32_t j = 0; j < entry->value; j++)
				join->common[list[j]]++;
			join->work += entry->value;
		}
	}
	take_sums(join, bitmaps);
	join->work += count + (uint64_t) bitmaps * join->words + 32 * join->words;
}

/* Release the memory. */
void
sample_join_end(SampleJoin *join)
{
	hash_table_end(&join->table);
	join->memory->release(join->lists);
	join->memory->release(join->common);
	join->memory->release(join->sums);
}
