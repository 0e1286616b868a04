/*-------------------------------------------------------------------------
 *
 * lsh_index_check.c
 *	  lsh_index_check(index [, heapallindexed]): check an lsh index.
 *
 * The check reads every page.  It descends through the inner ones for the first
 * and the last key of each leaf, and compares every entry of a leaf with the
 * record that it names, whose key it computes again.  With heapallindexed, each
 * visible row of the table must have a record with its signature, and the
 * record must have exactly its entries; so searches find every such row.  For
 * the latter, the check adds up 64-bit hashes of the keys of each record, and
 * compares the sum with that of the row.  An index of passages does not have
 * the texts, so its entries can be compared only with the table.
 *
 * Concurrent sessions may insert, but not VACUUM the table.  So a record may be
 * new, or lack some of its entries so far, but no number changes its meaning.
 * On a standby, VACUUM can be replayed during the check; therefore a row that
 * occurs twice is no fault there, and the list of free leaves is not checked.
 *
 * For a partitioned index, the check covers the indexes of all partitions.
 *
 * Memory: 12 bytes for each row, and 8 bytes for each place of the store.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/index.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "storage/lmgr.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "core/base/hash.h"
#include "lsh.h"
#include "support/objects.h"
#include "support/server_memory.h"

/* A row of the index: its TID, and its record or UINT32_MAX for NULL. */
typedef struct StoredRow
{
	ItemPointerData tid;
	uint32		number;
} StoredRow;

/* State of a check. */
typedef struct IndexCheck
{
	Relation	index;
	LshLayout	layout;
	BlockNumber blocks;			/* of the index when the check began */
	LshMeta		meta;			/* when the check began */
	bool		may_change;		/* by VACUUM, as the check began on a standby */
	uint32	   *store_pages;	/* by block: 1 for the first page of the
								 * store, and so on, 0 for other pages */
	uint32		store_count;
	uint64	   *sums;			/* by place: hashes of the keys of a record */
	uint64		lo;				/* range of keys of the last leaf */
	uint64		hi;
	StoredRow  *rows;			/* check_heap() sorts them by TID */
	Size		row_count;
	Size		row_max;
	uint16		slots[SKETCH_MAX_HASHES];
	MemoryContext row_context;	/* reset after each row of the table */
} IndexCheck;

/* Remember a row. */
static void
keep_row(IndexCheck *check, ItemPointerData tid, uint32 number)
{
	check->rows = lsh_grow(check->rows, check->row_count, &check->row_max,
						   sizeof(StoredRow));
	check->rows[check->row_count++] = (StoredRow) {tid, number};
}

/*** The store ***/

/* Check a record, and remember its row. */
static void
check_record(IndexCheck *check, Page page, BlockNumber block, int place)
{
	const LshLayout *layout = &check->layout;
	Planes		planes;

	if (place >= layout->per_page)
		lsh_report_damage(check->index, block, "It has a record beyond its end.");
	keep_row(check, lsh_record_tid(check->index, layout, page, block, place),
			 lsh_number(layout, block, place));
	if (layout->content == LSH_PASSAGES)
		return;
	planes = lsh_record_planes(layout, page, place);
	planes_join(&planes, layout->kind.num_hashes, layout->kind.method,
				check->slots);
	if (!slots_are_valid(check->slots, layout->kind.num_hashes,
						 layout->kind.method) ||
		!planes_are_of(&planes, check->slots, layout->kind.num_hashes,
					   layout->kind.method))
		lsh_report_damage(check->index, block, "The signature of a record is not valid.");
}

/* Check all store pages. */
static void
check_store(IndexCheck *check)
{
	LshPass		pass = {0};
	int			bits = 8 * (int) (check->layout.start - LSH_STORE_HEAD);
	Buffer		buffer;

	lsh_pass_all(check->index, &pass);
	while ((buffer = lsh_pass_next(check->index, &check->layout, &pass)) != InvalidBuffer)
	{
		for (int place = 0; place < bits; place++)
			if (lsh_record_is_used(BufferGetPage(buffer), place))
				check_record(check, BufferGetPage(buffer), pass.block, place);
		UnlockReleaseBuffer(buffer);
		if (pass.block < check->blocks) /* not added since the check began */
			check->store_pages[pass.block] = ++check->store_count;
	}
}

/*
 * Check a list of pages, which must have the page named by the metapage where
 * items are added, and the rows on it, if it is that of NULLs.
 */
