/*-------------------------------------------------------------------------
 *
 * lsh_rows.c
 *	  Reading the table for CREATE INDEX: store, directory, list of NULLs.
 *
 * One or more processes read the table by read_share().  Each has a reader, and
 * all share an LshRows, which at the end describes all pages that have been
 * written.
 *
 * A reader fills pages of its own.  At the end it puts its lists of pages in
 * front of the shared ones, so that only a page still in memory has to be
 * changed.
 *
 * The first live row sets the kind of the index.  If a process meets a dead row
 * first, it scans for a live one; only if there is none does the dead row set
 * the kind.  Dead rows of the kind of the index are added, because after
 * REINDEX or VACUUM FULL snapshots that see them may use it.  Those of another
 * kind are omitted, which the server learns from broken_hot_chain: it keeps
 * snapshots that see them away from a new index.
 *
 * Leader and workers share one parallel scan of the table, and write the
 * entries of the tree to shared files (lsh_sort.c).  The leader then makes the
 * tree alone.  The workers open the relations with the locks that the leader
 * holds, and belong to its lock group.  If no worker can be launched, the
 * leader reads all rows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/index.h"
#include "optimizer/clauses.h"
#include "optimizer/paths.h"
#include "pgstat.h"
#include "tcop/tcopprot.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "lsh_build.h"

/* One process that reads the table. */
typedef struct Reader
{
	Relation	heap;
	Relation	index;
	LshRows    *rows;
	LshSorter  *sorter;
	MemoryContext row_context;	/* reset after each row */
	LshLayout	layout;			/* a copy of that in LshRows */
	bool		broken_hot_chain;	/* as in LshRows */
	double		table_rows;
	double		index_rows;
	BlockNumber store_block;	/* of the open page, or invalid */
	PGAlignedBlock store;
	int			place;			/* of the next record on it */
	LshOpenList directory;
	LshOpenList nulls;
} Reader;

/*** Lists of pages ***/

/* Complete a list, and put it in front of the shared one. */
static void
share_list(Reader *reader, LshOpenList *list, LshList *shared)
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
	lsh_list_close_page(reader->index, list, right);
}

/*** The store ***/

/* Write the open store page. */
static void
close_store(Reader *reader)
{
	lsh_write_page(reader->index, reader->store_block, reader->store.data);
	reader->store_block = InvalidBlockNumber;
}

/*
 * Append a record to the store, and its entries to those of the tree.  Passages
 * have no sig.
 */
static void
append_record(Reader *reader, const MinHash *sig, Datum value, ItemPointer tid)
{
	const LshLayout *layout = &reader->layout;
	Size		count;
	uint64	   *keys = lsh_keys(reader->index, layout, sig, value, &count);

	if (reader->store_block == InvalidBlockNumber)
	{
		reader->store_block = lsh_append_page(reader->index);
		reader->place = 0;
		lsh_check_block_limit(reader->index, layout, reader->store_block);
		lsh_store_init((Page) reader->store.data, layout);
		lsh_list_write(reader->index, &reader->directory, LSH_DIRECTORY,
					   &reader->store_block, sizeof(BlockNumber));
	}
	lsh_sorter_add(reader->sorter, keys, count,
				   lsh_number(layout, reader->store_block, reader->place));
	lsh_store_write((Page) reader->store.data, layout, reader->place++, sig, tid);
	if (reader->place == layout->per_page)
		close_store(reader);
	reader->index_rows++;
}

/*** Kind ***/

/* Set the kind of the index, unless it has one; also for this reader. */
static void
set_kind(Reader *reader, const MinHash *sig, bool is_live)
{
	LshRows    *rows = reader->rows;
	LshLayout	layout = reader->layout;

	if (lsh_layout_is_known(&reader->layout))
		return;
	lsh_layout_set_kind(reader->index, sig, &layout);
	SpinLockAcquire(&rows->mutex);
	if (!lsh_layout_is_known(&rows->layout))
	{
		rows->layout = layout;
		rows->kind_is_live = is_live;
	}
	reader->layout = rows->layout;
	SpinLockRelease(&rows->mutex);
}

/* See a row, which may be live; called by table_index_build_range_scan(). */
static void
see_row(Relation index, ItemPointer tid, Datum *values, bool *isnull,
		bool alive, void *arg)
{
	if (alive && !isnull[0])
		set_kind(arg, DatumGetMinHash(values[0]), true);
}

/* Look for a live row that sets the kind, in more and more blocks at once. */
static void
find_live_row(Reader *reader)
{
	BlockNumber blocks = RelationGetNumberOfBlocks(reader->heap);
	IndexInfo  *info = BuildIndexInfo(reader->index);
	BlockNumber count;

	for (BlockNumber block = 0;
		 block < blocks && !lsh_layout_is_known(&reader->layout);
		 block += count)
	{
		count = Min(block + 1, blocks - block);
		table_index_build_range_scan(reader->heap, reader->index, info, false,
									 false, false, block, count, see_row,
									 reader, NULL);
	}
}

/*** Rows ***/

/*
 * Set the kind of the index by a signature, or check its kind.  Return false for
 * a dead row of another kind.
 */
