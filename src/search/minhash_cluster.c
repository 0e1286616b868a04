/*-------------------------------------------------------------------------
 *
 * minhash_cluster.c
 *	  The window function minhash_cluster.
 *
 * For every row of a partition: the ordinal, from 1, in the window's order, of
 * the first row of its component under similarity (see cluster.c).  So a row
 * is the first of its component if and only if its cluster equals its
 * row_number(), and a row that is like no other has its own number.
 *
 * All is done when the first row of a partition is asked for.  To know the
 * number of rows, the executor then spools the partition into a tuplestore,
 * which goes to disk when it exceeds work_mem; signatures are fetched from
 * there one by one, in order, and copied into compact memory.  After that,
 * only 4 bytes a row are kept until the partition ends.
 *
 * Threshold and recall are those of the first row, as with ntile().  The frame
 * does not matter.  A NULL threshold or recall gives NULL.  NULL and empty
 * signatures are alone.
 *
 * Progress.  The progress views of the server are for its own commands, whose
 * list an extension cannot extend.  A NOTICE is sent to the client at once.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "utils/memutils.h"
#include "windowapi.h"

#include "core/cluster.h"
#include "core/nibbles.h"
#include "lshsim.h"
#include "similar.h"
#include "support/arguments.h"
#include "support/server_memory.h"

#define REPORT_EVERY 5.0		/* seconds without a report */

/* What is kept of a partition. */
typedef struct PartitionClusters
{
	bool		done;
	uint32	   *labels;			/* NULL if an argument is */
} PartitionClusters;

/* When the work began, and when it was reported last. */
typedef struct Progress
{
	instr_time	start;
	double		reported;		/* seconds after start */
} Progress;

/* Return the seconds since the work began. */
static double
seconds_since_start(const Progress *progress)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, progress->start);
	return INSTR_TIME_GET_DOUBLE(now);
}

/* Estimate the seconds that are left, from the share that has been done. */
static double
seconds_left(const Clustering *clustering, double elapsed)
{
	double		done = (clustering->step - 1 + clustering->done) / clustering->steps;

	return done > 0 ? elapsed / done - elapsed : 0;
}

/* Report how many rows there are, when they have been read. */
static void
report_rows(const Clustering *clustering)
{
	if (lshsim_progress)
		ereport(NOTICE,
				(errmsg("minhash_cluster: %zu rows, %zu different signatures",
						clustering->rows, clustering->signatures)));
}

/* Report how far a step is; what may differ between runs is the detail. */
static void
report_step(const Clustering *clustering, Progress *progress)
{
	char		step[64] = "all pairs";
	double		elapsed = seconds_since_start(progress);

	progress->reported = elapsed;
	if (clustering->steps > 1)
		snprintf(step, sizeof(step), "band %d of %d", clustering->step,
				 clustering->steps);
	ereport(NOTICE,
			(errmsg("minhash_cluster: %s, %.0f%%: %zu signatures, %llu candidates, %zu merges",
					step, 100 * clustering->done, clustering->signatures,
					(unsigned long long) clustering->compared,
					clustering->signatures - clustering->components),
			 errdetail("%.1f s elapsed, about %.1f s left.", elapsed,
					   seconds_left(clustering, elapsed))));
}

/* Let the user cancel, and know that a long step goes on. */
static void
on_tick(Clustering *clustering)
{
	Progress   *progress = clustering->hook_data;

	CHECK_FOR_INTERRUPTS();
	if (lshsim_progress && clustering->step > 0 &&
		seconds_since_start(progress) - progress->reported > REPORT_EVERY)
		report_step(clustering, progress);
}

/* Report the end of a step. */
static void
on_step_done(Clustering *clustering)
{
	if (lshsim_progress)
		report_step(clustering, clustering->hook_data);
}

/* Allocate memory for all rows, or say how much everything would be. */
static void *
alloc_rows(MemoryContext context, size_t rows, size_t row_bytes, int num_hashes)
{
	void	   *memory = allocate_huge(context, (uint64) rows * row_bytes);

	if (memory == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory to cluster %zu rows", rows),
				 errdetail("Rows with signatures of %d hashes need %llu bytes.",
						   num_hashes,
						   (unsigned long long) rows * cluster_row_bytes(num_hashes)),
				 errhint("Use PARTITION BY, or signatures with fewer hashes.")));
	return memory;
}

