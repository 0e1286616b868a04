/*-------------------------------------------------------------------------
 *
 * minhash_cluster.c
 *	  The window functions minhash_cluster and minhash_representative.
 *
 * Both return the row number, in the window's order, of the row that stands for
 * the current row:
 *
 *	- minhash_cluster: the first row of its connected component under similarity
 *	  (see core/bands/pairs.c).
 *	- minhash_representative: its representative.  In the window's order, each
 *	  row joins the first earlier representative that it is similar to, or
 *	  becomes one (see core/bands/representatives.c).  So each row is similar to its
 *	  representative, and no two representatives are similar to each other.
 *
 * So a row stands for its group if and only if the result equals its own row
 * number.  Rows with NULL and empty signatures stand for themselves.
 *
 * The call for the first row of a partition groups all of its rows.  It asks
 * for the number of rows, so that the executor spools the partition into a
 * tuplestore, which goes to disk when it exceeds work_mem.  It then fetches the
 * signatures one by one, in the window's order, and copies them into compact
 * memory.  Until the partition ends, only 4 bytes a row are kept.
 *
 * Threshold and recall are those of the first row, as with ntile().  The frame
 * does not matter.  A NULL threshold or recall gives NULL.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"
#include "windowapi.h"

#include "compat.h"
#include "core/bands/pairs.h"
#include "core/bands/representatives.h"
#include "pair_progress.h"
#include "search/similar.h"
#include "support/arguments.h"
#include "support/server_memory.h"

/* The groups of a partition. */
typedef struct PartitionGroups
{
	bool		done;
	bool		is_null;		/* an argument is NULL */
	uint32	   *labels;			/* NULL if all rows are */
} PartitionGroups;

/* The work on a partition. */
typedef struct Grouping
{
	MemoryContext context;		/* where memory comes from */
	PairSearch	search;
	PairProgress progress;
	bool		representatives;	/* or components */
	uint64	   *join_work;		/* for representatives */
} Grouping;

/*** Reading the partition ***/

/* Allocate some of the memory that the rows need in all. */
static void *
alloc_rows(const Grouping *grouping, uint64 bytes, uint64 needed)
{
	void	   *memory = allocate_huge(grouping->context, bytes);

	if (memory == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory to cluster %zu rows",
						grouping->search.max_signatures),
				 errdetail("Rows with signatures of %d hashes need %llu bytes.",
						   grouping->search.num_hashes,
						   (unsigned long long) needed),
				 errhint("Use PARTITION BY, or signatures with fewer hashes.")));
	return memory;
}

/* Prepare for signatures like the first one, which follows rows with NULL. */
static void
begin_search(Grouping *grouping, const MinHash *first, double threshold,
			 double recall, size_t nulls)
{
	PairSearch *search = &grouping->search;
	uint64		rows = search->max_signatures;
	uint64		parents = sizeof(uint32) * rows;
	uint64		signatures = pairs_memory_size(first->num_hashes, rows);
	uint64		join_work = grouping->representatives ? 2 * sizeof(uint64) * rows : 0;
	uint64		needed = parents + signatures + join_work;

	search->num_hashes = first->num_hashes;
	search->method = first->method;
	search->plan = *minhash_plan(threshold, recall, first->num_hashes);
	search->parents = alloc_rows(grouping, parents, needed);
	search->memory = alloc_rows(grouping, signatures, needed);
	if (grouping->representatives)
		grouping->join_work = alloc_rows(grouping, join_work, needed);
	pairs_begin(search);
	while (nulls-- > 0)
		pairs_add_null(search);
}

/* Add the rows of the partition; return false if all are NULL. */
static bool
read_rows(WindowObject winobj, Grouping *grouping, double threshold,
		  double recall)
{
	MemoryContext row_context = AllocSetContextCreate(grouping->context,
													  "lshsim window row",
													  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old_context = MemoryContextSwitchTo(row_context);
	PairSearch *search = &grouping->search;
	MinHash    *first = NULL;

	for (size_t row = 0; row < search->max_signatures; row++)
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
				first = minhash_copy(grouping->context, sig);
				begin_search(grouping, first, threshold, recall, row);
			}
			minhash_check_comparable(first, sig);
			pairs_add(search, sig->slots);
		}
		else if (first != NULL)
			pairs_add_null(search);
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

/*** Groups ***/

/* Label the rows that have been read, and free the rest of the memory. */
static uint32 *
label_rows(Grouping *grouping)
{
	PairSearch *search = &grouping->search;

	pair_progress_start(&grouping->progress, search);
	pairs_find(search);
	if (grouping->representatives)
	{
		representatives_choose(search, grouping->join_work);
		pfree(grouping->join_work);
	}
	pairs_label(search);
	pfree(search->memory);
	return search->parents;
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

/* Group the rows of a partition. */
static void
group_partition(FunctionCallInfo fcinfo, PartitionGroups *partition,
				const char *name, bool representatives)
{
	WindowObject winobj = PG_WINDOW_OBJECT();
	MemoryContext context = GetMemoryChunkContext(partition);
	Grouping   *grouping;
	double		threshold;
	double		recall;

	partition->is_null = !partition_argument(winobj, 1, "threshold", &threshold) ||
		!partition_argument(winobj, 2, "recall", &recall);
	if (partition->is_null)
		return;
	grouping = MemoryContextAllocZero(context, sizeof(Grouping));
	pair_progress_init(&grouping->progress, name, &grouping->search);
	grouping->context = context;
	grouping->representatives = representatives;
	grouping->search.max_signatures = check_row_count(WinGetPartitionRowCount(winobj));
	if (read_rows(winobj, grouping, threshold, recall))
		partition->labels = label_rows(grouping);
	pfree(grouping);
}

/* Return the number of the row that stands for the current row. */
static Datum
window_group(FunctionCallInfo fcinfo, const char *name, bool representatives)
{
	WindowObject winobj = PG_WINDOW_OBJECT();
	PartitionGroups *partition =
		WinGetPartitionLocalMemory(winobj, sizeof(PartitionGroups));
	int64		row = WinGetCurrentPosition(winobj);

	if (!partition->done)
	{
		lsh_refuse_ignore_nulls(winobj, fcinfo);
		group_partition(fcinfo, partition, name, representatives);
		partition->done = true;
	}
	if (partition->is_null)
		PG_RETURN_NULL();
	PG_RETURN_INT64((partition->labels == NULL ? row : partition->labels[row]) + 1);
}

/* Return the row number of the first row of the current row's component. */
PG_FUNCTION_INFO_V1(minhash_cluster);
Datum
minhash_cluster(PG_FUNCTION_ARGS)
{
	return window_group(fcinfo, "minhash_cluster", false);
}

/* Return the row number of the current row's representative. */
PG_FUNCTION_INFO_V1(minhash_representative);
Datum
minhash_representative(PG_FUNCTION_ARGS)
{
	return window_group(fcinfo, "minhash_representative", true);
}
