/*-------------------------------------------------------------------------
 *
 * minhash_cluster.c
 *	  The window functions minhash_cluster, minhash_representative, minhash_link.
 *
 * The first two find the row that stands for the current row:
 *
 *	- minhash_cluster: the first row of its connected component under similarity
 *	  (see core/bands/pairs.c).  The result is its row number in the window's
 *	  order.
 *	- minhash_representative: its representative.  In the window's order, each
 *	  row joins the first earlier representative that it is similar to, or
 *	  becomes one (see core/bands/representatives.c).  So each row is similar to its
 *	  representative, and no two representatives are similar to each other.  The
 *	  result is the value of an argument in the representative's row.  A frame that
 *	  lacks rows before the current one limits the representatives (see frames.c).
 *
 * Rows with NULL signatures stand for themselves, and so do those with empty
 * ones.
 *
 * minhash_link finds the row that the current row is linked to: the links of a
 * component are a tree of its similar pairs, the strongest first (see
 * core/bands/links.c).  The first row of a component is linked to none.
 *
 * The call for the first row of a partition groups all of its rows.  It asks
 * for the number of rows, so that the executor spools the partition into a
 * tuplestore, which goes to disk when it exceeds work_mem.  It then fetches the
 * signatures one by one, in the window's order, and copies them into compact
 * memory.  Until the partition ends, only 4 bytes a row are kept, and the
 * values: to fetch the value of an earlier row from the tuplestore would take
 * time that grows with the distance of the rows.
 *
 * Threshold and recall are those of the first row, as with ntile().  The frame
 * matters only to minhash_representative.  A NULL threshold or recall gives NULL.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "windowapi.h"

#include "compat.h"
#include "core/bands/links.h"
#include "core/bands/pairs.h"
#include "core/bands/representatives.h"
#include "frames.h"
#include "pair_progress.h"
#include "search/similar.h"
#include "support/arguments.h"
#include "support/server_memory.h"

/* The row to find for each row. */
typedef enum Target
{
	FIRST_OF_CLUSTER,
	REPRESENTATIVE,
	LINKED
} Target;

/* The groups of a partition. */
typedef struct PartitionGroups
{
	bool		done;
	bool		is_null;		/* threshold or recall is NULL */
	uint32	   *labels;			/* row of each row; NULL if all signatures are */
	NullableDatum *values;		/* of each row; NULL for clusters */
	Frames	   *frames;			/* NULL: they do not matter; otherwise labels are
								 * of components */
	int16		value_length;	/* the type of the values */
	bool		value_by_value;
} PartitionGroups;

/* The work on a partition. */
typedef struct Grouping
{
	MemoryContext context;		/* where memory comes from */
	PairSearch	search;
	PairProgress progress;
	PartitionGroups *groups;
	Target		target;
	void	   *target_work;	/* memory for representatives or links */
} Grouping;

/*** Reading the partition ***/

/* Allocate some of the memory that the rows need in all. */
static void *
alloc_rows(const Grouping *grouping, uint64 bytes, uint64 needed)
{
	void	   *memory = server_alloc_huge(grouping->context, bytes);

	if (memory == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("not enough memory to cluster %zu rows",
						grouping->search.max_signatures),
				 errdetail("They need %llu bytes.", (unsigned long long) needed),
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
	uint64		target_work = rows *
		(grouping->target == REPRESENTATIVE ? 2 * sizeof(uint64) :
		 grouping->target == LINKED ? 2 * sizeof(uint32) : 0);
	uint64		needed = parents + signatures + target_work;

	search->num_hashes = first->num_hashes;
	search->method = first->method;
	search->plan = *minhash_plan(threshold, recall, first->num_hashes);
	search->parents = alloc_rows(grouping, parents, needed);
	search->memory = alloc_rows(grouping, signatures, needed);
	if (target_work > 0)
		grouping->target_work = alloc_rows(grouping, target_work, needed);
	pairs_begin(search);
	while (nulls-- > 0)
		pairs_add_null(search);
}

/* Copy the value of a row. */
static void
copy_value(WindowObject winobj, const Grouping *grouping, size_t row)
{
	PartitionGroups *groups = grouping->groups;
	NullableDatum *value = &groups->values[row];
	MemoryContext row_context;
	bool		isout;

	value->value = WinGetFuncArgInPartition(winobj, 2, (int) row,
											WINDOW_SEEK_HEAD, false,
											&value->isnull, &isout);
	if (value->isnull)
		return;
	row_context = MemoryContextSwitchTo(grouping->context);
	value->value = datumCopy(value->value, groups->value_by_value,
							 groups->value_length);
	MemoryContextSwitchTo(row_context);
}

/* Add the rows of the partition; return false if all signatures are NULL. */
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
		if (grouping->groups->values)
			copy_value(winobj, grouping, row);
		MemoryContextReset(row_context);
	}
	MemoryContextSwitchTo(old_context);
	MemoryContextDelete(row_context);
	return first != NULL;
}

/*** Groups ***/

/*
 * Label the rows that have been read with the first rows of clusters, with
 * representatives, or with the rows they are linked to; free the memory of the
 * search.
 */
