/*-------------------------------------------------------------------------
 *
 * shingle_set.c
 *	  The set of the shingles of a text, by their hashes, or a sample of it.
 *
 * If a sample is enough, only hashes up to a limit are kept.  Since hashes are
 * uniformly distributed, the Jaccard similarity of two samples estimates that
 * of the sets (Broder 1997, "mod m"); small sets can have empty samples.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "advice.h"
#include "compat.h"
#include "sign/to_minhash.h"
#include "support/server_memory.h"

/* Start with memory for small sets, and all hashes to be kept. */
void
shingle_set_begin(ShingleSet *set)
{
	set->room = 2 * SHINGLE_HASHES_AT_ONCE;
	set->hashes = palloc(sizeof(uint64) * set->room);
	set->highest = PG_UINT64_MAX;
}

/* Free the memory. */
void
shingle_set_end(ShingleSet *set)
{
	pfree(set->hashes);
}

/* Keep the hashes that are new and not too high. */
static void
add_low(void *state, const uint64 *hashes, int count)
{
	ShingleSet *set = state;

	if (set->room - set->count < SHINGLE_HASHES_AT_ONCE)
	{
		set->room *= 2;
		set->hashes = repalloc_huge(set->hashes, sizeof(uint64) * (Size) set->room);
	}
	for (int i = 0; i < count; i++)
		if (hashes[i] <= set->highest &&
			hash_table_enter(&set->table, hashes[i])->value++ == 0)
			set->hashes[set->count++] = hashes[i];
}

/* Replace the hashes, by a table of those seen. */
void
shingle_set_read(ShingleSet *set, text *document, uint32 shingling)
{
	Size		size = VARSIZE_ANY_EXHDR(document);

	hash_table_begin(&set->table, Min(size, HASH_TABLE_MOST_EXPECTED),
					 server_secret());
	set->count = 0;
	shingle_hashes_read(VARDATA_ANY(document), size, shingling, 0, add_low, set);
	hash_table_end(&set->table);
}
