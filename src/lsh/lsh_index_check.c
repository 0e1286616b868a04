/*-------------------------------------------------------------------------
 *
 * lsh_index_check.c
 *	  lsh_index_check(index [, heapallindexed]): check an lsh index.
 *
 * The check reads every page, and compares every entry of the tree with the
 * record that it names, whose key it computes again.  With heapallindexed, each
 * visible row of the table must have a record with its signature, and the
 * record must have all of its entries; so searches find every such row.
 *
 * Concurrent sessions may insert, but not VACUUM the table.  So a record may be
 * new, or lack some of its entries so far, but no number changes its meaning.
 * On a standby, VACUUM can be replayed during the check; therefore an entry
 * that occurs twice is no fault there.
 *
 * For a partitioned index, the check covers the indexes of all partitions.
 *
 * An index of passages does not have the texts, so its entries can be compared
 * only with the table, under heapallindexed: the check adds up 64-bit hashes of
 * the keys of each record, and compares the sum with that of the row's text.
 *
 * Memory: 12 bytes for each row, and one bit for each possible key, or 8 bytes
 * for each place of the store of passages.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/index.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "core/hash.h"
#include "lsh_common.h"
#include "lsh_index.h"
#include "lsh_store.h"
#include "lsh_tree.h"
#include "support/owner.h"
#include "support/server_memory.h"

/*
 * How often the check reads the inner pages to find the parent of a leaf.  It
 * can miss the parent only if that is split at the same time.
 */
#define MAX_TRIES 10

/* A row of the index: its TID, and its record or UINT32_MAX for NULL. */
typedef struct StoredRow
{
	ItemPointerData tid;
	uint32		number;
} StoredRow;

/* State of a check. */
typedef struct Check
{
	Relation	index;
	LshLayout	layout;
	BlockNumber blocks;			/* of the index when the check began */
	LshMeta		meta;			/* when the check began */
	int			bands;
	uint8	   *seen_blocks;	/* bitmap of blocks that a page refers to */
	uint8	   *found;			/* bitmap of entries: number * bands + band */
	uint64		keys;			/* number of its bits */
	uint32	   *store_pages;	/* of passages: 1 for the first page of the
								 * store, and so on, by block */
	uint32		store_count;
	uint64	   *sums;			/* of passages: hashes of keys, by record */
	StoredRow  *rows;			/* check_heap() sorts them by TID */
	Size		row_count;
	Size		row_max;
	uint16	   *slots;
	MemoryContext row_context;	/* reset after each row of the table */
} Check;

/* Report damage. */
static void
report(const Check *check, BlockNumber block, const char *detail)
{
	lsh_report_damage(check->index, block, detail);
}

/* Return true if a page refers to a block. */
static bool
is_named(const Check *check, BlockNumber block)
{
	return (check->seen_blocks[block / 8] >> block % 8) & 1;
}

/* Mark a block as referred to; report a second reference to it. */
static void
name_block(Check *check, BlockNumber block, BlockNumber by)
{
	if (block >= RelationGetNumberOfBlocks(check->index))
		report(check, by, "It refers to a block beyond the end of the index.");
	if (block >= check->blocks)
		return;					/* added since the check began */
	if (is_named(check, block))
		report(check, block, "Two pages refer to it.");
	check->seen_blocks[block / 8] |= (uint8) (1 << block % 8);
}

/* Remember a row. */
static void
keep_row(Check *check, ItemPointerData tid, uint32 number)
{
	if (check->row_count == check->row_max)
	{
		check->row_max *= 2;
		check->rows = repalloc_huge(check->rows,
									sizeof(StoredRow) * check->row_max);
	}
	check->rows[check->row_count].tid = tid;
	check->rows[check->row_count++].number = number;
}

/*** The store ***/

/* Check a record, and remember its row. */
static void
check_record(Check *check, Page page, BlockNumber block, int place)
{
	const LshLayout *layout = &check->layout;
	Planes		planes;
	ItemPointerData tid;

	if (place >= layout->per_page)
		report(check, block, "It has a record beyond its end.");
	tid = lsh_record_tid(layout, page, place);
	if (!ItemPointerIsValid(&tid))
		report(check, block, "A record has no valid TID.");
	keep_row(check, tid, lsh_number(layout, block, place));
	if (layout->content == LSH_PASSAGES)
		return;
	planes = lsh_record_planes(layout, page, place);
	planes_join(&planes, layout->kind.num_hashes, layout->kind.method,
				check->slots);
	if (!slots_are_valid(check->slots, layout->kind.num_hashes,
						 layout->kind.method) ||
		!planes_are_of(&planes, check->slots, layout->kind.num_hashes,
					   layout->kind.method))
		report(check, block, "The signature of a record is not valid.");
}

