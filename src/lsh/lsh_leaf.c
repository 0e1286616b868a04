/*-------------------------------------------------------------------------
 *
 * lsh_leaf.c
 *	  Finding, locking and searching the leaves of an lsh index.
 *
 * A leaf is found in the session's cache (lsh_cache.c) or by a descent.  Either
 * may be out of date by the time the leaf is locked; then the leaf for the key
 * lies further to the right.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "lsh_cache.h"
#include "lsh_leaf.h"
#include "lsh_search_sorted.h"
#include "lsh_tree.h"

/* Find the leaf for a key in the cache, or descend to it. */
BlockNumber
lsh_leaf_find(Relation index, uint64 key, bool leftmost)
{
	BlockNumber block = lsh_cached_leaf(index, key, leftmost);

	return block != InvalidBlockNumber ? block :
		lsh_tree_descend(index, key, leftmost);
}

/* Raise an error if a page is not the leaf for a key, or one left of it. */
static void
check_leaf(Relation index, Buffer buffer, uint64 key)
{
	LshTree    *tree = LshPageTree(BufferGetPage(buffer));

	if (tree->level != 0 || tree->lo > key ||
		(tree->hi < key && tree->head.right == InvalidBlockNumber))
		lsh_report_damage(index, BufferGetBlockNumber(buffer),
						  "It is not the leaf that the tree says it is.");
}

/* Lock the leaf for a key, moving right from the block found. */
Buffer
lsh_leaf_lock(Relation index, BlockNumber block, uint64 key, int lock,
			  bool wait)
{
	BlockNumber steps = 0;

	for (;;)
	{
		Buffer		buffer = lsh_pin_again(index, block);
		LshTree    *tree = LshPageTree(BufferGetPage(buffer));

		if (wait)
			LockBuffer(buffer, lock);
		else if (!ConditionalLockBuffer(buffer))
		{
			ReleaseBuffer(buffer);
			return InvalidBuffer;
		}
		lsh_page_check(index, buffer, LSH_TREE);
		check_leaf(index, buffer, key);
		if (tree->hi >= key)
			return buffer;
		block = tree->head.right;
		UnlockReleaseBuffer(buffer);
		lsh_step(index, block, &steps);
		/* This may lock inner pages, so not while the caller holds a leaf. */
		if (wait)
			lsh_cache_moved(index);
	}
}

/* Append the record numbers of a leaf whose fragments are in a range. */
static void
collect_leaf(Page page, uint64 lo, uint64 hi, LshNumbers *found)
{
	LshTree    *tree = LshPageTree(page);
	const uint32 *fragments = LshFragments(page);
	int			count = lsh_tree_count(page);
	uint32		from;
	uint32		to;
	uint32		largest;

	if (lo > tree->hi || hi < tree->lo)
		return;
	from = lsh_key_fragment(tree, Max(lo, tree->lo));
	to = lsh_key_fragment(tree, Min(hi, tree->hi));
	largest = lsh_key_fragment(tree, tree->hi);
	for (int i = lsh_first_from(fragments, false, tree->sorted, from,
								lsh_guess_place(from, largest, tree->sorted));
		 i < tree->sorted && fragments[i] <= to; i++)
		lsh_add_number(found, LshNumber(page, i));
	for (int i = tree->sorted; i < count; i++)
		if (fragments[i] - from <= to - from)
			lsh_add_number(found, LshNumber(page, i));
}

/* Append the record numbers of a range of keys. */
void
lsh_leaf_collect(Relation index, Snapshot snapshot, uint64 lo, uint64 hi,
				 LshNumbers *found)
{
	BlockNumber block = lsh_leaf_find(index, lo, true);
	BlockNumber steps = 0;
	Buffer		buffer = lsh_leaf_lock(index, block, lo, BUFFER_LOCK_SHARE, true);

	for (;;)
	{
		LshTree    *tree = LshPageTree(BufferGetPage(buffer));

		lsh_test_snapshot(snapshot, index, BufferGetPage(buffer));
		collect_leaf(BufferGetPage(buffer), lo, hi, found);
		block = tree->head.right;
		/* A key that fills this leaf may continue on the next. */
		if (tree->hi > hi || block == InvalidBlockNumber)
			break;
		UnlockReleaseBuffer(buffer);
		lsh_step(index, block, &steps);
		buffer = lsh_read_again(index, block, BUFFER_LOCK_SHARE, LSH_TREE);
		check_leaf(index, buffer, UINT64_MAX);
		if (LshPageTree(BufferGetPage(buffer))->lo > hi)
			break;
	}
	UnlockReleaseBuffer(buffer);
}

/* Read the entries of a leaf. */
BlockNumber
lsh_leaf_read(Relation index, BlockNumber block, LshEntry *entries, int *count)
{
	Buffer		buffer = lsh_read(index, block, BUFFER_LOCK_SHARE, LSH_TREE);
	Page		page = BufferGetPage(buffer);
	BlockNumber right = LshHead(page)->right;

	check_leaf(index, buffer, UINT64_MAX);
	*count = lsh_leaf_entries(page, entries);
	UnlockReleaseBuffer(buffer);
	return right;
}
