/*-------------------------------------------------------------------------
 *
 * gin_buckets.c
 *	  Read the buckets of a GIN index of signatures.
 *
 * The leaf pages of the entry tree are read from left to right.  They contain
 * every key once, with a posting list or the root of a posting tree.  Rows on
 * the pending list are only counted.
 *
 * Each page of the entry tree is copied under a share lock and processed
 * without one.  Page splits only move keys to the right, where the scan is
 * still to come, and GIN never deletes pages of the entry tree.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/gin_private.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "compat.h"
#include "core/bands.h"
#include "gin_buckets.h"
#include "minhash_gin.h"

/* Return the number of the first column of signatures, or 0. */
AttrNumber
gin_signature_column(Relation index)
{
	for (AttrNumber column = 1; column <= index->rd_att->natts; column++)
		if (index_getprocinfo(index, column, GIN_EXTRACTVALUE_PROC)->fn_addr ==
			minhash_gin_extract_value)
			return column;
	return 0;
}

/* Copy a page of an index under a share lock. */
static void
copy_page(Relation index, BlockNumber block, char *copy)
{
	Buffer		buffer = ReadBuffer(index, block);

	CHECK_FOR_INTERRUPTS();
	LockBuffer(buffer, GIN_SHARE);
	memcpy(copy, BufferGetPage(buffer), BLCKSZ);
	UnlockReleaseBuffer(buffer);
}

/* Return the leftmost leaf of a posting tree, pinned and share-locked. */
static Buffer
first_posting_leaf(Relation index, BlockNumber root)
{
	BlockNumber block = root;

	for (;;)
	{
		Buffer		buffer = ReadBuffer(index, block);
		Page		page;

		LockBuffer(buffer, GIN_SHARE);
		page = BufferGetPage(buffer);
		if (GinPageIsLeaf(page))
			return buffer;
		block = PostingItemGetBlockNumber(GinDataPageGetPostingItem(page,
																	FirstOffsetNumber));
		UnlockReleaseBuffer(buffer);
	}
}

/* Add the rows of a posting tree to a bucket. */
static void
count_posting_tree(Relation index, BlockNumber root, KeyBucket *bucket)
{
	Buffer		buffer = first_posting_leaf(index, root);

	for (;;)
	{
		Page		page = BufferGetPage(buffer);
		ItemPointerData from_start;
		ItemPointer rows;
		int			count = 0;

		ItemPointerSetMin(&from_start);
		if (!GinPageIsDeleted(page))
		{
			rows = GinDataLeafPageGetItems(page, &count, from_start);
			bucket_add_rows(bucket, rows, count);
			if (rows != NULL)	/* VACUUM may leave an empty page */
				pfree(rows);
		}
		if (GinPageRightMost(page))
			break;
		buffer = ginStepRight(buffer, index, GIN_SHARE);
		/* Interrupts are held off while the page is locked. */
		LockBuffer(buffer, GIN_UNLOCK);
		CHECK_FOR_INTERRUPTS();
		LockBuffer(buffer, GIN_SHARE);
	}
	UnlockReleaseBuffer(buffer);
}

/* Add the rows of an entry tuple to a bucket. */
static void
read_bucket(Relation index, GinState *state, AttrNumber column,
			IndexTuple tuple, KeyBucket *bucket)
{
	if (GinIsPostingTree(tuple))
		count_posting_tree(index, GinGetPostingTree(tuple), bucket);
	else
	{
		int			count;
		ItemPointer rows = ginReadTuple(state, column, tuple, &count);

		bucket_add_rows(bucket, rows, count);
		pfree(rows);
	}
}

/* Call a visitor for each bucket on a leaf page of the entry tree. */
static void
visit_leaf(Relation index, GinState *state, AttrNumber column, Page page,
		   BucketVisitor visit, void *arg)
{
	OffsetNumber last = PageGetMaxOffsetNumber(page);

	for (OffsetNumber i = FirstOffsetNumber; i <= last; i++)
	{
		IndexTuple	tuple = (IndexTuple) PageGetItem(page,
													 PageGetItemId(page, i));
		KeyBucket	bucket = {.table = index->rd_index->indrelid};
		GinNullCategory category;
		Datum		key;

		if (gintuple_get_attrnum(state, tuple) != column)
			continue;
		key = gintuple_get_key(state, tuple, &category);
		bucket.key = category == GIN_CAT_NORM_KEY ?
			(uint64) DatumGetInt64(key) : 0;
		if (category != GIN_CAT_NORM_KEY ||
			band_of_key(bucket.key) >= BAND_MAX)
			continue;			/* NULL, or a key of a kind */
		read_bucket(index, state, column, tuple, &bucket);
		if (bucket.entries > 0)
			visit(&bucket, arg);
	}
}

/* Call a visitor for each bucket of an index, in key order. */
void
gin_visit_buckets(Relation index, AttrNumber column, BucketVisitor visit, void *arg)
{
	PGAlignedBlock copy;
	Page		page = (Page) copy.data;
	BlockNumber block = GIN_ROOT_BLKNO;
	GinState	state;

	initGinState(&state, index);
	while (block != InvalidBlockNumber)
	{
		copy_page(index, block, copy.data);
		if (!GinPageIsLeaf(page))
		{
			ItemId		first = PageGetItemId(page, FirstOffsetNumber);

			block = GinGetDownlink((IndexTuple) PageGetItem(page, first));
			continue;
		}
		visit_leaf(index, &state, column, page, visit, arg);
		block = GinPageGetOpaque(page)->rightlink;
	}
}

/* Return the number of rows on the pending list. */
int64
gin_count_pending(Relation index)
{
	PGAlignedBlock copy;

	copy_page(index, GIN_METAPAGE_BLKNO, copy.data);
	return GinPageGetMeta((Page) copy.data)->nPendingHeapTuples;
}
