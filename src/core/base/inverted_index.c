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
 * than a bitmap of all sets, the bitmap takes its place.  A bitmap consists of
 * rows of 256 sets, which bit_counts.h adds: about five operations for each row,
 * compared with one step of a list for each set.
 *
 * Lists and bitmaps are in one array, laid out after all hashes have been
 * counted, so the sample is read twice.  Memory: at most 4 bytes for each hash of
 * each set, plus 8 for each set and a hash table of 21 to 43 bytes for each
 * distinct hash.
 *
 *-------------------------------------------------------------------------
 */
#include "inverted_index.h"

#include <stdbool.h>
#include <string.h>

#include "bits.h"

#define AT_ONCE 128				/* hashes that are looked up together */
#define ROW_NUMBERS (ROW_BYTES / sizeof(uint32_t))	/* of a list, in a row's
													 * place */
#define COLUMN (COUNT_LEVELS * ROW_PARTS)	/* the counts of 256 sets */

/* Return the first place in memory that is aligned as rows are. */
static RowPart *
first_row(void *memory)
{
	return (RowPart *) (((uintptr_t) memory + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES);
}

/* Allocate all memory but that of lists. */
void
inverted_index_begin(InvertedIndex *index, uint32_t sets, uint64_t secret)
{
	index->columns = sets / ROW_BITS + 1;
	index->hashes = 0;
	hash_table_begin(&index->table, 0, secret);
	index->lists_memory = NULL;
	index->common = core_allocate(sizeof(uint32_t) * ROW_BITS * index->columns);
	index->counts_memory = core_allocate((COUNT_LEVELS * index->columns + 1) * ROW_BYTES);
	index->counts = first_row(index->counts_memory);
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

/* Return true if a bitmap, and the gap before it, take the place of a list. */
static inline bool
is_bitmap(const InvertedIndex *index, const HashEntry *entry)
{
	return entry->value >= (index->columns + 1) * ROW_NUMBERS;
}

/*
 * Let lists, to be filled from the end, and empty bitmaps follow each other,
 * after a bitmap without sets.
 */
void
inverted_index_place(InvertedIndex *index)
{
	uint32_t	words = index->columns * ROW_NUMBERS;
	uint32_t	place = words;

	index->lists_memory = core_allocate(sizeof(uint32_t) * (index->hashes + words) + ROW_BYTES);
	index->lists = (uint32_t *) first_row(index->lists_memory);
	memset(index->lists, 0, sizeof(uint32_t) * words);
	for (size_t i = 0; i < hash_table_size(&index->table); i++)
	{
		HashEntry  *entry = &index->table.entries[i];

		check_sometimes(i);
		if (is_bitmap(index, entry))
		{
			entry->extra = (place + ROW_NUMBERS - 1) / ROW_NUMBERS * ROW_NUMBERS;
			memset(index->lists + entry->extra, 0, sizeof(uint32_t) * words);
			place = entry->extra + words;
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
			((uint64_t *) (index->lists + entry->extra))[set / 64] |= UINT64_C(1) << set % 64;
		else
			index->lists[--entry->extra] = set;
	}
}

/*** Counts of bitmaps ***/

/*
 * Add bitmaps, given by the numbers of their first rows, to the counts, which are
 * at most total; there is room for ROWS_AT_ONCE - 1 more numbers.
 */
VECTOR_CLONES_WIDE static void
add_bitmaps(const InvertedIndex *index, uint32_t *rows, int bitmaps, uint32_t total)
{
	int			levels = total < 16 ? 4 : highest_bit(total) + 1;

	while (bitmaps % ROWS_AT_ONCE != 0)
		rows[bitmaps++] = 0;	/* the one without sets */
	for (uint32_t column = 0; column < index->columns; column++)
		bit_counts_add(index->counts + column * COLUMN, levels,
					   (const RowPart *) index->lists + column * ROW_PARTS,
					   rows, bitmaps);
}

/* Add the bits of a word, times a power of two, to the common hashes of 64 sets. */
VECTOR_CLONES static void
add_bits(uint32_t *restrict common, uint64_t bits, int power)
{
	for (int i = 0; i < 64; i++)
		common[i] += (uint32_t) (bits >> i & 1) << power;
}

/* Add the counts, which are at most total, to the common hashes. */
static void
take_counts(InvertedIndex *index, uint32_t total)
{
	for (uint32_t column = 0; column < index->columns && total > 0; column++)
		for (int level = 0; level <= highest_bit(total); level++)
		{
			uint64_t	words[ROW_WORDS];

			memcpy(words, index->counts + column * COLUMN + level * ROW_PARTS, ROW_BYTES);
			for (int word = 0; word < ROW_WORDS; word++)
				add_bits(index->common + column * ROW_BITS + word * 64, words[word], level);
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

/* Scan the lists of some entries, and add their bitmaps; return their number. */
static uint32_t
count_entries(InvertedIndex *index, const HashEntry **entries, uint32_t count,
			  uint32_t others)
{
	uint32_t	rows[AT_ONCE + ROWS_AT_ONCE];
	uint32_t	bitmaps = 0;

	for (uint32_t i = 0; i < count; i++)
	{
		const HashEntry *entry = entries[i];

		if (is_bitmap(index, entry))
		{
			rows[bitmaps++] = entry->extra / ROW_NUMBERS;
			continue;
		}
		for (uint32_t j = 0; j < entry->value; j++)
			index->common[index->lists[entry->extra + j]]++;
	}
	add_bitmaps(index, rows, (int) bitmaps, others + bitmaps);
	return bitmaps;
}

/* Look up the entries of some hashes at once. */
void
inverted_index_compare(InvertedIndex *index, const uint64_t *hashes, uint32_t count)
{
	uint32_t	bitmaps = 0;

	memset(index->common, 0, sizeof(uint32_t) * ROW_BITS * index->columns);
	memset(index->counts, 0, COUNT_LEVELS * index->columns * ROW_BYTES);
	for (uint32_t i = 0; i < count; i += AT_ONCE)
	{
		const HashEntry *found[AT_ONCE];
		uint32_t	some = count - i < AT_ONCE ? count - i : AT_ONCE;

		check_sometimes(i);
		find_entries(index, hashes + i, some, found);
		bitmaps += count_entries(index, found, some, bitmaps);
	}
	take_counts(index, bitmaps);
}

/* Release the memory. */
void
inverted_index_end(InvertedIndex *index)
{
	hash_table_end(&index->table);
	if (index->lists_memory != NULL)
		core_release(index->lists_memory);
	core_release(index->common);
	core_release(index->counts_memory);
}