static uint32 *
label_rows(Grouping *grouping, double recall)
{
	PairSearch *search = &grouping->search;
	uint32	   *labels = search->parents;
	Links		links;

	pair_progress_start(&grouping->progress, search);
	if (grouping->target == LINKED)
	{
		links.to = labels = grouping->target_work;
		links.sizes = links.to + search->max_signatures;
		links_find(search, recall, &links);
		pfree(search->parents);
	}
	else
	{
		pairs_find(search);
		if (grouping->target == REPRESENTATIVE)
		{
			representatives_choose(search, grouping->target_work);
			pfree(grouping->target_work);
		}
		pairs_label(search);
	}
	pfree(search->memory);
	return labels;
}

/* Evaluate an argument that is the same for all rows of the partition. */
static bool
partition_argument(WindowObject winobj, int argno, double *value)
{
	bool		isnull;
	Datum		arg = WinGetFuncArgCurrent(winobj, argno, &isnull);

	if (!isnull)
		*value = DatumGetFloat8(arg);
	return !isnull;
}

/* Group the rows of a partition; recall is the last argument. */
static void
group_partition(FunctionCallInfo fcinfo, PartitionGroups *groups,
				Target target)
{
	WindowObject winobj = PG_WINDOW_OBJECT();
	MemoryContext context = GetMemoryChunkContext(groups);
	Grouping   *grouping;
	double		threshold;
	double		recall;
	int64		rows;

	groups->is_null = !partition_argument(winobj, 1, &threshold) ||
		!partition_argument(winobj, target == FIRST_OF_CLUSTER ? 2 : 3, &recall);
	if (groups->is_null)
		return;
	arg_check_threshold(threshold);
	arg_check_unit_interval(recall, "recall");
	grouping = MemoryContextAllocZero(context, sizeof(Grouping));
	pair_progress_init(&grouping->progress, get_func_name(fcinfo->flinfo->fn_oid),
					   &grouping->search);
	grouping->context = context;
	grouping->groups = groups;
	grouping->target = target;
	rows = WinGetPartitionRowCount(winobj);
	if (rows > PG_INT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many rows to cluster: %lld", (long long) rows),
				 errdetail("A partition has at most %d rows.", PG_INT32_MAX),
				 errhint("Use PARTITION BY.")));
	grouping->search.max_signatures = (size_t) rows;
	if (target != FIRST_OF_CLUSTER)
	{
		uint64		bytes = sizeof(NullableDatum) * grouping->search.max_signatures;

		groups->values = alloc_rows(grouping, bytes, bytes);
		get_typlenbyval(get_fn_expr_argtype(fcinfo->flinfo, 2),
						&groups->value_length, &groups->value_by_value);
	}
	if (target == REPRESENTATIVE && frames_matter(winobj))
	{
		MemoryContext old_context = MemoryContextSwitchTo(context);

		groups->frames = frames_begin((uint64) rows, threshold, recall);
		grouping->target = FIRST_OF_CLUSTER;
		MemoryContextSwitchTo(old_context);
	}
	if (read_rows(winobj, grouping, threshold, recall))
		groups->labels = label_rows(grouping, recall);
	pfree(grouping);
}

/* Return the groups of the partition of the current row. */
static PartitionGroups *
partition_groups(FunctionCallInfo fcinfo, Target target)
{
	WindowObject winobj = PG_WINDOW_OBJECT();
	PartitionGroups *groups =
		WinGetPartitionLocalMemory(winobj, sizeof(PartitionGroups));

	if (!groups->done)
	{
		compat_refuse_ignore_nulls(winobj, fcinfo);
		group_partition(fcinfo, groups, target);
		groups->done = true;
	}
	return groups;
}

/* Return the row that stands for a row. */
static int64
label_of(const PartitionGroups *groups, int64 row)
{
	return groups->labels == NULL ? row : groups->labels[row];
}

/* Return the row number of the first row of the current row's component. */
PG_FUNCTION_INFO_V1(minhash_cluster);
Datum
minhash_cluster(PG_FUNCTION_ARGS)
{
	PartitionGroups *groups = partition_groups(fcinfo, FIRST_OF_CLUSTER);
	int64		row = WinGetCurrentPosition(PG_WINDOW_OBJECT());

	if (groups->is_null)
		PG_RETURN_NULL();
	PG_RETURN_INT64(label_of(groups, row) + 1);
}

/* Return the value in the row that stands for the current row. */
static Datum
value_of_label(FunctionCallInfo fcinfo, Target target)
{
	PartitionGroups *groups = partition_groups(fcinfo, target);
	int64		row = WinGetCurrentPosition(PG_WINDOW_OBJECT());
	int64		label;

	if (groups->is_null)
		PG_RETURN_NULL();
	label = label_of(groups, row);
	if (groups->frames != NULL)
		label = frames_representative(groups->frames, PG_WINDOW_OBJECT(), (uint32) label);
	if (target == LINKED && label == row)
		PG_RETURN_NULL();
	fcinfo->isnull = groups->values[label].isnull;
	return groups->values[label].value;
}

/* Return the value in the row of the current row's representative. */
PG_FUNCTION_INFO_V1(minhash_representative);
Datum
minhash_representative(PG_FUNCTION_ARGS)
{
	return value_of_label(fcinfo, REPRESENTATIVE);
}

/* Return the value in the row that the current row is linked to. */
PG_FUNCTION_INFO_V1(minhash_link);
Datum
minhash_link(PG_FUNCTION_ARGS)
{
	return value_of_label(fcinfo, LINKED);
}
