/*-------------------------------------------------------------------------
 *
 * lsh_rows.c
 *	  Reading the table for CREATE INDEX: store, directory, list of NULLs.
 *
 * The entries of signatures are made from the store later, but the store does
 * not have the texts of an index of passages, so their entries are made here.
 *
 * Each process that reads a part of the table fills pages of its own.  At the
 * end it puts its lists of pages in front of the shared ones, so that only a
 * page still in memory has to be changed.
 *
 * The first live row sets the kind of the index for all processes.  A dead row
 * must not set it.  But after REINDEX or VACUUM FULL, snapshots that see the
 * row may still use the index.  So a process keeps dead rows in a temporary
 * file until it meets a live row, and then adds those of the same kind.  If it
 * meets none, it waits until all others have read their rows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tableam.h"
#include "catalog/index.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

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
	Relation	index;
	LshRows    *rows;
	bool		is_leader;
	MemoryContext row_context;	/* reset after each row */
	LshLayout	layout;			/* num_hashes is 0 until the kind is known */
	BufFile    *held;			/* dead rows that came before that, or NULL */
	uint64		held_count;
	bool		broken_hot_chain;	/* as in LshRows */
	double		table_rows;
	double		index_rows;
	uint64		signatures;
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
	OpenList   *directory = &reader->directory;
	Page		page = (Page) directory->image.data;

	if (directory->first == InvalidBlockNumber ||
		lsh_directory_count(page) == LSH_DIRECTORY_MAX)
		open_next(reader->index, directory, LSH_DIRECTORY);
	reader->store_block = lsh_append_page(reader->index);
	reader->place = 0;
	lsh_check_block_limit(reader->index, &reader->layout, reader->store_block);
	lsh_store_init((Page) reader->store.data, &reader->layout);
	LshBlocks(page)[lsh_directory_count(page)] = reader->store_block;
	((PageHeader) page)->pd_lower += sizeof(BlockNumber);
}

/* Write the open store page. */
static void
close_store(LshReader *reader)
{
	lsh_write_page(reader->index, reader->store_block, reader->store.data);
	reader->store_block = InvalidBlockNumber;
}

/* Append a record to the store, of a signature or NULL; return its number. */
static uint32
add_record(LshReader *reader, const MinHash *sig, ItemPointer tid)
{
	uint32		number;

	if (reader->store_block == InvalidBlockNumber)
		open_store(reader);
	number = lsh_number(&reader->layout, reader->store_block, reader->place);
	lsh_store_write((Page) reader->store.data, &reader->layout,
					reader->place++, sig, tid);
	if (sig == NULL || !slots_are_empty(sig->slots, sig->num_hashes))
		reader->signatures++;
	if (reader->place == reader->layout.per_page)
		close_store(reader);
	return number;
}

/* Append a row whose signature is NULL. */
static void
add_null(LshReader *reader, ItemPointer tid)
{
	OpenList   *nulls = &reader->nulls;
	Page		page = (Page) nulls->image.data;

	if (nulls->first == InvalidBlockNumber ||
		lsh_nulls_count(page) == LSH_NULLS_MAX)
		open_next(reader->index, nulls, LSH_NULLS);
	LshTids(page)[lsh_nulls_count(page)] = *tid;
	((PageHeader) page)->pd_lower += sizeof(ItemPointerData);
}

/*
 * Append a row to the store.  If it is of another kind, raise an error if it
 * must fit, and otherwise omit it.
 */
static void
add_signature(LshReader *reader, const MinHash *sig, ItemPointer tid,
			  bool must_fit)
{
	if (!must_fit && !lsh_same_kind(&reader->layout, sig))
	{
		reader->broken_hot_chain = true;
		return;
	}
	lsh_check_kind(reader->index, &reader->layout, sig);
	add_record(reader, sig, tid);
	reader->index_rows++;
}

/* Append a row of passages to the store, and its entries to the tree's. */
static void
add_passages(LshReader *reader, text *document, ItemPointer tid)
{
	Size		count;
	uint64	   *keys = lsh_passage_keys(reader->index, &reader->layout, document,
										&count);

	lsh_keys_add(reader->rows->keys, keys, count,
				 add_record(reader, NULL, tid));
	reader->index_rows++;
}

/*** Dead rows ***/

/* Append a row to the temporary file. */
static void
hold_back(LshReader *reader, MinHash *sig, ItemPointer tid)
{
	Size		size = VARSIZE(sig);

	if (reader->held == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(reader));

		reader->held = BufFileCreateTemp(false);
		MemoryContextSwitchTo(old);
	}
	BufFileWrite(reader->held, tid, sizeof(ItemPointerData));
	BufFileWrite(reader->held, &size, sizeof(size));
	BufFileWrite(reader->held, sig, size);
	reader->held_count++;
}

