/*-------------------------------------------------------------------------
 *
 * lsh_parallel.c
 *	  Reading the table for CREATE INDEX by several processes.
 *
 * Leader and workers share one parallel scan of the table.  Each of them
 * computes the signatures or fingerprints of the rows that it reads, stores the
 * records (see lsh_rows.c), and writes the entries of the tree to shared files
 * (see lsh_keys.c).  The leader then makes the tree alone.
 *
 * The workers open the relations with the locks that the leader holds, and
 * belong to its lock group.  If no worker can be launched, the leader reads all
 * rows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/parallel.h"
#include "access/table.h"
#include "catalog/index.h"
#include "miscadmin.h"
#include "nodes/pathnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/paths.h"
#include "pgstat.h"
#include "tcop/tcopprot.h"
#include "utils/fmgrprotos.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "lsh_node.h"
#include "lsh_parallel.h"
#include "lsh_sort.h"
#include "lsh_store.h"

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

/* A parallel build, as the leader sees it. */
struct LshLeader
{
	ParallelContext *context;
	Snapshot	snapshot;
	SharedBuild *shared;
	ParallelTableScanDesc scan;
};

/*** Number of workers ***/

/* Return true if workers can evaluate the expressions of an index. */
static bool
is_safe(Relation index)
{
	PlannerGlobal global = {.type = T_PlannerGlobal};
	PlannerInfo root = {.type = T_PlannerInfo,.glob = &global};

	return is_parallel_safe(&root, (Node *) RelationGetIndexExpressions(index)) &&
		is_parallel_safe(&root, (Node *) RelationGetIndexPredicate(index));
}

/* Return true if a table with its TOAST table is large enough for a worker. */
static bool
is_large(Relation heap)
{
	Datum		oid = ObjectIdGetDatum(RelationGetRelid(heap));
	int64		size = DatumGetInt64(DirectFunctionCall1(pg_table_size, oid));

	return size / BLCKSZ >= min_parallel_table_scan_size;
}

/*
 * Return the number of workers to request.
 *
 * The server's plan_create_index_workers() goes by the size of the table
 * without TOAST, where long texts are, and knows only the time of a sort.  A
 * signature takes longer, so that all workers that the settings allow pay off.
 */
static int
worker_count(Relation heap, Relation index)
{
	int			setting = RelationGetParallelWorkers(heap, -1);

	if (!IsUnderPostmaster ||
		RelationUsesLocalBuffers(heap) ||
		max_parallel_maintenance_workers == 0 || setting == 0 ||
		RelationGetNumberOfBlocks(heap) == 0 || !is_safe(index))
		return 0;
	if (setting > 0)
		return Min(setting, max_parallel_maintenance_workers);
	return is_large(heap) ? max_parallel_maintenance_workers : 0;
}

/*** Workers ***/

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
	LshReader  *reader;
	LshSorter  *keys;

	/* The query text that the server's views show for the worker. */
	debug_query_string = shm_toc_lookup(toc, KEY_QUERY, true);
	pgstat_report_activity(STATE_RUNNING, debug_query_string);
	SharedFileSetAttach(&shared->runs.files, segment);
	heap = table_open(shared->heap, heap_lock);
	index = index_open(shared->index, index_lock);
	info = BuildIndexInfo(index);
	info->ii_Concurrent = shared->concurrent;
	keys = lsh_keys_begin(&shared->runs, shared->processes);
	reader = lsh_reader_begin(index, &shared->rows, keys, false);
	lsh_reader_scan(reader, heap, info,
					lsh_beginscan_parallel(heap,
										   shm_toc_lookup(toc, KEY_SCAN, false)));
	lsh_reader_end(reader);
	lsh_keys_write_run(keys);
	index_close(index, index_lock);
	table_close(heap, heap_lock);
}

/*** The leader ***/

/* Allocate an entry of the table of contents. */
static void *
add_entry(LshLeader *leader, uint64 key, Size size)
{
	void	   *entry = shm_toc_allocate(leader->context->toc, size);

	shm_toc_insert(leader->context->toc, key, entry);
	return entry;
}

