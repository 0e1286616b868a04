/*-------------------------------------------------------------------------
 *
 * groups_components.c
 *	  Find the components of rows under judgments: the groups, without their ids.
 *
 * The rows of lshsim_rows are sorted by scope and key, so that the components do
 * not depend on the order in which the relation stores them.  Keys of rows that
 * are gone follow, and count for nothing here.  Each scope is clustered by itself, by
 * the function that minhash_cluster() calls, too.
 *
 * Of tracked groups the parts of a divided component are listed, too, because a
 * later refresh must cluster it as a whole.
 *
 * Memory: that of minhash_cluster(), 8 bytes for each row, and 16 bytes for each
 * judged pair.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "clusters/clusters.h"
#include "groups.h"
#include "support/server_memory.h"

/* The rows of lshsim_rows, read in their order. */
typedef struct RowReader
{
	Tuplestorestate *store;
	TupleTableSlot *slot;
	int			head;			/* column: is 1 if the row is the first of a
								 * scope */
	MemoryContext context;		/* of the slot and what it holds */
} RowReader;

/* Read the next row; return a column of it. */
static Datum
next_column(RowReader *reader, int column, bool *isnull)
{
	MemoryContext old_context = MemoryContextSwitchTo(reader->context);

	if (!tuplestore_gettupleslot(reader->store, true, false, reader->slot))
		elog(ERROR, "lshsim_rows ends early");
	MemoryContextSwitchTo(old_context);
	return slot_getattr(reader->slot, column, isnull);
}

/* Return the signature of the next row. */
static Datum
next_signature(void *source, uint64 row, bool *isnull)
{
	RowReader  *reader = source;

	return next_column(reader, reader->head + 1, isnull);
}

/* Return the numbers of the first rows of all scopes, and behind them num_rows. */
static int64 *
find_scopes(RowReader *reader, int64 num_rows)
{
	int64	   *starts = server_alloc_array((uint64) num_rows + 1, sizeof(int64));
	int64		count = 0;
	bool		isnull;

	for (int64 row = 0; row < num_rows; row++)
	{
		CHECK_FOR_INTERRUPTS();
		if (DatumGetInt64(next_column(reader, reader->head, &isnull)) == 1)
			starts[count++] = row;
	}
	starts[count] = num_rows;
	tuplestore_rescan(reader->store);
	return starts;
}

/* Return the pairs of rows of a scope, whose rows count from 0, and their number. */
static uint64 *
pairs_of_scope(const uint64 *pairs, size_t num_pairs, int64 start, int64 end,
			   size_t *count)
{
	size_t		place = judged_place(pairs, num_pairs, (uint32) start);
	size_t		last = judged_place(pairs, num_pairs, (uint32) end);
	uint64	   *found = server_alloc_array(last - place, sizeof(uint64));

	*count = 0;
	for (; place < last; place++)
	{
		int64		other = (uint32) pairs[place];

		if (other >= start && other < end)
			found[(*count)++] = pairs[place] - division_pair((uint32) start, (uint32) start);
	}
	return found;
}

/*
 * Append the parts of divided components: for each group, but the one with the row
 * that names the component, its number and that of the other.
 */
static ArrayBuildState *
append_parts(ArrayBuildState *parts, const uint32 *labels, const uint32 *whole,
			 int64 start, int64 count, MemoryContext context)
{
	for (int64 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (labels[i] != i || labels[whole[i]] == i)
			continue;
		parts = accumArrayResult(parts, Int64GetDatum(start + i + 1), false, INT8OID, context);
		parts = accumArrayResult(parts, Int64GetDatum(start + labels[whole[i]] + 1), false,
								 INT8OID, context);
	}
	return parts;
}

/*
 * Find the components of the rows of a scope, which the reader comes to; return the
 * number of the first row of each one's component, from the scope's first.
 */
static uint32 *
cluster_scope(ClusterTask *task, const Division *judged, bool has_parts, int64 start,
			  int64 end, int64 *components)
{
	uint32	   *labels;

	task->rows = (uint64) (end - start);
	task->division.same = pairs_of_scope(judged->same, judged->num_same, start, end,
										 &task->division.num_same);
	task->division.different = pairs_of_scope(judged->different, judged->num_different,
											  start, end, &task->division.num_different);
	if (has_parts)
		task->division.components = server_alloc_array(task->rows, sizeof(uint32));
	labels = cluster_rows(task);
	for (int64 row = start; row < end; row++)
		components[row] = start + labels[row - start] + 1;
	return labels;
}

/* Find the components of all rows, scope by scope. */
Datum
groups_components(const char *name, const Groups *groups, EphemeralNamedRelation rows,
				  Datum *parts)
{
	int64		num_rows = (int64) rows->md.enrtuples;
	ArrayType  *array = groups_make_array(num_rows);
	int64	   *components = (int64 *) ARR_DATA_PTR(array);
	RowReader	reader = {rows->reldata, MakeSingleTupleTableSlot(rows->md.tupdesc, &TTSOpsMinimalTuple),
	list_length(groups->key) + 1, CurrentMemoryContext};
	ArrayBuildState *list = initArrayResult(INT8OID, CurrentMemoryContext, false);
	Division	judged = {0};
	ClusterTask task = {
		.name = name,.target = FIRST_OF_CLUSTER,.threshold = groups->threshold,
		.recall = groups->recall,.fetch = next_signature,.source = &reader,
		.division.agreement = groups->agreement
	};
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "lshsim scope",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old_context;
	int64	   *starts;
	bool		has_judgments = groups_judgments(groups, num_rows, &judged);
	bool		has_parts = groups->track && (groups->agreement > 0 || judged.num_different > 0);

	tuplestore_select_read_pointer(rows->reldata, 0);
	tuplestore_rescan(rows->reldata);
	starts = find_scopes(&reader, num_rows);
	old_context = MemoryContextSwitchTo(context);
	for (int64 i = 0; starts[i] < num_rows; i++)
	{
		uint32	   *labels = cluster_scope(&task, &judged, has_parts, starts[i], starts[i + 1], components);

		if (has_parts)
			list = append_parts(list, labels, task.division.components, starts[i],
								starts[i + 1] - starts[i], old_context);
		MemoryContextReset(context);
	}
	MemoryContextSwitchTo(old_context);
	MemoryContextDelete(context);
	ExecDropSingleTupleTableSlot(reader.slot);
	*parts = makeArrayResult(list, CurrentMemoryContext);
	if (has_judgments)
		groups_warn_of_conflicts(components);
	return PointerGetDatum(array);
}