/* Check a store page. */
static void
check_store_page(Check *check, BlockNumber block)
{
	Buffer		buffer = lsh_read(check->index, block, BUFFER_LOCK_SHARE,
								  LSH_STORE);
	Page		page = BufferGetPage(buffer);

	if (LshPageStore(page)->num_hashes != check->layout.kind.num_hashes)
	{
		if (!lsh_store_is_empty(page))
			report(check, block, "It has records of another kind than the index.");
	}
	else
		for (int place = 0; place < 8 * (int) lsh_used_size(page); place++)
			if (lsh_record_is_used(page, place))
				check_record(check, page, block, place);
	if (block < check->blocks)
		check->store_pages[block] = ++check->store_count;
	UnlockReleaseBuffer(buffer);
}

/* Check a list of pages, and each page with check_page unless that is NULL. */
static void
check_list(Check *check, BlockNumber block, LshPageType type,
		   void (*check_page) (Check *, Page, BlockNumber))
{
	BlockNumber by = LSH_META_BLOCK;

	while (block != InvalidBlockNumber)
	{
		Buffer		buffer;

		name_block(check, block, by);
		buffer = lsh_read(check->index, block, BUFFER_LOCK_SHARE, type);
		if (check_page != NULL)
			check_page(check, BufferGetPage(buffer), block);
		by = block;
		block = LshHead(BufferGetPage(buffer))->right;
		UnlockReleaseBuffer(buffer);
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * Check the list of directory pages.  The first is empty if parallel workers
 * have added all rows, and a walk over the store passes from an empty page to
 * the next one without a stop, so that this cannot be done during the walk.
 */
static void
check_directory(Check *check)
{
	check_list(check, LSH_FIRST_DIRECTORY, LSH_DIRECTORY, NULL);
	if (check->meta.last_directory >= check->blocks ||
		!is_named(check, check->meta.last_directory))
		report(check, check->meta.last_directory,
			   "It is not the last page of the directory.");
}

/* Check all store pages. */
static void
check_store(Check *check)
{
	BlockNumber block;
	LshWalk		walk;

	lsh_walk_begin(&walk);
	while ((block = lsh_walk_next(check->index, &walk)) != InvalidBlockNumber)
	{
		name_block(check, block, LSH_FIRST_DIRECTORY);
		check_store_page(check, block);
		CHECK_FOR_INTERRUPTS();
	}
}

/* Check the TIDs of a page of NULLs. */
static void
check_nulls(Check *check, Page page, BlockNumber block)
{
	for (int i = 0; i < lsh_nulls_count(page); i++)
	{
		if (!ItemPointerIsValid(&LshTids(page)[i]))
			report(check, block, "A TID is not valid.");
		keep_row(check, LshTids(page)[i], UINT32_MAX);
	}
}

/*** The tree ***/

/* Check that a child has the level and the lowest key of its parent's entry. */
static void
check_child(Check *check, BlockNumber block, int level, uint64 lo)
{
	Buffer		buffer = lsh_read(check->index, block, BUFFER_LOCK_SHARE,
								  LSH_TREE);
	LshTree    *tree = LshPageTree(BufferGetPage(buffer));

	if (tree->level != level || tree->lo != lo)
		report(check, block, "It is not the page that its parent says it is.");
	UnlockReleaseBuffer(buffer);
}

/* Check an inner page and the inner pages below it. */
static void
check_inner(Check *check, BlockNumber block)
{
	Buffer		buffer = lsh_read(check->index, block, BUFFER_LOCK_SHARE,
								  LSH_TREE);
	PGAlignedBlock *copy = palloc(sizeof(PGAlignedBlock));
	Page		page = (Page) copy->data;
	LshTree    *tree = LshPageTree(page);
	int			count;

	memcpy(copy->data, BufferGetPage(buffer), BLCKSZ);
	UnlockReleaseBuffer(buffer);
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	count = lsh_tree_count(page);
	if (tree->level == 0 || LshKeys(page)[0] != tree->lo)
		report(check, block, "Its first child does not begin where it does.");
	for (int i = 0; i < count; i++)
	{
		uint64		key = LshKeys(page)[i];

		if (key < tree->lo || key > tree->hi ||
			(i > 0 && i < tree->sorted && key < LshKeys(page)[i - 1]))
			report(check, block, "Its children are not in order.");
		name_block(check, LshNumber(page, i), block);
		check_child(check, LshNumber(page, i), tree->level - 1, key);
		if (tree->level > 1)
			check_inner(check, LshNumber(page, i));
	}
	pfree(copy);
}

/* Return the band that an entry of a record stands for, or -1. */
static int
entry_band(const Check *check, Page page, int i, uint32 number)
{
	LshTree    *tree = LshPageTree(page);
	uint64		key;

	lsh_store_slots(check->index, &check->layout, number, check->slots);
	if (!lsh_remake_key(&check->layout, check->slots,
						lsh_fragment_key(tree, LshFragments(page)[i]),
						tree->shift, tree->hi, &key))
		return -1;
	return band_of_key(key);
}

/* Return the place where the keys of a record are added up, or NULL. */
static uint64 *
sum_of(const Check *check, uint32 number)
{
	const LshLayout *layout = &check->layout;
	BlockNumber block = lsh_number_block(layout, number);

	if (block >= check->blocks || check->store_pages[block] == 0)
		return NULL;			/* added since the check began */
	return &check->sums[(Size) (check->store_pages[block] - 1) * layout->per_page +
						lsh_number_place(layout, number)];
}

/* Check that the record of an entry of passages exists, and add its key. */
static void
add_entry(Check *check, Page page, int i)
{
	uint32		number = LshNumber(page, i);
	uint64	   *sum = sum_of(check, number);

	lsh_store_check(check->index, &check->layout, number);
	if (sum != NULL)
		*sum += mix64(lsh_fragment_key(LshPageTree(page),
									   LshFragments(page)[i]) + 1);
}

/* Mark an entry of signatures as found. */
static void
mark_entry(Check *check, BlockNumber block, Page page, int i)
{
	uint32		number = LshNumber(page, i);
	int			band = entry_band(check, page, i, number);
	uint64		bit = (uint64) number * check->bands + band;

	if (band < 0)
		report(check, block, "An entry has a key that its record does not have.");
	if (bit >= check->keys)
		return;					/* of a record added since the check began */
	if (((check->found[bit / 8] >> bit % 8) & 1) && !RecoveryInProgress())
		report(check, block, "An entry occurs twice.");
	check->found[bit / 8] |= (uint8) (1 << bit % 8);
}

/* Check an entry of a leaf. */
static void
check_entry(Check *check, BlockNumber block, Page page, int i)
{
	if (i > 0 && i < LshPageTree(page)->sorted &&
		LshFragments(page)[i] < LshFragments(page)[i - 1])
		report(check, block, "Its entries are not in order.");
	if (check->layout.content == LSH_PASSAGES)
		add_entry(check, page, i);
	else
		mark_entry(check, block, page, i);
}

/*
 * Check that a leaf has a parent.  check_inner() may have missed a parent that
 * was split while it ran, so run it again with an empty bitmap.
 */
static void
check_parent(Check *check, BlockNumber block)
{
	for (int tries = 0; !is_named(check, block); tries++)
	{
		if (tries == MAX_TRIES)
			report(check, block, "It has no parent.");
		memset(check->seen_blocks, 0, check->blocks / 8 + 1);
		check_inner(check, LSH_ROOT_BLOCK);
	}
}

/*
 * Check that a descent for the last key of a leaf leads to the leaf, or, if it
 * has been split since, to a new one.
 */
static void
check_way(Check *check, BlockNumber block, uint64 hi)
{
	BlockNumber found = lsh_tree_descend(check->index, hi, false);

	if (found != block && found < check->blocks)
		report(check, block, "A descent for its last key leads to another leaf.");
}

/* Check a leaf and how it continues the one before; return the next. */
static BlockNumber
check_leaf(Check *check, BlockNumber block, uint64 *next_lo, bool *one_key,
		   bool is_first)
{
	Buffer		buffer = lsh_read(check->index, block, BUFFER_LOCK_SHARE,
								  LSH_TREE);
	Page		page = BufferGetPage(buffer);
	LshTree    *tree = LshPageTree(page);
	BlockNumber right = tree->head.right;

	if (tree->level != 0)
		report(check, block, "It is not a leaf.");
	if (is_first ? tree->lo != 0 : tree->lo != *next_lo && tree->lo + 1 != *next_lo)
		report(check, block, "It does not begin where the leaf before it ends.");
	if (!is_first && tree->lo + 1 == *next_lo && !*one_key)
		report(check, block, "It shares a key with a leaf that also has other keys.");
	for (int i = 0; i < lsh_tree_count(page); i++)
		check_entry(check, block, page, i);
	if (right == InvalidBlockNumber && tree->hi != UINT64_MAX)
		report(check, block, "It is the last leaf, but does not end where keys do.");
	if (right != InvalidBlockNumber && tree->hi == UINT64_MAX)
		report(check, block, "It ends where keys do, but is not the last leaf.");
	*next_lo = tree->hi + 1;
	*one_key = tree->lo == tree->hi;
	UnlockReleaseBuffer(buffer);
	if (block < check->blocks)
		check_parent(check, block);
	if (!*one_key)
		check_way(check, block, *next_lo - 1);
	return right;
}

/* Check the inner pages, then all leaves from left to right. */
static void
check_tree(Check *check)
{
	BlockNumber block = lsh_tree_descend(check->index, 0, true);
	BlockNumber steps = 0;
	uint64		next_lo = 0;
	bool		is_first = true;
	bool		one_key = false;

	check_inner(check, LSH_ROOT_BLOCK);
	while (block != InvalidBlockNumber)
	{
		block = check_leaf(check, block, &next_lo, &one_key, is_first);
		is_first = false;
		CHECK_FOR_INTERRUPTS();
		lsh_step(check->index, block, &steps);
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
report_row(const Check *check, ItemPointer tid, const char *what)
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

/* Check that the index has a signature of the table and all of its entries. */
static void
check_signature(Check *check, ItemPointer tid, const MinHash *sig,
				uint32 number)
{
	if (!lsh_same_kind(&check->layout, sig))
		report_row(check, tid, "The index holds signatures of another kind.");
	lsh_store_slots(check->index, &check->layout, number, check->slots);
	if (memcmp(check->slots, sig->slots,
			   sizeof(uint16) * sig->num_hashes) != 0)
		report_row(check, tid, "The index has another signature for it.");
	if (slots_are_empty(sig->slots, sig->num_hashes))
		return;
	for (int band = 0; band < check->bands; band++)
	{
		uint64		bit = (uint64) number * check->bands + band;

		if (bit >= check->keys ||
			!((check->found[bit / 8] >> bit % 8) & 1))
			report_row(check, tid, "The index lacks an entry for one of its keys.");
	}
}

/* Check that the index has all entries of a text of the table, and no others. */
static void
check_text(Check *check, ItemPointer tid, text *document, uint32 number)
{
	uint64	   *found = sum_of(check, number);
	uint64		sum = 0;
	Size		count;
	uint64	   *keys = lsh_passage_keys(check->index, &check->layout, document,
										&count);

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
	Check	   *check = arg;
	StoredRow	row = {.tid = *tid};
	StoredRow  *found = bsearch(&row, check->rows, check->row_count,
								sizeof(StoredRow), compare_rows);
	MemoryContext old = MemoryContextSwitchTo(check->row_context);

	CHECK_FOR_INTERRUPTS();
	if (found == NULL)
		report_row(check, tid, "The index has no record for it.");
	else if (isnull[0] != (found->number == UINT32_MAX))
		report_row(check, tid, "It is NULL only in the table or only in the index.");
	else if (!isnull[0] && check->layout.content == LSH_PASSAGES)
		check_text(check, tid, DatumGetTextPP(values[0]), found->number);
	else if (!isnull[0])
		check_signature(check, tid, DatumGetWholeMinHash(values[0]),
						found->number);
	MemoryContextSwitchTo(old);
	MemoryContextReset(check->row_context);
}

/* Check that the index has all rows that a snapshot sees. */
static void
check_heap(Check *check, Relation heap, Snapshot snapshot)
{
	IndexInfo  *info = BuildIndexInfo(check->index);
	TableScanDesc scan = table_beginscan_strat(heap, snapshot, 0, NULL, true,
											   true);

	qsort(check->rows, check->row_count, sizeof(StoredRow), compare_rows);
	for (Size i = 1; i < check->row_count; i++)
		if (compare_rows(&check->rows[i - 1], &check->rows[i]) == 0 &&
			!RecoveryInProgress())
			report_row(check, &check->rows[i].tid, "The index has it twice.");
	/* With ii_Concurrent, the scan uses our snapshot. */
	info->ii_Concurrent = true;
	info->ii_Unique = false;
	table_index_build_scan(heap, check->index, info, true, false, check_row,
						   check, scan);
}

/*** Check ***/

/* Read the metapage, and allocate the bitmaps. */
static void
begin_check(Check *check, Relation index)
{
	memset(check, 0, sizeof(Check));
	check->index = index;
	check->meta = lsh_meta_read(index, NULL, &check->layout);
	check->blocks = RelationGetNumberOfBlocks(index);
	if (check->layout.kind.num_hashes != 0)
		check->bands = band_count(check->layout.kind.num_hashes);
	check->keys = ((uint64) check->blocks << check->layout.number_bits) *
		check->bands;
	check->seen_blocks = palloc0(check->blocks / 8 + 1);
	check->store_pages = alloc_zeros(check->blocks, sizeof(uint32));
	check->found = alloc_zeros(check->keys / 8 + 1, 1);
	check->row_max = 1024;
	check->rows = palloc(sizeof(StoredRow) * check->row_max);
	check->slots = palloc(sizeof(uint16) * SKETCH_MAX_HASHES);
	check->row_context = AllocSetContextCreate(CurrentMemoryContext,
											   "lsh check row",
											   ALLOCSET_DEFAULT_SIZES);
}

/* Raise an error for an index that cannot be checked. */
static void
refuse_others(Relation index)
{
	if (index->rd_rel->relkind != RELKIND_INDEX || !lsh_is_lsh_index(index))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not an index of access method lsh",
						RelationGetRelationName(index)),
				 errhint("The functions of amcheck check indexes of other methods.")));
	lsh_refuse_unusable(index);
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
						RelationGetRelationName(index))));
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
	Check		check;

	begin_check(&check, index);
	check_directory(&check);
	check_store(&check);
	check_list(&check, check.meta.first_nulls, LSH_NULLS, check_nulls);
	if (check.layout.content == LSH_PASSAGES)
	{
		check_list(&check, check.layout.common.first, LSH_COMMON, NULL);
		pfree(lsh_common_read(index, &check.layout.common));
		check.sums = alloc_zeros((uint64) check.store_count * check.layout.per_page,
								 sizeof(uint64));
	}
	check_tree(&check);
	if (with_heap)
	{
		check_heap(&check, heap, snapshot);
		UnregisterSnapshot(snapshot);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/* Return the table of an index. */
static Oid
table_of(Oid index)
{
	char	   *name = get_rel_name(index);
	Oid			table = IndexGetRelation(index, true);

	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("index with OID %u does not exist", index)));
	if (!OidIsValid(table))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not an index", name)));
	return table;
}

