/*-------------------------------------------------------------------------
 *
 * shingle_hashes.c
 *	  Hash the shingles of a text, as a set or as a bag.
 *
 * A shingling is a set or a bag (multiset).  In a bag the i-th occurrence of a
 * shingle is an element of its own, hashed from the shingle's hash and i, so
 * the occurrences must be counted.
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
#include "core/text/shingle.h"
#include "shingle_hashes.h"
#include "support/server_memory.h"
#include "support/utf8.h"

/* Up to here a table has room for a shingle of each byte; beyond, it grows. */
#define MAX_EXPECTED 65536

/* Read the text in batches; in a bag, hash the number of each occurrence, too. */
void
shingle_hashes_read(const char *bytes, Size len, uint32 shingling, int32 seed,
					TakeHashes take, void *state)
{
	ShingleReader reader;
	uint64		hashes[HASHES_AT_ONCE];
	bool		is_bag = shingling_is_bag(shingling);
	HashTable	seen;			/* a shingle's occurrences so far */
	char	   *utf8 = utf8_from_bytes(bytes, len, &len);

	if (is_bag)
		hash_table_begin(&seen, HASHES_AT_ONCE, server_secret(), &server_memory);
	shingle_begin(&reader, shingling, seed, utf8, len);
	while (!reader.done)
	{
		int			count = shingle_next(&reader, hashes, HASHES_AT_ONCE);

		CHECK_FOR_INTERRUPTS();
		if (count < 0)
			utf8_report_invalid();
		if (is_bag)
			for (int i = 0; i < count; i++)
				hashes[i] = shingle_hash_occurrence(hashes[i],
													++hash_table_enter(&seen, hashes[i])->value,
													reader.seed);
		take(state, hashes, count);
	}
	if (is_bag)
		hash_table_end(&seen);
	if (utf8 != bytes)
		pfree(utf8);
}

/*** Sets ***/

/* Start with memory for small sets, and all hashes to be kept. */
void
shingle_set_begin(ShingleSet *set)
{
	set->context = CurrentMemoryContext;
	set->count = 0;
	set->room = 2 * HASHES_AT_ONCE;
	set->hashes = palloc(sizeof(uint64) * set->room);
	set->highest = PG_UINT64_MAX;
	hash_table_begin(&set->table, 0, server_secret(), &server_memory);
}

/* Free the memory. */
void
shingle_set_end(ShingleSet *set)
{
	pfree(set->hashes);
	hash_table_end(&set->table);
}

/* Keep the hashes that are new and not too high. */
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
		if (hashes[i] <= set->highest &&
			hash_table_enter(&set->table, hashes[i])->value++ == 0)
			set->hashes[set->count++] = hashes[i];
}

/* Start a new table, and fill it. */
void
shingle_set_read(ShingleSet *set, text *document, uint32 shingling)
{
	MemoryContext caller = MemoryContextSwitchTo(set->context);
	Size		size = VARSIZE_ANY_EXHDR(document);

	hash_table_end(&set->table);
	hash_table_begin(&set->table, Min(size, MAX_EXPECTED), server_secret(),
					 &server_memory);
	set->count = 0;
	shingle_hashes_read(VARDATA_ANY(document), size, shingling, 0, add_low, set);
	MemoryContextSwitchTo(caller);
}

/* Look the hashes of one set up in the table of the other. */
uint32
shingle_set_common(const ShingleSet *a, const ShingleSet *b)
{
	uint32		common = 0;

	for (uint32 i = 0; i < b->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		common += hash_table_find(&a->table, b->hashes[i])->value != 0;
	}
	return common;
}