static void
check_pages(IndexCheck *check, BlockNumber block, BlockNumber tail, LshPageType type)
{
	BlockNumber steps = 0;
	bool		has_tail = tail == InvalidBlockNumber;

	while (block != InvalidBlockNumber)
	{
		Buffer		buffer = lsh_read(check->index, block, BUFFER_LOCK_SHARE,
									  type, NULL);
		Page		page = BufferGetPage(buffer);

		for (int i = 0; type == LSH_NULLS && i < lsh_nulls_count(page); i++)
		{
			lsh_check_tid(check->index, block, &LshTids(page)[i]);
			keep_row(check, LshTids(page)[i], UINT32_MAX);
		}
		has_tail |= block == tail;
		block = LshHead(page)->right;
		UnlockReleaseBuffer(buffer);
		lsh_check_loop(check->index, block, &steps);
	}
	if (!has_tail)
		lsh_report_damage(check->index, LSH_META_BLOCK, "A page that it names is not in its list.");
}

/*** The tree ***/

/* Return the place where the keys of a record are added up, or NULL. */
static uint64 *
sum_of(const IndexCheck *check, uint32 number)
{
	const LshLayout *layout = &check->layout;
	BlockNumber block = lsh_number_block(layout, number);

	if (block >= check->blocks || check->store_pages[block] == 0)
		return NULL;			/* added since the check began */
	return &check->sums[(Size) (check->store_pages[block] - 1) * layout->per_page +
						lsh_number_place(layout, number)];
}

/* Check an entry of a leaf, and add its key to those of its record. */
static void
check_entry(IndexCheck *check, BlockNumber block, Page page, int i)
{
	LshTree    *tree = LshPageTree(page);
	uint32		number = LshNumber(page, i);
	uint64		key = lsh_fragment_key(tree, LshFragments(page)[i]);
	uint64	   *sum;

	CHECK_FOR_INTERRUPTS();
	if (i > 0 && i < tree->sorted &&
		LshFragments(page)[i] < LshFragments(page)[i - 1])
		lsh_report_damage(check->index, block, "Its entries are not in order.");
	lsh_store_slots(check->index, &check->layout, number, check->slots);
	if (check->layout.content == LSH_SIGNATURES &&
		!lsh_remake_key(&check->layout, check->slots, key, tree->shift,
						tree->hi, &key))
		lsh_report_damage(check->index, block, "An entry has a key that its record does not have.");
	sum = sum_of(check, number);
	if (sum != NULL)
		*sum += mix64(key + 1);
}

/* Check a leaf and how it continues the one before. */
static void
check_leaf(IndexCheck *check, BlockNumber block, Page page)
{
	LshTree    *tree = LshPageTree(page);
	BlockNumber right = tree->head.right;

	if (tree->level != 0)
		lsh_report_damage(check->index, block, "It is not a leaf.");
	/* A key that fills a leaf may continue on the next. */
	if (tree->lo != check->hi + 1 &&
		(tree->lo != check->hi || check->lo != check->hi))
		lsh_report_damage(check->index, block, "It does not begin where the leaf before it ends.");
	if ((right == InvalidBlockNumber) != (tree->hi == UINT64_MAX))
		lsh_report_damage(check->index, block, "Only the last leaf ends where keys do.");
	for (int i = 0; i < lsh_tree_count(page); i++)
		check_entry(check, block, page, i);
	check->lo = tree->lo;
	check->hi = tree->hi;
}

/*
 * Check all leaves from left to right.  If VACUUM, or replay of it, may free
 * records and merge leaves, each is locked until the next one is.  As that holds
 * off interrupts, return false, to begin again, if a leaf changed while they were
 * handled: it may lead elsewhere now.
 */
static bool
walk_leaves(IndexCheck *check)
{
	Buffer		buffer = lsh_tree_lock(check->index, 0, true, BUFFER_LOCK_SHARE);
	BlockNumber steps = 0;
	PGAlignedBlock page;

	memset(check->sums, 0, sizeof(uint64) * check->store_count *
		   check->layout.per_page);
	check->hi = UINT64_MAX;		/* the first leaf begins at 0 */
	while (BufferIsValid(buffer))
	{
		BlockNumber block = BufferGetBlockNumber(buffer);

		memcpy(page.data, BufferGetPage(buffer), BLCKSZ);
		if (!check->may_change)
			UnlockReleaseBuffer(buffer);
		check_leaf(check, block, (Page) page.data);
		if (!check->may_change)
		{
			block = LshHead(page.data)->right;
			lsh_check_loop(check->index, block, &steps);
			buffer = block == InvalidBlockNumber ? InvalidBuffer :
				lsh_read(check->index, block, BUFFER_LOCK_SHARE, LSH_TREE, NULL);
			continue;
		}
		if (InterruptPending)
		{
			LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
			CHECK_FOR_INTERRUPTS();
			LockBuffer(buffer, BUFFER_LOCK_SHARE);
		}
		if (PageGetLSN(BufferGetPage(buffer)) != PageGetLSN((Page) page.data))
		{
			UnlockReleaseBuffer(buffer);
			return false;
		}
		buffer = lsh_leaf_next(check->index, buffer, &steps);
	}
	return true;
}