/*
 * Open an index and its table, and check them.
 *
 * Expressions of the index are code of the table's owner, so they run with the
 * privileges of the owner, as in REINDEX.
 */
static void
open_and_check(Oid index_oid, bool with_heap)
{
	LOCKMODE	lock = RecoveryInProgress() ? AccessShareLock :
		ShareUpdateExclusiveLock;
	Relation	heap = table_open(table_of(index_oid), lock);
	Relation	index = index_open(index_oid, lock);
	Caller		caller;

	refuse_others(index);
	caller = become_user(heap->rd_rel->relowner);
	check_index(heap, index, with_heap);
	become_caller(&caller);
	index_close(index, lock);
	table_close(heap, lock);
}

/* List the indexes of the partitions of a valid partitioned index. */
static List *
indexes_of_partitions(Oid index_oid)
{
	Relation	table = table_open(table_of(index_oid), AccessShareLock);
	Relation	index = relation_open(index_oid, AccessShareLock);
	List	   *leaves;

	lsh_refuse_unusable(index);
	leaves = lsh_index_leaves(index_oid);
	relation_close(index, AccessShareLock);
	table_close(table, NoLock);
	return leaves;
}

/* SQL function: check an index, or those of all partitions. */
PG_FUNCTION_INFO_V1(lsh_index_check);
Datum
lsh_index_check(PG_FUNCTION_ARGS)
{
	Oid			index = PG_GETARG_OID(0);
	List	   *indexes;
	ListCell   *cell;

	if (get_rel_relkind(index) == RELKIND_PARTITIONED_INDEX)
		indexes = indexes_of_partitions(index);
	else
		indexes = list_make1_oid(index);
	foreach(cell, indexes)
		open_and_check(lfirst_oid(cell), PG_GETARG_BOOL(1));
	PG_RETURN_VOID();
}
