/*-------------------------------------------------------------------------
 *
 * shingle_set.c
 *	  Hashes of the distinct shingles of a text, or a sample of them.
 *
 * If a sample is enough, only hashes up to a limit are kept.  Since hashes are
 * uniformly distributed, the Jaccard similarity of two samples estimates that
 * of the sets (Broder 1997, "mod m"); small sets can have empty samples.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/hash.h"
#include "shingle_hashes.h"
#include "shingle_set.h"
#include "support/secret.h"

/* Start with memory for small sets, and all hashes to be kept. */
void
shingle_set_begin(ShingleSet *set)
{
	set->context = CurrentMemoryContext;
	set->count = 0;
	set->room = 2 * HASHES_AT_ONCE;
	set->hashes = palloc(sizeof(uint64) * set->room);
	set->highest = PG_UINT64_MAX;
	set->factor = lshsim_secret() | 1;
	set->table_size = 0;
	set->table = palloc(sizeof(uint32));
}

/* Free the memory. */
void
shingle_set_end(ShingleSet *set)
{
	pfree(set->hashes);
	pfree(set->table);
}

/* Keep the hashes that are not too high. */
static void
add_low(void *state, const uint64 *hashes, int count)
{
	ShingleSet *set = state;

	if (set->room - set->count < HASHES_AT_ONCE)
	{
		set->room *= 2;
		set->hashes = repalloc_huge(set->hashes, sizeof(uint64) * (Size) set->room);
	}
	for (int i = 0; i < count; i++)
	{
		set->hashes[set->count] = hashes[i];
		set->count += hashes[i] <= set->highest;
	}
}

/* Clear the hash table, and make it at least twice as large as the set. */
static void
clear_table(ShingleSet *set)
{
	uint32		size = 16;

	while (size < 2 * (uint64) set->count)
		size *= 2;
	if (size > set->table_size)
	{
		pfree(set->table);
		set->table = MemoryContextAllocHuge(set->context,
											sizeof(uint32) * (Size) size);
	}
	set->table_size = size;
	for (uint32 i = 0; i < size; i++)
	{
		CHECK_FOR_INTERRUPTS();
		set->table[i] = 0;
	}
}

/* Find the entry of a hash in the table, or the free entry where it belongs. */
static inline uint32
find_entry(const ShingleSet *set, uint64 hash)
{
	int			shift = 64 - highest_bit(set->table_size);
	uint32		place = (uint32) (hash * set->factor >> shift);

	while (set->table[place] != 0 &&
		   set->hashes[set->table[place] - 1] != hash)
		place = (place + 1) & (set->table_size - 1);
	return place;
}

/* Keep the first of equal hashes, and fill the table. */
static void
remove_repetitions(ShingleSet *set)
{
	uint32		kept = 0;

	clear_table(set);
	for (uint32 i = 0; i < set->count; i++)
	{
		uint64		hash = set->hashes[i];
		uint32		place = find_entry(set, hash);

		CHECK_FOR_INTERRUPTS();
		if (set->table[place] != 0)
			continue;
		set->hashes[kept] = hash;
		set->table[place] = ++kept;
	}
	set->count = kept;
}

/* Read the set of a text's shingles. */
void
shingle_set_read(ShingleSet *set, text *document, uint32 shingling)
{
	set->count = 0;
	read_shingle_hashes(VARDATA_ANY(document), VARSIZE_ANY_EXHDR(document),
						shingling, 0, add_low, set);
	remove_repetitions(set);
}

/* Count the hashes that two sets share. */
uint32
shingle_set_common(const ShingleSet *a, const ShingleSet *b)
{
	uint32		common = 0;

	for (uint32 i = 0; i < b->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		common += a->table[find_entry(a, b->hashes[i])] != 0;
	}
	return common;
}