/*
 * Check all leaves, and that descents for the lowest key of each, and for the key
 * before it, lead to leaves with these keys.
 */
static void
check_leaves(IndexCheck *check)
{
	Size		count;
	LshEntry   *leaves;

	while (!walk_leaves(check))
		;
	leaves = lsh_tree_leaves(check->index, MaxBlockNumber, &count);
	for (Size i = 0; i < 2 * count; i++)
	{
		UnlockReleaseBuffer(lsh_tree_lock(check->index, leaves[i / 2].key,
										  i % 2 == 0, BUFFER_LOCK_SHARE));
		CHECK_FOR_INTERRUPTS();
	}
	pfree(leaves);
}

/*
 * Check that the list of free leaves names no other page.  If a split takes the
 * first of them in the meantime, begin again.
 */
static void
check_free_leaves(IndexCheck *check)
{
	Relation	index = check->index;
	BlockNumber first = check->meta.free_leaf;
	BlockNumber block = first;
	BlockNumber steps = 0;

	while (block != 0)
	{
		Buffer		buffer = lsh_read(index, block, BUFFER_LOCK_SHARE, LSH_TREE, NULL);
		const LshTree *tree = LshPageTree(BufferGetPage(buffer));
		bool		is_free = tree->lo == LSH_NO_KEY && tree->level == 0 &&
			lsh_tree_count(BufferGetPage(buffer)) == 0;
		BlockNumber next = tree->head.right;

		UnlockReleaseBuffer(buffer);
		lsh_check_loop(index, block, &steps);
		if (!is_free)
		{
			UnlockReleaseBuffer(lsh_meta_lock(index, BUFFER_LOCK_SHARE,
											  &check->meta));
			if (check->meta.free_leaf == first)
				lsh_report_damage(check->index, block, "It is listed as a free leaf, but is not free.");
			next = first = check->meta.free_leaf;
		}
		block = next;
	}
}

/*** The table ***/

/* Order two rows by their TIDs. */
static int
compare_rows(const void *a, const void *b)
{
	return ItemPointerCompare(&((StoredRow *) a)->tid,
							  &((StoredRow *) b)->tid);
}

/* Report a difference between table and index. */
static void
report_row(const IndexCheck *check, ItemPointer tid, const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_INDEX_CORRUPTED),
			 errmsg("index \"%s\" does not match its table at row (%u,%u)",
					RelationGetRelationName(check->index),
					ItemPointerGetBlockNumber(tid),
					ItemPointerGetOffsetNumber(tid)),
			 errdetail_internal("%s", what),
			 errhint("Rebuild the index with REINDEX INDEX.")));
}

/* Check that the record of a row has its signature, and exactly its entries. */
static void
check_value(IndexCheck *check, ItemPointer tid, Datum value, uint32 number)
{
	const MinHash *sig = lsh_signature(&check->layout, value);
	uint64	   *found = sum_of(check, number);
	uint64		sum = 0;
	uint64	   *keys;
	Size		count;

	if (sig != NULL)
	{
		if (!minhash_is_of_kind(sig, &check->layout.kind))
			report_row(check, tid, "The index holds signatures of another kind.");
		lsh_store_slots(check->index, &check->layout, number, check->slots);
		if (memcmp(check->slots, sig->slots,
				   sizeof(uint16) * sig->num_hashes) != 0)
			report_row(check, tid, "The index has another signature for it.");
	}
	keys = lsh_keys(check->index, &check->layout, sig, value, &count);
	for (Size i = 0; i < count; i++)
		sum += mix64(keys[i] + 1);
	if (found == NULL || *found != sum)
		report_row(check, tid, "The index has other keys for it.");
}

/* Check that the index has a row; called by table_index_build_scan(). */
static void
check_row(Relation index, ItemPointer tid, Datum *values, bool *isnull,
		  bool alive, void *arg)
{
	IndexCheck *check = arg;
	StoredRow	row = {.tid = *tid};
	StoredRow  *found = bsearch(&row, check->rows, check->row_count,
								sizeof(StoredRow), compare_rows);
	MemoryContext old = MemoryContextSwitchTo(check->row_context);

	CHECK_FOR_INTERRUPTS();
	if (found == NULL)
		report_row(check, tid, "The index has no record for it.");
	else if (isnull[0] != (found->number == UINT32_MAX))
		report_row(check, tid, "It is NULL only in the table or only in the index.");
	else if (!isnull[0])
		check_value(check, tid, values[0], found->number);
	MemoryContextSwitchTo(old);
	MemoryContextReset(check->row_context);
}

