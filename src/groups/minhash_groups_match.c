/*-------------------------------------------------------------------------
 *
 * minhash_groups_match.c
 *	  minhash_groups_match, which carries the ids of groups over from one refresh
 *	  to the next.
 *
 * Components are numbered from scratch each time, but users store the ids of
 * groups, so an id has to follow its rows.  An old group and a new component
 * overlap if they have rows in common.  Overlaps are visited from the largest
 * to the smallest, ties by the smaller id; an overlap whose group and component
 * are both free gives the component the id of the group.  Hence a component
 * that overlaps several old groups gets the id of the one with most rows in
 * common.  Of the parts of a split group, the largest keeps its id.  A group
 * whose rows are unchanged always keeps its id.
 *
 * This is a greedy matching, which no fixed number of joins computes: if A and X
 * have 10 rows in common, B and X 5, B and Y 4, then Y keeps the id of B although
 * Y is not the largest overlap of B.
 *
 * The rows are two arrays, because array_agg() is faster than a window function,
 * which would read them from a tuplestore again.
 *
 * Time: O(n log n) for n rows.  Memory: 41 bytes for each row.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/array.h"

#include "groups.h"
#include "support/server_memory.h"

/* The id of a component that has none yet. */
#define WITHOUT_ID (-1)

/* An old group and a component that have rows in common. */
typedef struct Overlap
{
	int64		group;
	int64		component;		/* from 1 on */
	int64		rows;
	int64		group_number;	/* from 0 on */
} Overlap;

/* Order overlaps by descending rows, group and component. */
static int
compare_overlaps(const void *a, const void *b)
{
	const Overlap *x = a;
	const Overlap *y = b;

	CHECK_FOR_INTERRUPTS();
	if (x->rows != y->rows)
		return x->rows > y->rows ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return x->component < y->component ? -1 : x->component > y->component;
}

/* Check the id of a group; 0 stands for none. */
static int64
check_id(int64 id)
{
	if (id < 0)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("group id %lld is out of range", (long long) id),
				 errdetail("The ids of groups count from 1, and 0 stands for no group.")));
	return id;
}

/* Return the id after the last one. */
static int64
next_id(int64 last_id)
{
	if (last_id == PG_INT64_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("no group id is left after %lld", (long long) last_id),
				 errhint("Drop the groups and create them again.")));
	return last_id + 1;
}

/*
 * Read the rows: mark their components in the ids, and return the number of rows
 * that had a group.
 */
static int64
count_overlaps(const int64 *groups, const int64 *components, int64 num_rows,
			   Overlap *overlaps, int64 *ids)
{
	int64		count = 0;

	for (int64 i = 0; i < num_rows; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (components[i] < 1 || components[i] > num_rows)
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("component %lld is out of range", (long long) components[i]),
					 errdetail("Components are numbered from 1 to at most the number of rows.")));
		ids[components[i] - 1] = WITHOUT_ID;
		if (groups[i] != 0)
			overlaps[count++] = (Overlap) {groups[i], components[i], 1, 0};
	}
	return count;
}

/*
 * Merge overlaps of one row each, and number the groups; return the number of
 * different overlaps.
 */
static int64
merge_rows(Overlap *overlaps, int64 num_rows)
{
	int64		count = 0;

	qsort(overlaps, (size_t) num_rows, sizeof(Overlap), compare_overlaps);
	for (int64 i = 0; i < num_rows; i++)
	{
		Overlap    *last = i == 0 ? overlaps : &overlaps[count - 1];
		int64		number = last->group_number + (last->group != overlaps[i].group);

		if (i > 0 && number == last->group_number && last->component == overlaps[i].component)
			last->rows++;
		else
		{
			overlaps[count] = overlaps[i];
			overlaps[count++].group_number = number;
		}
	}
	return count;
}

/* Give components the ids of old groups, the largest overlap first. */
static void
keep_ids(Overlap *overlaps, int64 count, int64 *ids)
{
	bool	   *is_kept = server_alloc_zeros(count, sizeof(bool));

	qsort(overlaps, (size_t) count, sizeof(Overlap), compare_overlaps);
	for (int64 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (ids[overlaps[i].component - 1] == WITHOUT_ID &&
			!is_kept[overlaps[i].group_number])
		{
			ids[overlaps[i].component - 1] = overlaps[i].group;
			is_kept[overlaps[i].group_number] = true;
		}
	}
	pfree(is_kept);
}

/* Return the ids of the components of rows, 0 for numbers without rows. */
PG_FUNCTION_INFO_V1(minhash_groups_match);
Datum
minhash_groups_match(PG_FUNCTION_ARGS)
{
	int64		num_groups;
	int64		num_rows;
	const int64 *groups = groups_elements(PG_GETARG_DATUM(0), &num_groups);
	const int64 *components = groups_elements(PG_GETARG_DATUM(1), &num_rows);
	int64		last_id = check_id(PG_GETARG_INT64(2));
	ArrayType  *result = groups_make_array(num_rows);
	int64	   *ids = (int64 *) ARR_DATA_PTR(result);
	Overlap    *overlaps = server_alloc_array(num_rows, sizeof(Overlap));

	if (num_groups != num_rows)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("arrays of groups and components must have the same length")));
	for (int64 i = 0; i < num_rows; i++)
		last_id = Max(last_id, check_id(groups[i]));
	keep_ids(overlaps,
			 merge_rows(overlaps, count_overlaps(groups, components, num_rows, overlaps, ids)),
			 ids);
	for (int64 i = 0; i < num_rows; i++)
		if (ids[i] == WITHOUT_ID)
			ids[i] = last_id = next_id(last_id);
	pfree(overlaps);
	PG_RETURN_ARRAYTYPE_P(result);
}
