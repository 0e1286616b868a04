/*-------------------------------------------------------------------------
 *
 * group_ids.c
 *	  Carry group ids over from one set of components to the next.
 *
 * Components are numbered from scratch each time, but users store the ids of
 * groups, so an id has to follow its rows.  An old group and a new component
 * overlap if they have rows in common.  Overlaps are visited from the largest
 * to the smallest, ties by the smaller id; an overlap whose group and component
 * are both free gives the component the id of the group.  Hence a component
 * that overlaps several old groups keeps the id of the one with most rows in
 * common, of several parts of a split group the largest keeps its id, and a
 * group whose rows are unchanged always keeps its id.
 *
 * Each changed row has one of these events:
 *	 new	it had no group, and its group is new
 *	 join	it had no group, and its group existed before
 *	 merge	its old group no longer exists, and it joined another one
 *	 split	its old group still exists, but the row is in another one
 *	 leave	it was deleted, and had a group
 *
 * Time: O(n log n) for n rows.  Memory: 24 bytes for each row, and about 50 for
 * each old group that still exists.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "group_ids.h"
#include "support/server_memory.h"

/* Compare two numbers. */
static int
compare_numbers(int64 a, int64 b)
{
	return a < b ? -1 : (a > b);
}

/* Order rows by old group and component. */
static int
compare_rows(const void *a, const void *b)
{
	const GroupRow *x = a;
	const GroupRow *y = b;
	int			order = compare_numbers(x->old_group, y->old_group);

	CHECK_FOR_INTERRUPTS();
	return order != 0 ? order : compare_numbers(x->component, y->component);
}

/* Order overlaps by descending rows, old group and component. */
static int
compare_overlaps(const void *a, const void *b)
{
	const GroupRow *x = a;
	const GroupRow *y = b;
	int			order = compare_numbers(y->rows, x->rows);

	CHECK_FOR_INTERRUPTS();
	return order != 0 ? order : compare_rows(a, b);
}

/* Set the ids of the components that have rows to -1, and count them. */
static void
mark_components(GroupIds *ids, const GroupRow *rows, int64 num_rows)
{
	for (int64 i = 0; i < num_rows; i++)
		ids->max_component = Max(ids->max_component, rows[i].component);
	ids->ids = alloc_zeros(ids->max_component + 1, sizeof(int64));
	for (int64 i = 0; i < num_rows; i++)
	{
		int64	   *id = &ids->ids[rows[i].component];

		if (rows[i].component == 0 || *id != 0)
			continue;
		*id = -1;
		ids->components++;
	}
}

/* Merge the rows of each overlap, which are sorted; return its number. */
static int64
merge_overlaps(GroupRow *rows, int64 num_rows)
{
	int64		count = 0;

	for (int64 i = 0; i < num_rows; i++)
	{
		if (rows[i].component == 0 || rows[i].old_group == 0)
			continue;
		if (count > 0 && compare_rows(&rows[count - 1], &rows[i]) == 0)
			rows[count - 1].rows += rows[i].rows;
		else
			rows[count++] = rows[i];
	}
	return count;
}

/* Let components keep the ids of old groups, the largest overlap first. */
static void
keep_ids(GroupIds *ids, GroupRow *overlaps, int64 count)
{
	HASHCTL		control = {
		.keysize = sizeof(int64),
		.entrysize = sizeof(int64),
		.hcxt = CurrentMemoryContext
	};

	ids->kept = hash_create("kept groups", 64, &control,
							HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	qsort(overlaps, (size_t) count, sizeof(GroupRow), compare_overlaps);
	for (int64 i = 0; i < count; i++)
	{
		int64	   *id = &ids->ids[overlaps[i].component];
		bool		is_kept;

		if (*id != -1)
			continue;			/* it has the id of a larger overlap */
		(void) hash_search(ids->kept, &overlaps[i].old_group, HASH_ENTER,
						   &is_kept);
		if (!is_kept)
			*id = overlaps[i].old_group;
	}
}

/* Give components the ids of old groups, the largest overlap first. */
int64
group_ids_assign(GroupIds *ids, GroupRow *rows, int64 num_rows)
{
	memset(ids, 0, sizeof(GroupIds));
	mark_components(ids, rows, num_rows);
	qsort(rows, (size_t) num_rows, sizeof(GroupRow), compare_rows);
	keep_ids(ids, rows, merge_overlaps(rows, num_rows));
	return ids->components - hash_get_num_entries(ids->kept);
}

/* Give components without an id the ids from first on. */
void
group_ids_new(GroupIds *ids, int64 first)
{
	ids->first_new = first;
	for (int64 i = 1; i <= ids->max_component; i++)
		if (ids->ids[i] == -1)
			ids->ids[i] = first++;
}

/* Return the new group of a row, or 0. */
int64
group_ids_of(const GroupIds *ids, const GroupRow *row)
{
	return ids->ids[row->component];
}

/* Return the event of a row whose group has changed. */
const char *
group_ids_event(const GroupIds *ids, const GroupRow *row)
{
	if (row->component == 0)
		return "leave";
	if (row->old_group == 0)
		return group_ids_of(ids, row) >= ids->first_new ? "new" : "join";
	return hash_search(ids->kept, &row->old_group, HASH_FIND, NULL) != NULL ?
		"split" : "merge";
}
