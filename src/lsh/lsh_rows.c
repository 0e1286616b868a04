/*-------------------------------------------------------------------------
 *
 * lsh_rows.c
 *	  Reading the table for CREATE INDEX: store, directory, list of NULLs.
 *
 * Each process that reads a part of the table fills pages of its own.  At the
 * end it puts its lists of pages in front of the shared ones, so that only a
 * page still in memory has to be changed.
 *
 * The first live row sets the kind of the index.  A process that meets a dead one
 * before looks for a live one first, and lets the dead one set the kind only if
 * there is none.  Dead rows of the kind of the index are added, because after
 * REINDEX or VACUUM FULL snapshots that see them may use it.  Those of another
 * kind are omitted, which the server learns from broken_hot_chain: it keeps
 * snapshots that see them away from a new index.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tableam.h"
#include "catalog/index.h"
#include "utils/memutils.h"

#include "compat.h"
#include "lsh_add.h"
#include "lsh_common.h"
#include "lsh_rows.h"

/* A list of pages, of which the last is being filled in memory. */
typedef struct OpenList
{
	BlockNumber first;			/* invalid if the list is empty */
	BlockNumber block;			/* where the open page will be written */
	PGAlignedBlock image;
} OpenList;

/* State of a reader. */
struct LshReader
{
	Relation	heap;
	Relation	index;
	LshRows    *rows;
	LshSorter  *keys;
	bool		is_leader;
	MemoryContext row_context;	/* reset after each row */
	LshLayout	layout;			/* a copy of that in LshRows */
	bool		broken_hot_chain;	/* as in LshRows */
	double		table_rows;
	double		index_rows;
	BlockNumber store_block;	/* of the open page, or invalid */
	PGAlignedBlock store;
	int			place;			/* of the next record on it */
	OpenList	directory;
	OpenList	nulls;
};

/*** Lists of pages ***/

/* Write the open page of a list with its link to the right. */
static void
close_page(Relation index, OpenList *list, BlockNumber right)
{
	LshHead(list->image.data)->right = right;
	lsh_write_page(index, list->block, list->image.data);
}

/* Open a page that has been appended to the index, as the last of a list. */
static void
open_page(OpenList *list, BlockNumber block, LshPageType type)
{
	if (list->first == InvalidBlockNumber)
		list->first = block;
	list->block = block;
	lsh_page_init((Page) list->image.data, type);
}

/* Open the next page of a list. */
static void
open_next(Relation index, OpenList *list, LshPageType type)
{
	BlockNumber block = lsh_append_page(index);

	if (list->first != InvalidBlockNumber)
		close_page(index, list, block);
	open_page(list, block, type);
}

/* Append an item to a list. */
static void
append_item(Relation index, OpenList *list, LshPageType type, const void *item,
			Size size)
{
	Page		page = (Page) list->image.data;

	if (list->first == InvalidBlockNumber || !lsh_list_has_room(page, size))
		open_next(index, list, type);
	lsh_list_append(page, item, size);
}

/* Complete a list, and put it in front of the shared one. */
static void
share_list(LshReader *reader, OpenList *list, LshList *shared)
{
	BlockNumber right;

	if (list->first == InvalidBlockNumber)
		return;
	SpinLockAcquire(&reader->rows->mutex);
	right = shared->first;
	shared->first = list->first;
	if (right == InvalidBlockNumber)
		shared->last = list->block;
	SpinLockRelease(&reader->rows->mutex);
	close_page(reader->index, list, right);
}

/*** The store ***/

/* Open a store page, and add it to the directory. */
static void
open_store(LshReader *reader)
{
	reader->store_block = lsh_append_page(reader->index);
	reader->place = 0;
	lsh_check_block_limit(reader->index, &reader->layout, reader->store_block);
	lsh_store_init((Page) reader->store.data, &reader->layout);
	append_item(reader->index, &reader->directory, LSH_DIRECTORY,
				&reader->store_block, sizeof(BlockNumber));
}

/* Write the open store page. */
static void
close_store(LshReader *reader)
{
	lsh_write_page(reader->index, reader->store_block, reader->store.data);
	reader->store_block = InvalidBlockNumber;
}

/*
 * Append a record to the store, and its entries to those of the tree.  Passages
 * have no sig.
 */
static void
add_record(LshReader *reader, const MinHash *sig, ItemPointer tid,
		   const uint64 *keys, Size count)
{
	if (reader->store_block == InvalidBlockNumber)
		open_store(reader);
	lsh_keys_add(reader->keys, keys, count,
				 lsh_number(&reader->layout, reader->store_block, reader->place));
	lsh_store_write((Page) reader->store.data, &reader->layout,
					reader->place++, sig, tid);
	if (reader->place == reader->layout.per_page)
		close_store(reader);
	reader->index_rows++;
}

/*** Kind ***/

/* Set the kind of the index, unless it has one; also for this reader. */
static void
set_kind(LshReader *reader, const MinHash *sig, bool is_live)
{
	LshRows    *rows = reader->rows;
	LshLayout	layout;

	if (lsh_has_kind(&reader->layout))
		return;
	lsh_layout_of(reader->index, sig, &layout);
	SpinLockAcquire(&rows->mutex);
	if (!lsh_has_kind(&rows->layout))
	{
		rows->layout = layout;
		rows->kind_is_live = is_live;
	}
	reader->layout = rows->layout;
	SpinLockRelease(&rows->mutex);
}