/* Check that the index has all rows that a snapshot sees. */
static void
check_heap(IndexCheck *check, Relation heap, Snapshot snapshot)
{
	IndexInfo  *info = BuildIndexInfo(check->index);
	TableScanDesc scan = table_beginscan_strat(heap, snapshot, 0, NULL, true,
											   true);

	qsort(check->rows, check->row_count, sizeof(StoredRow), compare_rows);
	for (Size i = 1; i < check->row_count; i++)
		if (compare_rows(&check->rows[i - 1], &check->rows[i]) == 0 &&
			!check->may_change)
			report_row(check, &check->rows[i].tid, "The index has it twice.");
	/* With ii_Concurrent, the scan uses our snapshot. */
	info->ii_Concurrent = true;
	info->ii_Unique = false;
	table_index_build_scan(heap, check->index, info, true, false, check_row,
						   check, scan);
}

/*** Check ***/

/* Read the metapage, and allocate memory. */
static void
begin_check(IndexCheck *check, Relation index)
{
	memset(check, 0, sizeof(IndexCheck));
	check->index = index;
	check->may_change = !CheckRelationLockedByMe(index, ShareUpdateExclusiveLock, true);
	check->meta = lsh_meta_read(index, NULL, &check->layout);
	check->blocks = RelationGetNumberOfBlocks(index);
	check->store_pages = server_alloc_zeros(check->blocks, sizeof(uint32));
	check->row_max = 1024;
	check->rows = palloc(sizeof(StoredRow) * check->row_max);
	check->row_context = AllocSetContextCreate(CurrentMemoryContext,
											   "lsh check row",
											   ALLOCSET_DEFAULT_SIZES);
}

/* Take a snapshot all of whose rows the index must have. */
static Snapshot
take_snapshot(Relation index)
{
	Snapshot	snapshot = RegisterSnapshot(GetTransactionSnapshot());

	if (IsolationUsesXactSnapshot() && index->rd_index->indcheckxmin &&
		!TransactionIdPrecedes(HeapTupleHeaderGetXmin(index->rd_indextuple->t_data),
							   snapshot->xmin))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("index \"%s\" cannot be checked with the snapshot of this transaction",
						RelationGetRelationName(index)),
				 errdetail("Rows were changed while it was built, and this transaction may see them as they were."),
				 errhint("Retry in a new transaction.")));
	return snapshot;
}

/* Check an index and, if asked for, its table. */
static void
check_index(Relation heap, Relation index, bool with_heap)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "lsh check",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Snapshot	snapshot = with_heap ? take_snapshot(index) : NULL;
	IndexCheck	check;

	begin_check(&check, index);
	check_pages(&check, LSH_FIRST_DIRECTORY, check.meta.last_directory,
				LSH_DIRECTORY);
	check_store(&check);
	check_pages(&check, check.meta.first_nulls, check.meta.free_nulls, LSH_NULLS);
	if (check.layout.content == LSH_PASSAGES)
		pfree(lsh_grams_read(index, &check.layout.common));
	check.sums = server_alloc_zeros((uint64) check.store_count * check.layout.per_page,
									sizeof(uint64));
	check_leaves(&check);
	if (!check.may_change)
		check_free_leaves(&check);
	if (with_heap)
	{
		check_heap(&check, heap, snapshot);
		UnregisterSnapshot(snapshot);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/*
 * Open an index and its table, and check it or the indexes of its partitions.
 *
 * Expressions of the index are code of the table's owner, so they run with the
 * privileges of the owner, as in REINDEX.
 */
static void
open_and_check(Oid index_oid, bool with_heap)
{
	LOCKMODE	lock = RecoveryInProgress() ? AccessShareLock :
		ShareUpdateExclusiveLock;
	Relation	index = lsh_open_index(index_oid, lock);
	Relation	heap = table_open(index->rd_index->indrelid, NoLock);
	ListCell   *cell;

	if (index->rd_rel->relkind == RELKIND_INDEX)
	{
		Caller		caller = owner_become(heap->rd_rel->relowner);

		check_index(heap, index, with_heap);
		owner_become_caller(&caller);
	}
	else
		foreach(cell, find_inheritance_children(index_oid, NoLock))
			open_and_check(lfirst_oid(cell), with_heap);
	relation_close(index, lock);
	table_close(heap, lock);
}

/* SQL function: check an index, or those of all partitions. */
PG_FUNCTION_INFO_V1(lsh_index_check);
Datum
lsh_index_check(PG_FUNCTION_ARGS)
{
	open_and_check(PG_GETARG_OID(0), PG_GETARG_BOOL(1));
	PG_RETURN_VOID();
}