/* Allocate and fill what is shared with the workers. */
static void
share_build(LshLeader *leader, Relation heap, Relation index, IndexInfo *info,
			const LshRows *rows)
{
	shm_toc_estimator *estimator = &leader->context->estimator;
	const char *query = debug_query_string ? debug_query_string : "";
	Size		scan_size = table_parallelscan_estimate(heap, leader->snapshot);

	shm_toc_estimate_chunk(estimator, sizeof(SharedBuild));
	shm_toc_estimate_chunk(estimator, scan_size);
	shm_toc_estimate_chunk(estimator, strlen(query) + 1);
	shm_toc_estimate_keys(estimator, 3);
	InitializeParallelDSM(leader->context);
	leader->shared = add_entry(leader, KEY_BUILD, sizeof(SharedBuild));
	leader->shared->heap = RelationGetRelid(heap);
	leader->shared->index = RelationGetRelid(index);
	leader->shared->concurrent = info->ii_Concurrent;
	leader->shared->processes = leader->context->nworkers + 1;
	leader->shared->rows = *rows;
	SpinLockInit(&leader->shared->rows.mutex);
	SharedFileSetInit(&leader->shared->runs.files, leader->context->seg);
	pg_atomic_init_u32(&leader->shared->runs.count, 0);
	leader->scan = add_entry(leader, KEY_SCAN, scan_size);
	table_parallelscan_initialize(heap, leader->scan, leader->snapshot);
	strcpy(add_entry(leader, KEY_QUERY, strlen(query) + 1), query);
}

/* Begin parallel mode. */
static LshLeader *
begin_workers(Relation heap, Relation index, IndexInfo *info, int workers,
			  const LshRows *rows)
{
	LshLeader  *leader = palloc(sizeof(LshLeader));

	EnterParallelMode();
	leader->context = CreateParallelContext("lshsim", "lsh_build_worker",
											workers);
	/* table_index_build_scan() takes the snapshot from a parallel scan. */
	leader->snapshot = info->ii_Concurrent ?
		RegisterSnapshot(GetTransactionSnapshot()) : SnapshotAny;
	share_build(leader, heap, index, info, rows);
	return leader;
}

/* End parallel mode, and delete the shared files. */
void
lsh_end_workers(LshLeader *leader)
{
	if (leader == NULL)
		return;
	if (IsMVCCSnapshot(leader->snapshot))
		UnregisterSnapshot(leader->snapshot);
	DestroyParallelContext(leader->context);
	ExitParallelMode();
}

/*
 * Sort the directory, because the processes have added pages in turn.  A walk
 * over the store then reads the file from front to back.
 */
static void
sort_directory(Relation index)
{
	LshNumbers	blocks = lsh_store_blocks(index);
	const uint32 *next = blocks.numbers;
	BlockNumber block = LSH_FIRST_DIRECTORY;

	if (blocks.count == 0)
		return;
	lsh_sort_numbers(blocks.numbers, blocks.count, 1);
	while (block != InvalidBlockNumber)
	{
		Buffer		buffer = lsh_read(index, block, BUFFER_LOCK_EXCLUSIVE,
									  LSH_DIRECTORY);
		Page		page = BufferGetPage(buffer);
		int			count = lsh_directory_count(page);

		memcpy(LshBlocks(page), next, sizeof(BlockNumber) * count);
		next += count;
		block = LshHead(page)->right;
		MarkBufferDirty(buffer);
		UnlockReleaseBuffer(buffer);
	}
	pfree(blocks.numbers);
}

/* Read the table together with workers. */
static LshSorter *
read_in_parallel(Relation heap, Relation index, IndexInfo *info, LshRows *rows,
				 LshLeader *leader)
{
	SharedBuild *shared = leader->shared;
	LshSorter  *keys = lsh_keys_begin(&shared->runs, shared->processes);
	LshReader  *reader = lsh_reader_begin(index, &shared->rows, keys, true);

	LaunchParallelWorkers(leader->context);
	ereport(DEBUG1,
			(errmsg_internal("using %d parallel workers",
							 leader->context->nworkers_launched)));
	lsh_reader_scan(reader, heap, info,
					lsh_beginscan_parallel(heap, leader->scan));
	WaitForParallelWorkersToFinish(leader->context);
	lsh_reader_end(reader);
	*rows = shared->rows;
	sort_directory(index);
	return keys;
}

/* Read the table, with workers if they are worth it. */
LshSorter *
lsh_read_table(Relation heap, Relation index, IndexInfo *info, LshRows *rows,
			   LshLeader **leader)
{
	int			workers = worker_count(heap, index);
	LshSorter  *keys;
	LshReader  *reader;

	if (workers > 0)
	{
		*leader = begin_workers(heap, index, info, workers, rows);
		return read_in_parallel(heap, index, info, rows, *leader);
	}
	*leader = NULL;
	keys = lsh_keys_begin(NULL, 1);
	reader = lsh_reader_begin(index, rows, keys, true);
	lsh_reader_scan(reader, heap, info, NULL);
	lsh_reader_end(reader);
	return keys;
}
