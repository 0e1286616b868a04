/*-------------------------------------------------------------------------
 *
 * minhash_cluster.c
 *	  The window functions minhash_cluster, minhash_representative, minhash_link.
 *
 * The first two find the row that stands for the current row:
 *
 *	- minhash_cluster: the first row of its cluster, a connected component under
 *	  similarity or, with an agreement above 0, a part of one (see
 *	  core/bands/division.c).  The result is its row number in the window's order.
 *	- minhash_representative: its representative.  In the window's order, each
 *	  row joins the first earlier representative that it is similar to, or
 *	  becomes one (see core/bands/representatives.c).  So each row is similar to its
 *	  representative, and no two representatives are similar to each other.  The
 *	  result is the value of an argument in the representative's row.  A frame that
 *	  lacks rows before the current one limits the representatives (see frames.c).
 *
 * minhash_link finds the row that the current row is linked to: the links of a
 * cluster are a tree of its similar pairs, the strongest first.  The first row of
 * a cluster is linked to none.
 *
 * The call for the first row of a partition groups all of its rows.  It asks
 * for the number of rows, so that the executor spools the partition into a
 * tuplestore, which goes to disk when it exceeds work_mem.  It then fetches the
 * signatures one by one, in the window's order (see clusters.c).  Until the
 * partition ends, only 4 bytes a row are kept, and the values: to fetch the value
 * of an earlier row from the tuplestore would take time that grows with the
 * distance of the rows.
 *
 * Threshold, recall and agreement are those of the first row, as with ntile().
 * If one of them is NULL, the result is NULL.  The frame matters only to
 * minhash_representative.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "windowapi.h"

#include "clusters.h"
#include "compat.h"
#include "frames.h"
#include "support/arguments.h"

/* The groups of a partition. */
typedef struct PartitionGroups
{
	bool		done;
	bool		is_null;		/* an argument is NULL */
	uint32	   *labels;			/* row of each row */
	NullableDatum *values;		/* of each row; NULL for clusters */
	Frames	   *frames;			/* NULL: they do not matter; otherwise labels
								 * are of components */
	int16		value_length;	/* the type of the values */
	bool		value_by_value;
} PartitionGroups;

/* A partition that is read. */
typedef struct PartitionSource
{
	WindowObject winobj;
	MemoryContext context;		/* for copies of values */
	PartitionGroups *groups;
} PartitionSource;

/* Copy the value of a row. */
static void
copy_value(const PartitionSource *source, uint64 row)
{
	PartitionGroups *groups = source->groups;
	NullableDatum *value = &groups->values[row];
	MemoryContext row_context;
	bool		isout;

	value->value = WinGetFuncArgInPartition(source->winobj, 2, (int) row,
											WINDOW_SEEK_HEAD, false,
											&value->isnull, &isout);
	if (value->isnull)
		return;
	row_context = MemoryContextSwitchTo(source->context);
	value->value = datumCopy(value->value, groups->value_by_value,
							 groups->value_length);
	MemoryContextSwitchTo(row_context);
}

/* Fetch the signature of a row, and copy its value. */
static Datum
fetch_row(void *data, uint64 row, bool *isnull)
{
	const PartitionSource *source = data;
	bool		isout;

	if (source->groups->values != NULL)
		copy_value(source, row);
	return WinGetFuncArgInPartition(source->winobj, 0, (int) row, WINDOW_SEEK_HEAD,
									false, isnull, &isout);
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

/* Read the arguments behind the signature; return false if one is NULL. */
static bool
read_arguments(WindowObject winobj, ClusterTask *task)
{
	int			recall = task->target == FIRST_OF_CLUSTER ? 2 : 3;

	if (!partition_argument(winobj, 1, &task->threshold) ||
		!partition_argument(winobj, recall, &task->recall) ||
		(task->target != REPRESENTATIVE &&
		 !partition_argument(winobj, recall + 1, &task->division.agreement)))
		return false;
	arg_check_threshold(task->threshold);
	arg_check_unit_interval(task->recall, "recall");
	arg_check_unit_interval(task->division.agreement, "agreement");
	return true;
}

/* Group the rows of a partition. */
static void
group_partition(FunctionCallInfo fcinfo, PartitionGroups *groups,
				ClusterTarget target)
{
	WindowObject winobj = PG_WINDOW_OBJECT();
	MemoryContext context = GetMemoryChunkContext(groups);
	PartitionSource source = {winobj, context, groups};
	ClusterTask task = {.target = target,.fetch = fetch_row,.source = &source};
	MemoryContext old_context;

	groups->is_null = !read_arguments(winobj, &task);
	if (groups->is_null)
		return;
	task.name = get_func_name(fcinfo->flinfo->fn_oid);
	task.rows = (uint64) WinGetPartitionRowCount(winobj);
	old_context = MemoryContextSwitchTo(context);
	if (target != FIRST_OF_CLUSTER)
	{
		uint64		bytes = sizeof(NullableDatum) * task.rows;

		groups->values = cluster_alloc(&task, bytes, bytes);
		get_typlenbyval(get_fn_expr_argtype(fcinfo->flinfo, 2),
						&groups->value_length, &groups->value_by_value);
	}
	if (target == REPRESENTATIVE && frames_matter(winobj))
	{
		groups->frames = frames_begin(task.rows, task.threshold, task.recall);
		task.target = FIRST_OF_CLUSTER;
	}
	groups->labels = cluster_rows(&task);
	MemoryContextSwitchTo(old_context);
}

/* Return the groups of the partition of the current row. */
static PartitionGroups *
partition_groups(FunctionCallInfo fcinfo, ClusterTarget target)
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

/* Return the row number of the first row of the current row's cluster. */
PG_FUNCTION_INFO_V1(minhash_cluster);
Datum
minhash_cluster(PG_FUNCTION_ARGS)
{
	PartitionGroups *groups = partition_groups(fcinfo, FIRST_OF_CLUSTER);

	if (groups->is_null)
		PG_RETURN_NULL();
	PG_RETURN_INT64((int64) groups->labels[WinGetCurrentPosition(PG_WINDOW_OBJECT())] + 1);
}

/* Return the value in the row that stands for the current row. */
static Datum
value_of_label(FunctionCallInfo fcinfo, ClusterTarget target)
{
	PartitionGroups *groups = partition_groups(fcinfo, target);
	int64		row = WinGetCurrentPosition(PG_WINDOW_OBJECT());
	int64		label;

	if (groups->is_null)
		PG_RETURN_NULL();
	label = groups->labels[row];
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