/* Read the next row of the temporary file; the caller frees it. */
static MinHash *
read_held(LshReader *reader, ItemPointer tid)
{
	Size		size;
	MinHash    *sig;

	lsh_file_read(reader->held, tid, sizeof(ItemPointerData));
	lsh_file_read(reader->held, &size, sizeof(size));
	sig = palloc(size);
	lsh_file_read(reader->held, sig, size);
	return sig;
}

/* Add the rows of the temporary file, and delete it. */
static void
add_held(LshReader *reader, bool must_fit)
{
	lsh_file_rewind(reader->held);
	for (uint64 i = 0; i < reader->held_count; i++)
	{
		ItemPointerData tid;
		MinHash    *sig = read_held(reader, &tid);

		CHECK_FOR_INTERRUPTS();
		add_signature(reader, sig, &tid, must_fit);
		pfree(sig);
	}
	BufFileClose(reader->held);
	reader->held = NULL;
}

/*** Rows ***/

/* Set the kind of the index, unless another reader has done so. */
static void
set_kind(LshReader *reader, const MinHash *sig, bool is_live)
{
	LshRows    *rows = reader->rows;
	MinHashKind kind = minhash_kind_of(sig);

	lsh_check_size(reader->index, sig);
	SpinLockAcquire(&rows->mutex);
	if (rows->kind.num_hashes == 0)
	{
		rows->kind = kind;
		rows->kind_is_live = is_live;
	}
	kind = rows->kind;
	SpinLockRelease(&rows->mutex);
	lsh_layout_init(&reader->layout, &kind);
}

/* Add a row whose signature is not NULL. */
static void
add_value(LshReader *reader, MinHash *sig, ItemPointer tid, bool alive)
{
	if (alive && reader->layout.kind.num_hashes == 0)
	{
		set_kind(reader, sig, true);
		if (reader->held != NULL)
			add_held(reader, false);
	}
	if (reader->layout.kind.num_hashes == 0)
		hold_back(reader, sig, tid);
	else
		add_signature(reader, sig, tid, alive);
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
		add_null(reader, tid);
		reader->index_rows++;
	}
	else if (reader->layout.content == LSH_PASSAGES)
		add_passages(reader, DatumGetTextPP(values[0]), tid);
	else
		add_value(reader, DatumGetWholeMinHash(values[0]), tid, alive);
	MemoryContextSwitchTo(old);
	MemoryContextReset(reader->row_context);
}

/*
 * Decide about rows still held back, after all readers have read their rows.
 *
 * If no live row has set the kind, CREATE INDEX omits them: the server keeps
 * snapshots that see them away from the index (see lsh_build).  REINDEX adds
 * them, since older snapshots may use the index; they must be of one kind,
 * which then was that of the index.
 */
static void
end_held(LshReader *reader)
{
	ItemPointerData tid;

	if (reader->rows->kind_is_live)
	{
		lsh_layout_init(&reader->layout, &reader->rows->kind);
		add_held(reader, false);
	}
	else if (ReindexIsProcessingIndex(RelationGetRelid(reader->index)))
	{
		lsh_file_rewind(reader->held);
		set_kind(reader, read_held(reader, &tid), false);
		add_held(reader, true);
	}
	else
	{
		reader->broken_hot_chain = true;
		BufFileClose(reader->held);
	}
}

/*** Readers ***/

/* Initialize the shared state. */
void
lsh_rows_init(LshRows *rows, const LshLayout *layout, LshSorter *keys)
{
	memset(rows, 0, sizeof(LshRows));
	if (layout != NULL)
		rows->layout = *layout;
	rows->keys = keys;
	BarrierInit(&rows->scanned, 0);
	SpinLockInit(&rows->mutex);
	rows->directory.first = rows->directory.last = InvalidBlockNumber;
	rows->nulls.first = rows->nulls.last = InvalidBlockNumber;
}

/* Make a reader. */
LshReader *
lsh_reader_begin(Relation index, LshRows *rows, bool is_leader)
{
	LshReader  *reader = palloc0(sizeof(LshReader));

	reader->index = index;
	reader->rows = rows;
	reader->layout = rows->layout;
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

/*
 * Add rows of the table.
 *
 * A worker that starts late may attach to the barrier when the others have
 * already passed it.  Then no row is left for it, and so none is held back.
 */
void
lsh_reader_scan(LshReader *reader, Relation heap, IndexInfo *info,
				TableScanDesc scan)
{
	BarrierAttach(&reader->rows->scanned);
	reader->table_rows = table_index_build_scan(heap, reader->index, info, true,
												reader->is_leader, add_row,
												reader, scan);
	BarrierArriveAndWait(&reader->rows->scanned,
						 WAIT_EVENT_PARALLEL_CREATE_INDEX_SCAN);
	BarrierDetach(&reader->rows->scanned);
	if (reader->held != NULL)
		end_held(reader);
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
	rows->signatures += reader->signatures;
	SpinLockRelease(&rows->mutex);
}
