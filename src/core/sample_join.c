/*-------------------------------------------------------------------------
 *
 * sample_join.c
 *	  Compare sets that pass by with all sets of a sample.
 *
 * An inverted list: for every hash the numbers of the sets of the sample that
 * have it.  To compare a set, the lists of its hashes are gone through, and
 * every set on one is counted: the count is the size of the intersection.
 * That is exact, and takes as many steps as the set and the sample have hashes
 * in common, pair by pair; sets that have none in common cost nothing.
 *
 * The lists lie in one array, in a place that is known after all hashes have
 * been counted; so the sample is gone through twice.  Memory: 4 bytes for each
 * hash of each set, and 32 to 64 for each different hash.
 *
 *-------------------------------------------------------------------------
 */
#include "sample_join.h"

#include <string.h>

#include "interrupt.h"

#define MIN_SIZE_BITS 4

/* Begin a sample of so many sets and, together, hashes. */
void
sample_join_begin(SampleJoin *join, uint32_t sets, uint64_t hashes,
				  uint64_t secret, const Memory *memory)
{
	join->memory = memory;
	join->factor = secret | 1;
	join->sets = sets;
	join->work = 0;
	join->size_bits = MIN_SIZE_BITS;
	while ((uint64_t) 1 << join->size_bits < 2 * hashes)
		join->size_bits++;
	join->entries = memory->allocate(sizeof(SampleEntry) << join->size_bits);
	for (size_t i = 0; i < (size_t) 1 << join->size_bits; i++)
	{
		check_sometimes(i);
		join->entries[i].count = 0;
	}
	join->lists = memory->allocate(sizeof(uint32_t) * (size_t) hashes);
	join->common = memory->allocate(sizeof(uint32_t) * sets);
}

/* Find the entry of a hash, or the free one where it belongs. */
static inline SampleEntry *
find_entry(const SampleJoin *join, uint64_t hash)
{
	size_t		last = ((size_t) 1 << join->size_bits) - 1;
	size_t		i = (size_t) (hash * join->factor >> (64 - join->size_bits));

	while (join->entries[i].count != 0 && join->entries[i].hash != hash)
		i = i < last ? i + 1 : 0;
	return &join->entries[i];
}

/* Count the different hashes of a set of the sample. */
void
sample_join_count(SampleJoin *join, const uint64_t *hashes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
	{
		SampleEntry *entry = find_entry(join, hashes[i]);

		check_sometimes(i);
		entry->hash = hashes[i];
		entry->count++;
	}
}

/* Give every list its place, when all sets have been counted. */
void
sample_join_place(SampleJoin *join)
{
	uint32_t	place = 0;

	for (size_t i = 0; i < (size_t) 1 << join->size_bits; i++)
	{
		check_sometimes(i);
		join->entries[i].end = place;
		place += join->entries[i].count;
	}
}

/* Add a set of the sample, whose hashes have been counted. */
void
sample_join_add(SampleJoin *join, uint32_t set, const uint64_t *hashes,
				uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
	{
		SampleEntry *entry = find_entry(join, hashes[i]);

		check_sometimes(i);
		/* The place moves to the end of the list while it is filled. */
		join->lists[entry->end++] = set;
	}
}

/* Count what a set has in common with each of the sample. */
void
sample_join_compare(SampleJoin *join, const uint64_t *hashes, uint32_t count)
{
	uint32_t   *common = join->common;

	memset(common, 0, sizeof(uint32_t) * join->sets);
	for (uint32_t i = 0; i < count; i++)
	{
		const SampleEntry *entry = find_entry(join, hashes[i]);
		const uint32_t *list = join->lists + entry->end - entry->count;

		check_sometimes(i);
		for (uint32_t j = 0; j < entry->count; j++)
			common[list[j]]++;
		join->work += entry->count + 1;
	}
	join->work += join->sets;
}

/* Give the memory back. */
void
sample_join_end(SampleJoin *join)
{
	join->memory->release(join->entries);
	join->memory->release(join->lists);
	join->memory->release(join->common);
}