/* Prepare for signatures like the first one, before which there were NULLs. */
static void
begin_clustering(Clustering *clustering, MemoryContext context, double recall,
				 int num_hashes, size_t nulls)
{
	size_t		rows = clustering->max_rows;

	clustering->num_hashes = num_hashes;
	clustering->plan = *minhash_plan(clustering->plan.threshold, recall, num_hashes);
	clustering->labels = alloc_rows(context, rows, sizeof(uint32), num_hashes);
	clustering->parents = alloc_rows(context, rows, sizeof(uint32), num_hashes);
	clustering->work = alloc_rows(context, rows, 2 * sizeof(uint64), num_hashes);
	clustering->slots = alloc_rows(context, rows, sizeof(uint16) * num_hashes,
								   num_hashes);
	clustering->nibbles = alloc_rows(context, rows,
									 sizeof(uint64) * nibbles_words(num_hashes),
									 num_hashes);
	cluster_begin(clustering);
	while (nulls-- > 0)
		cluster_add_null(clustering);
}

/* Add the rows of the partition; return false if all are NULL. */
static bool
read_rows(WindowObject winobj, Clustering *clustering, MemoryContext context,
		  double recall)
{
	MemoryContext row_context = AllocSetContextCreate(context,
													  "minhash_cluster row",
													  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old_context = MemoryContextSwitchTo(row_context);
	MinHash    *first = NULL;

	for (size_t row = 0; row < clustering->max_rows; row++)
	{
		bool		isnull;
		bool		isout;
		Datum		arg = WinGetFuncArgInPartition(winobj, 0, (int) row,
												   WINDOW_SEEK_HEAD, false,
												   &isnull, &isout);

		CHECK_FOR_INTERRUPTS();
		if (!isnull)
		{
			MinHash    *sig = DatumGetMinHash(arg);

			if (first == NULL)
			{
				first = minhash_copy(context, sig);
				begin_clustering(clustering, context, recall, sig->num_hashes,
								 row);
			}
			minhash_check_comparable(first, sig);
			cluster_add(clustering, sig->slots);
		}
		else if (first != NULL)
			cluster_add_null(clustering);
		MemoryContextReset(row_context);
	}
	MemoryContextSwitchTo(old_context);
	MemoryContextDelete(row_context);
	return first != NULL;
}

/* Refuse a partition whose rows cannot be counted. */
static size_t
check_row_count(int64 rows)
{
	if (rows > PG_INT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many rows to cluster: %lld", (long long) rows),
				 errdetail("A partition has at most %d rows.", PG_INT32_MAX),
				 errhint("Use PARTITION BY.")));
	return (size_t) rows;
}

/* Label every row with its own ordinal. */
static uint32 *
label_nulls(MemoryContext context, size_t rows)
{
	uint32	   *labels = alloc_rows(context, rows, sizeof(uint32), 0);

	for (size_t row = 0; row < rows; row++)
		labels[row] = (uint32) row;
	return labels;
}

/* Label the rows of the partition. */
static uint32 *
cluster_partition(WindowObject winobj, MemoryContext context,
				  double threshold, double recall)
{
	Clustering	clustering = {.plan.threshold = threshold};
	Progress	progress = {.reported = 0};

	clustering.tick = on_tick;
	clustering.step_done = on_step_done;
	clustering.hook_data = &progress;
	clustering.secret = lshsim_secret();
	clustering.max_rows = check_row_count(WinGetPartitionRowCount(winobj));
	if (!read_rows(winobj, &clustering, context, recall))
		return label_nulls(context, clustering.max_rows);
	report_rows(&clustering);
	INSTR_TIME_SET_CURRENT(progress.start);
	cluster_run(&clustering);
	cluster_label(&clustering);
	pfree(clustering.nibbles);
	pfree(clustering.slots);
	pfree(clustering.work);
	pfree(clustering.parents);
	return clustering.labels;
}

/* Evaluate an argument that is the same for all rows of the partition. */
static bool
partition_argument(WindowObject winobj, int argno, const char *what,
				   double *value)
{
	bool		isnull;
	Datum		arg = WinGetFuncArgCurrent(winobj, argno, &isnull);

	if (!isnull)
		*value = check_unit_interval(DatumGetFloat8(arg), what);
	return !isnull;
}

/* Return the ordinal of the first row of the current row's component. */
PG_FUNCTION_INFO_V1(minhash_cluster);
Datum
minhash_cluster(PG_FUNCTION_ARGS)
{
	WindowObject winobj = PG_WINDOW_OBJECT();
	PartitionClusters *partition =
		WinGetPartitionLocalMemory(winobj, sizeof(PartitionClusters));
	int64		row = WinGetCurrentPosition(winobj);

	if (!partition->done)
	{
		double		threshold;
		double		recall = PG_NARGS() < 3 ? setting_recall() : 0;

		if (partition_argument(winobj, 1, "threshold", &threshold) &&
			(PG_NARGS() < 3 ||
			 partition_argument(winobj, 2, "recall", &recall)))
			partition->labels =
				cluster_partition(winobj, GetMemoryChunkContext(partition),
								  threshold, recall);
		partition->done = true;
	}
	WinSetMarkPosition(winobj, row);
	if (partition->labels == NULL)
		PG_RETURN_NULL();
	PG_RETURN_INT64((int64) partition->labels[row] + 1);
}