static bool
fits_kind(Reader *reader, const MinHash *sig, bool alive)
{
	if (!alive && !lsh_layout_is_known(&reader->layout))
		find_live_row(reader);
	set_kind(reader, sig, alive);

	/*
	 * REINDEX does not keep older snapshots away from the index; if only dead
	 * rows have set the kind there, all of them must fit.
	 */
	if (alive || (!reader->rows->kind_is_live &&
				  ReindexIsProcessingIndex(RelationGetRelid(reader->index))))
		lsh_check_kind(reader->index, &reader->layout, sig);
	return minhash_is_of_kind(sig, &reader->layout.kind);
}

/* Add a row of the table; called by table_index_build_scan(). */
static void
add_row(Relation index, ItemPointer tid, Datum *values, bool *isnull,
		bool alive, void *arg)
{
	Reader	   *reader = arg;
	MemoryContext old = MemoryContextSwitchTo(reader->row_context);
	const MinHash *sig = isnull[0] ? NULL :
		lsh_signature(&reader->layout, values[0]);

	if (isnull[0])
	{
		lsh_list_write(index, &reader->nulls, LSH_NULLS, tid,
					   sizeof(ItemPointerData));
		reader->index_rows++;
	}
	else if (sig == NULL || fits_kind(reader, sig, alive))
		append_record(reader, sig, values[0], tid);
	else
		reader->broken_hot_chain = true;
	MemoryContextSwitchTo(old);
	MemoryContextReset(reader->row_context);
}

