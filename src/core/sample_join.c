/*-------------------------------------------------------------------------
 *
 * sample_join.c
 *	  Compare a stream of sets with all sets of a sample.
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

#include "interrupt.h"

#define MIN_SIZE_BITS 4

/* Begin with a number of sets and the total number of their hashes. */
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
	join->entries = allocate_zeros(sizeof(SampleEntry) << join->size_bits, memory);
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

/* Count the hashes of a set of the sample. */
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

/* Lay out the lists. */
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

/* Add a set of the sample. */
void
sample_join_add(SampleJoin *join, uint32_t set, const uint64_t *hashes,
				uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
	{
		SampleEntry *entry = find_entry(join, hashes[i]);

		check_sometimes(i);
		/* Until the list is full, end is the place of its next set. */
		join->lists[entry->end++] = set;
	}
}

/* Count the hashes that a set has in common with each set of the sample. */
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

/* Release the memory. */
void
sample_join_end(SampleJoin *join)
{
	join->memory->release(join->entries);
	join->memory->release(join->lists);
	join->memory->release(join->common);
}
