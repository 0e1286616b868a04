/*-------------------------------------------------------------------------
 *
 * inverted_index.c
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
#include "inverted_index.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/cache.h"
#include "core/base/interrupt.h"
#include "core/base/vector.h"

#define AT_ONCE 128				/* hashes that are looked up together */

/* Allocate all memory but that of lists. */
void
inverted_index_begin(InvertedIndex *index, uint32_t sets, uint64_t secret,
					 const Memory *memory)
{
	index->memory = memory;
	index->words = sets / 32 + 1;
	index->work = 0;
	index->hashes = 0;
	hash_table_begin(&index->table, 0, secret, memory);
	index->lists = NULL;
	index->common = memory->allocate(sizeof(uint32_t) * 32 * index->words);
	index->sums = memory_allocate_zeros(sizeof(uint32_t) * 3 * INVERTED_INDEX_POWERS *
										index->words, memory);
}

/* Count each hash, to know the length of its list. */
void
inverted_index_count(InvertedIndex *index, const uint64_t *hashes, uint32_t count)
{
	index->hashes += count;
	for (uint32_t i = 0; i < count; i++)
	{
		check_sometimes(i);
		hash_table_enter(&index->table, hashes[i])->value++;
	}
}

/* Return true if a bitmap takes the place of the list of an entry. */
static inline bool
is_bitmap(const InvertedIndex *index, const HashEntry *entry)
{
	return entry->value > index->words;
}

/* Let lists, to be filled from the end, and empty bitmaps follow each other. */
void
inverted_index_place(InvertedIndex *index)
{
	uint32_t	place = 0;

	index->lists = index->memory->allocate(sizeof(uint32_t) * index->hashes);
	for (size_t i = 0; i < hash_table_size(&index->table); i++)
	{
		HashEntry  *entry = &index->table.entries[i];

		check_sometimes(i);
		entry->extra = place;
		if (is_bitmap(index, entry))
		{
			memset(index->lists + place, 0, sizeof(uint32_t) * index->words);
			place += index->words;
		}
		else
			entry->extra = place += entry->value;
	}
}

/* Add a set to the list or the bitmap of each of its hashes. */
void
inverted_index_add(InvertedIndex *index, uint32_t set, const uint64_t *hashes,
				   uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
	{
		HashEntry  *entry = hash_table_find(&index->table, hashes[i]);

		check_sometimes(i);
		if (is_bitmap(index, entry))
			index->lists[entry->extra + set / 32] |= (uint32_t) 1 << set % 32;
		else
			index->lists[--entry->extra] = set;
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
add_bitmap(InvertedIndex *index, const uint32_t *bitmap, uint32_t others)
{
	const uint32_t **waiting = index->waiting;
	uint32_t	words = index->words;

	for (uint32_t *sum = index->sums; others & 1; sum += 3 * words)
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
take_sums(InvertedIndex *index, uint32_t bitmaps)
{
	uint32_t	words = index->words;
	uint32_t   *sum = index->sums;

	for (int power = 0; bitmaps >> power > 0; power++, sum += 3 * words)
	{
		add_bits(index->common, sum, words, power);
		memset(sum, 0, sizeof(uint32_t) * words);
		if (bitmaps >> power & 1)
			add_bits(index->common, index->waiting[power], words, power);
	}
}

/*** Comparison ***/

/* Find the entries of hashes, while the processor loads entries and lists. */
static void
find_entries(const InvertedIndex *index, const uint64_t *hashes, uint32_t count,
			 const HashEntry **found)
{
	for (uint32_t i = 0; i < count; i++)
		prefetch_line(&index->table.entries[hash_table_home(&index->table, hashes[i])]);
	for (uint32_t i = 0; i < count; i++)
	{
		found[i] = hash_table_find(&index->table, hashes[i]);
		prefetch_line(index->lists + found[i]->extra);
		prefetch_line(index->lists + found[i]->extra + CACHE_LINE / sizeof(uint32_t) - 1);
	}
}

/* Scan the list or add the bitmap of each hash. */
void
inverted_index_compare(InvertedIndex *index, const uint64_t *hashes, uint32_t count)
{
	const HashEntry *found[AT_ONCE];
	uint32_t	bitmaps = 0;

	memset(index->common, 0, sizeof(uint32_t) * 32 * index->words);
	for (uint32_t i = 0; i < count; i++)
	{
		const HashEntry *entry;
		const uint32_t *list;

		check_sometimes(i);
		if (i % AT_ONCE == 0)
			find_entries(index, hashes + i, count - i < AT_ONCE ? count - i : AT_ONCE, found);
		entry = found[i % AT_ONCE];
		list = index->lists + entry->extra;
		if (is_bitmap(index, entry))
			add_bitmap(index, list, bitmaps++);
		else
		{
			for (uint32_t j = 0; j < entry->value; j++)
				index->common[list[j]]++;
			index->work += entry->value;
		}
	}
	take_sums(index, bitmaps);
	index->work += count + (uint64_t) bitmaps * index->words + 32 * index->words;
}

/* Release the memory. */
void
inverted_index_end(InvertedIndex *index)
{
	hash_table_end(&index->table);
	if (index->lists != NULL)
		index->memory->release(index->lists);
	index->memory->release(index->common);
	index->memory->release(index->sums);
}