/* See a row in search of a live one; called by table_index_build_range_scan(). */
static void
see_row(Relation index, ItemPointer tid, Datum *values, bool *isnull,
		bool alive, void *arg)
{
	if (alive && !isnull[0])
		set_kind(arg, DatumGetMinHash(values[0]), true);
}

/* Look for a live row that sets the kind, in more and more blocks at once. */
static void
find_live_row(LshReader *reader)
{
	BlockNumber blocks = RelationGetNumberOfBlocks(reader->heap);
	IndexInfo  *info = BuildIndexInfo(reader->index);
	BlockNumber count;

	for (BlockNumber block = 0;
		 block < blocks && !lsh_has_kind(&reader->layout); block += count)
	{
		count = Min(block + 1, blocks - block);
		table_index_build_range_scan(reader->heap, reader->index, info, false,
									 false, false, block, count, see_row,
									 reader, NULL);
	}
}

/*
 * Return true if a row must be of the kind of the index: if it is live, or if
 * only dead rows have determined the kind in REINDEX, which does not keep older
 * snapshots away from the index.
 */
static bool
must_fit(const LshReader *reader, bool alive)
{
	return alive || (!reader->rows->kind_is_live &&
					 ReindexIsProcessingIndex(RelationGetRelid(reader->index)));
}

/*** Rows ***/

/* Append a row to the store, unless it is a dead row of another kind. */
static void
add_signature(LshReader *reader, const MinHash *sig, ItemPointer tid,
			  bool alive)
{
	uint64		keys[BAND_MAX];

	if (!alive && !lsh_has_kind(&reader->layout))
		find_live_row(reader);
	set_kind(reader, sig, alive);
	if (must_fit(reader, alive))
		lsh_check_kind(reader->index, &reader->layout, sig);
	else if (!minhash_is_of_kind(sig, &reader->layout.kind))
	{
		reader->broken_hot_chain = true;
		return;
	}
	add_record(reader, sig, tid, keys,
			   band_keys(sig->slots, sig->num_hashes, keys));
}

/* Append a row of passages to the store. */
static void
add_passages(LshReader *reader, text *document, ItemPointer tid)
{
	Size		count;
	uint64	   *keys = lsh_passage_keys(reader->index, &reader->layout, document,
										&count);

	add_record(reader, NULL, tid, keys, count);
}

/* Add a row of the table; called by table_index_build_scan(). */
static void
add_row(Relation index, ItemPointer tid, Datum *values, bool *isnull,
		bool alive, void *arg)
{
	LshReader  *reader = arg;
	MemoryContext old = MemoryContextSwitchTo(reader->row_context);

	if (isnull[0])
	{
		append_item(index, &reader->nulls, LSH_NULLS, tid,
					sizeof(ItemPointerData));
		reader->index_rows++;
	}
	else if (reader->layout.content == LSH_PASSAGES)
		add_passages(reader, DatumGetTextPP(values[0]), tid);
	else
		add_signature(reader, DatumGetWholeMinHash(values[0]), tid, alive);
	MemoryContextSwitchTo(old);
	MemoryContextReset(reader->row_context);
}

/*** Readers ***/

/* Initialize the shared state. */
void
lsh_rows_init(LshRows *rows, const LshLayout *layout)
{
	memset(rows, 0, sizeof(LshRows));
	if (layout != NULL)
		rows->layout = *layout;
	SpinLockInit(&rows->mutex);
	rows->directory.first = rows->directory.last = InvalidBlockNumber;
	rows->nulls.first = rows->nulls.last = InvalidBlockNumber;
}

/* Make a reader. */
LshReader *
lsh_reader_begin(Relation index, LshRows *rows, LshSorter *keys,
				 bool is_leader)
{
	LshReader  *reader = palloc0(sizeof(LshReader));

	reader->index = index;
	reader->rows = rows;
	reader->keys = keys;
	SpinLockAcquire(&rows->mutex);
	reader->layout = rows->layout;
	SpinLockRelease(&rows->mutex);
	reader->is_leader = is_leader;
	reader->row_context = AllocSetContextCreate(CurrentMemoryContext,
												"lsh build row",
												ALLOCSET_DEFAULT_SIZES);
	reader->store_block = InvalidBlockNumber;
	reader->directory.first = InvalidBlockNumber;
	reader->nulls.first = InvalidBlockNumber;
	if (is_leader)
		open_page(&reader->directory, LSH_FIRST_DIRECTORY, LSH_DIRECTORY);
	return reader;
}

/* Add rows of the table. */
void
lsh_reader_scan(LshReader *reader, Relation heap, IndexInfo *info,
				TableScanDesc scan)
{
	reader->heap = heap;
	reader->table_rows = table_index_build_scan(heap, reader->index, info, true,
												reader->is_leader, add_row,
												reader, scan);
	reader->broken_hot_chain |= info->ii_BrokenHotChain;
}

/* Write the last pages, and add to the shared state. */
void
lsh_reader_end(LshReader *reader)
{
	LshRows    *rows = reader->rows;

	if (reader->store_block != InvalidBlockNumber)
	{
		lsh_store_mark(reader->index, reader->store_block, true);
		close_store(reader);
	}
	share_list(reader, &reader->directory, &rows->directory);
	share_list(reader, &reader->nulls, &rows->nulls);
	SpinLockAcquire(&rows->mutex);
	rows->broken_hot_chain |= reader->broken_hot_chain;
	rows->table_rows += reader->table_rows;
	rows->index_rows += reader->index_rows;
	SpinLockRelease(&rows->mutex);
}
