/*-------------------------------------------------------------------------
 *
 * lsh_insert.c
 *	  Add a row to an lsh index.
 *
 * The record comes first, then the entries of its keys, in their order.  A
 * crash in between leaves a record without some of its entries; its row is
 * that of an aborted transaction, and VACUUM removes both.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "lsh_am.h"
#include "lsh_store.h"
#include "lsh_tree.h"

/* Add the signature of a row. */
static void
insert_signature(Relation index, const MinHash *sig, ItemPointer tid)
{
	LshLayout	layout;
	uint32		number = lsh_store_add(index, sig, tid, &layout);
	uint64		keys[BAND_MAX];
	int			count = band_keys(sig->slots, sig->num_hashes, keys);

	/* Bands come in the order of their keys. */
	lsh_tree_insert(index, &layout, keys, count, number);
}

/* Add a row to the index. */
bool
lsh_insert(Relation index, Datum *values, bool *isnull, ItemPointer tid,
		   Relation heap, IndexUniqueCheck unique, bool unchanged,
		   IndexInfo *info)
{
	MemoryContext context;
	MemoryContext old;

	if (isnull[0])
	{
		lsh_nulls_add(index, tid);
		return false;
	}
	context = AllocSetContextCreate(CurrentMemoryContext, "lsh insert",
									ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	insert_signature(index, DatumGetWholeMinHash(values[0]), tid);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return false;
}