/* Write the last pages, and add to the shared state. */
static void
share_rows(Reader *reader)
{
	LshRows    *rows = reader->rows;

	if (reader->store_block != InvalidBlockNumber)
	{
		lsh_fsm_add(reader->index, reader->store_block);
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

/*** Workers ***/

/* Keys of the table of contents of the shared memory. */
#define KEY_BUILD 1
#define KEY_SCAN 2
#define KEY_QUERY 3

/* State of a build that leader and workers share. */
typedef struct SharedBuild
{
	Oid			heap;
	Oid			index;
	bool		concurrent;
	int			processes;		/* the leader and all workers requested */
	LshRows		rows;
	LshSharedRuns runs;
} SharedBuild;

/*
 * Read the table, or the part of it that a parallel scan assigns to this
 * process; return the entries of the tree.  Rows of different kinds, or of one
 * that does not fit on a page, raise an error.
 *
 * The list of the leader is first in the directory, so it must be put in front
 * of the others last.
 */
static LshSorter *
read_share(Relation heap, Relation index, IndexInfo *info, SharedBuild *shared,
		   ParallelTableScanDesc scan, ParallelContext *workers)
{
	bool		is_leader = !IsParallelWorker();
	Reader	   *reader = palloc0(sizeof(Reader));

	reader->heap = heap;
	reader->index = index;
	reader->rows = &shared->rows;
	reader->sorter = lsh_sorter_begin(shared->processes > 1 ? &shared->runs : NULL,
									  shared->processes);
	SpinLockAcquire(&shared->rows.mutex);
	reader->layout = shared->rows.layout;
	SpinLockRelease(&shared->rows.mutex);
	reader->row_context = AllocSetContextCreate(CurrentMemoryContext,
												"lsh build row",
												ALLOCSET_DEFAULT_SIZES);
	reader->store_block = InvalidBlockNumber;
	reader->directory.first = InvalidBlockNumber;
	reader->nulls.first = InvalidBlockNumber;
	if (is_leader)
		lsh_list_open_page(&reader->directory, LSH_FIRST_DIRECTORY,
						   LSH_DIRECTORY);
	/* Only the leader reports progress. */
	reader->table_rows = table_index_build_scan(heap, index, info, true,
												is_leader, add_row, reader,
												scan == NULL ? NULL :
												compat_beginscan_parallel(heap, scan));
	reader->broken_hot_chain |= info->ii_BrokenHotChain;
	if (workers != NULL)
		WaitForParallelWorkersToFinish(workers);
	share_rows(reader);
	return reader->sorter;
}

/* Return true if workers can evaluate the expressions of an index. */
static bool
is_safe(Relation index)
{
	PlannerGlobal global = {.type = T_PlannerGlobal};
	PlannerInfo root = {.type = T_PlannerInfo,.glob = &global};

	return is_parallel_safe(&root, (Node *) RelationGetIndexExpressions(index)) &&
		is_parallel_safe(&root, (Node *) RelationGetIndexPredicate(index));
}

/*
 * Return the number of workers to request.
 *
 * The server's plan_create_index_workers() goes by the size of the table
 * without TOAST, where long texts are, and knows only the time of a sort.  A
 * signature takes longer, so that all workers that the settings allow pay off
 * if the table with its TOAST table is large enough for one.
 */
static int
worker_count(Relation heap, Relation index)
{
	int			setting = RelationGetParallelWorkers(heap, -1);
	Datum		oid = ObjectIdGetDatum(RelationGetRelid(heap));

	if (!IsUnderPostmaster ||
		RelationUsesLocalBuffers(heap) ||
		max_parallel_maintenance_workers == 0 || setting == 0 ||
		RelationGetNumberOfBlocks(heap) == 0 || !is_safe(index))
		return 0;
	if (setting > 0)
		return Min(setting, max_parallel_maintenance_workers);
	return DatumGetInt64(DirectFunctionCall1(pg_table_size, oid)) / BLCKSZ >=
		min_parallel_table_scan_size ? max_parallel_maintenance_workers : 0;
}

/* The server calls it in a parallel worker, by its name. */
extern PGDLLEXPORT void lsh_build_worker(dsm_segment *segment, shm_toc *toc);

/* Read a part of the table. */
void
lsh_build_worker(dsm_segment *segment, shm_toc *toc)
{
	SharedBuild *shared = shm_toc_lookup(toc, KEY_BUILD, false);
	LOCKMODE	heap_lock = shared->concurrent ?
		ShareUpdateExclusiveLock : ShareLock;
	LOCKMODE	index_lock = shared->concurrent ?
		RowExclusiveLock : AccessExclusiveLock;
	Relation	heap;
	Relation	index;
	IndexInfo  *info;

	/* The query text that the server's views show for the worker. */
	debug_query_string = shm_toc_lookup(toc, KEY_QUERY, true);
	pgstat_report_activity(STATE_RUNNING, debug_query_string);
	SharedFileSetAttach(&shared->runs.files, segment);
	heap = table_open(shared->heap, heap_lock);
	index = index_open(shared->index, index_lock);
	info = BuildIndexInfo(index);
	info->ii_Concurrent = shared->concurrent;
	lsh_sorter_write_run(read_share(heap, index, info, shared,
									shm_toc_lookup(toc, KEY_SCAN, false), NULL));
	index_close(index, index_lock);
	table_close(heap, heap_lock);
}

/*** The leader ***/

/* Allocate an entry of a table of contents. */
static void *
add_entry(shm_toc *toc, uint64 key, Size size)
{
	void	   *entry = shm_toc_allocate(toc, size);

	shm_toc_insert(toc, key, entry);
	return entry;
}

/* Begin parallel mode, share a build with workers, and launch them. */
static ParallelContext *
begin_workers(Relation heap, int request, const SharedBuild *build)
{
	ParallelContext *workers;

	/* table_index_build_scan() takes the snapshot from a parallel scan. */
	Snapshot	snapshot = build->concurrent ? GetActiveSnapshot() : SnapshotAny;
	Size		scan_size = table_parallelscan_estimate(heap, snapshot);
	const char *query = debug_query_string ? debug_query_string : "";
	SharedBuild *shared;
	ParallelTableScanDesc scan;

	EnterParallelMode();
	workers = CreateParallelContext("lshsim", "lsh_build_worker", request);
	shm_toc_estimate_chunk(&workers->estimator, sizeof(SharedBuild));
	shm_toc_estimate_chunk(&workers->estimator, scan_size);
	shm_toc_estimate_chunk(&workers->estimator, strlen(query) + 1);
	shm_toc_estimate_keys(&workers->estimator, 3);
	InitializeParallelDSM(workers);
	shared = add_entry(workers->toc, KEY_BUILD, sizeof(SharedBuild));
	*shared = *build;
	/* None without a segment, and then no process would delete shared files. */
	shared->processes = workers->nworkers + 1;
	SpinLockInit(&shared->rows.mutex);
	SharedFileSetInit(&shared->runs.files, workers->seg);
	pg_atomic_init_u32(&shared->runs.count, 0);
	scan = add_entry(workers->toc, KEY_SCAN, scan_size);
	table_parallelscan_initialize(heap, scan, snapshot);
	strcpy(add_entry(workers->toc, KEY_QUERY, strlen(query) + 1), query);
	LaunchParallelWorkers(workers);
	ereport(DEBUG1,
			(errmsg_internal("using %d parallel workers",
							 workers->nworkers_launched)));
	return workers;
}

/* Read the table, with workers if they are worth it. */
LshSorter *
lsh_read_table(Relation heap, Relation index, IndexInfo *info,
			   const LshLayout *layout, LshRows *rows,
			   ParallelContext **workers)
{
	static const LshList no_pages = {InvalidBlockNumber, InvalidBlockNumber};
	int			request = worker_count(heap, index);
	SharedBuild build = {
		.heap = RelationGetRelid(heap),
		.index = RelationGetRelid(index),
		.concurrent = info->ii_Concurrent,
		.processes = 1,
		.rows = {.layout = *layout,.directory = no_pages,.nulls = no_pages}
	};
	SharedBuild *shared = &build;
	ParallelTableScanDesc scan = NULL;
	LshSorter  *sorter;

	SpinLockInit(&build.rows.mutex);
	*workers = NULL;
	if (request > 0)
	{
		*workers = begin_workers(heap, request, &build);
		shared = shm_toc_lookup((*workers)->toc, KEY_BUILD, false);
		scan = shm_toc_lookup((*workers)->toc, KEY_SCAN, false);
	}
	sorter = read_share(heap, index, info, shared, scan, *workers);
	*rows = shared->rows;
	return sorter;
}
