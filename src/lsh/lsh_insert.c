/*-------------------------------------------------------------------------
 *
 * lsh_insert.c
 *	  Inserting a row into an lsh index.
 *
 * The record is written first, then an entry for each of its keys, in the
 * order of the keys.  An insertion waits for a leaf only while it holds no
 * other.  It takes further leaves for the same WAL record only if their locks
 * are free, so there can be no deadlock.
 *
 * A row has tens of leaves, which are rarely in the processor's cache.  So
 * their heads, and the ends where entries go, are prefetched before the first
 * leaf is locked.
 *
 * A crash in between leaves a record that lacks some of its entries.  Its row
 * belongs to an aborted transaction, and VACUUM removes both.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "lsh.h"

/*
 * Add entries for the first keys that a leaf covers to a change, while the leaf
 * has room; return their number.
 */
static int
put_entries(LshWal *wal, Buffer leaf, const uint64 *keys, int count,
			uint32 number)
{
	Page		page = BufferGetPage(leaf);
	LshTree    *tree = LshPageTree(page);
	int			room = LSH_LEAF_MAX - lsh_tree_count(page);
	uint32		fragments[BAND_MAX];
	uint32		numbers[BAND_MAX];
	int			added = 0;

	for (; added < Min(room, count) && keys[added] <= tree->hi; added++)
	{
		fragments[added] = lsh_key_fragment(tree, keys[added]);
		numbers[added] = number;
	}
	if (added > 0)
		lsh_wal_entries(wal, leaf, fragments, sizeof(uint32) * added, numbers,
						added);
	return added;
}

/*
 * Insert entries for the first keys, on as many leaves as fit in a WAL record;
 * return their number.  *full is set if the leaf for the next key has no room.
 */
static int
insert_some(Relation index, const uint64 *keys, const BlockNumber *blocks,
			int count, uint32 number, bool *full)
{
	Buffer		buffers[LSH_WAL_PAGES];
	LshWal		wal;
	int			pages = 0;
	int			done = 0;

	*full = false;
	lsh_wal_begin(&wal, index);
	while (done < count && pages < LSH_WAL_PAGES && !*full)
	{
		Buffer		buffer = lsh_leaf_lock(index, blocks[done], keys[done],
										   false, BUFFER_LOCK_EXCLUSIVE,
										   pages == 0);

		if (!BufferIsValid(buffer))
			break;
		done += put_entries(&wal, buffer, keys + done, count - done, number);
		*full = done < count &&
			keys[done] <= LshPageTree(BufferGetPage(buffer))->hi;
		buffers[pages++] = buffer;
	}
	lsh_wal_finish(&wal);
	while (pages > 0)
		UnlockReleaseBuffer(buffers[--pages]);
	return done;
}

/* Insert the entries of a record, given its keys in ascending order. */
static void
insert_entries(Relation index, const LshLayout *layout, const uint64 *keys,
			   int count, uint32 number)
{
	BlockNumber blocks[BAND_MAX];
	int			done = 0;

	lsh_find_leaves(index, keys, count, blocks);
	while (done < count)
	{
		bool		full;

		CHECK_FOR_INTERRUPTS();
		done += insert_some(index, keys + done, blocks + done, count - done,
							number, &full);
		if (full)
		{
			BlockNumber leaf = lsh_tree_find(index, keys[done], false);

			/* The cache may name the first, full leaf of several for a key. */
			if (leaf == blocks[done])
				lsh_tree_split(index, layout, keys[done]);
			blocks[done] = leaf;
			lsh_cache_missed(index);
		}
	}
}

/* Insert a row that is not NULL. */
static void
insert_value(Relation index, Datum value, ItemPointer tid)
{
	LshLayout	layout;
	const MinHash *sig;
	uint64	   *keys;
	Size		count;
	uint32		number;

	lsh_meta_read(index, NULL, &layout);
	sig = lsh_signature(&layout, value);
	if (sig != NULL)
		lsh_meta_take_kind(index, sig, &layout);
	keys = lsh_keys(index, &layout, sig, value, &count);
	number = lsh_store_add(index, &layout, sig, tid);
	for (Size done = 0; done < count; done += BAND_MAX)
		insert_entries(index, &layout, keys + done,
					   (int) Min(count - done, BAND_MAX), number);
}

/* Insert a row: aminsert. */
bool
lsh_insert(Relation index, Datum *values, bool *isnull, ItemPointer tid,
		   Relation heap, IndexUniqueCheck unique, bool unchanged,
		   IndexInfo *info)
{
	MemoryContext context;
	MemoryContext old;

	if (isnull[0])
	{
		LshLayout	layout;

		lsh_meta_read(index, NULL, &layout);
		lsh_list_add(index, LSH_NULLS, tid, sizeof(ItemPointerData),
					 InvalidBuffer, NULL);
		return false;
	}
	context = AllocSetContextCreate(CurrentMemoryContext, "lsh insert",
									ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	insert_value(index, values[0], tid);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return false;
}
