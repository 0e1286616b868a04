/*-------------------------------------------------------------------------
 *
 * sample_join.c
 *	  Count common hashes by an inverted index of the sample.
 *
 * An inverted index maps each hash to the list of the sample's sets with that
 * hash.  To compare a set, scan the lists of its hashes and count each set on
 * them: the count is the size of the intersection.  This is exact, and takes
 * one step for each hash and for each hash in common with a set of the sample;
 * sets without common hashes cost nothing.
 *
 * The lists are in one array, laid out after all hashes have been counted, so
 * the sample is read twice.  Memory: 4 bytes for each hash of each set, plus 4
 * for each set and a hash table of 32 to 64 bytes for each hash.
 *
 *-------------------------------------------------------------------------
 */
#include "sample_join.h"

#include <string.h>

#include "core/base/interrupt.h"

/* Allocate all memory at once. */
void
sample_join_begin(SampleJoin *join, uint32_t sets, uint64_t hashes,
				  uint64_t secret, const Memory *memory)
{
	join->memory = memory;
	join->sets = sets;
	join->work = 0;
	hash_table_begin(&join->table, hashes, secret, memory);
	join->lists = memory->allocate(sizeof(uint32_t) * (size_t) hashes);
	join->common = memory->allocate(sizeof(uint32_t) * sets);
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

/* Let the lists follow each other in the order of the table. */
void
sample_join_place(SampleJoin *join)
{
	uint32_t	place = 0;

	for (size_t i = 0; i < hash_table_size(&join->table); i++)
	{
		check_sometimes(i);
		join->table.entries[i].extra = place;
		place += join->table.entries[i].value;
	}
}

/* Append a set to the list of each of its hashes. */
void
sample_join_add(SampleJoin *join, uint32_t set, const uint64_t *hashes,
				uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
	{
		HashEntry  *entry = hash_table_find(&join->table, hashes[i]);

		check_sometimes(i);
		/* Until the list is full, its end is the place of its next set. */
		join->lists[entry->extra++] = set;
	}
}

/* Scan the list of each hash. */
void
sample_join_compare(SampleJoin *join, const uint64_t *hashes, uint32_t count)
{
	uint32_t   *common = join->common;

	memset(common, 0, sizeof(uint32_t) * join->sets);
	for (uint32_t i = 0; i < count; i++)
	{
		const HashEntry *entry = hash_table_find(&join->table, hashes[i]);
		const uint32_t *list = join->lists + entry->extra - entry->value;

		check_sometimes(i);
		for (uint32_t j = 0; j < entry->value; j++)
			common[list[j]]++;
		join->work += entry->value + 1;
	}
	join->work += join->sets;
}

/* Release the memory. */
void
sample_join_end(SampleJoin *join)
{
	hash_table_end(&join->table);
	join->memory->release(join->lists);
	join->memory->release(join->common);
}
