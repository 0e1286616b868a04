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
 * Time: O(n log n) for n rows.  Memory: 24 bytes for each row, and 64 bytes for
 * each pair of an old group and a component that overlap.
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

/* Order pointers to overlaps by descending rows, old group and component. */
static int
compare_overlaps(const void *a, const void *b)
{
	const GroupOverlap *x = *(GroupOverlap *const *) a;
	const GroupOverlap *y = *(GroupOverlap *const *) b;
	int			order = compare_numbers(y->rows, x->rows);

	CHECK_FOR_INTERRUPTS();
	if (order == 0)
		order = compare_numbers(x->old_group, y->old_group);
	return order != 0 ? order : compare_numbers(x->component, y->component);
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

/* Return true if a row is part of an overlap. */
static bool
overlaps(const GroupRow *row)
{
	return row->component != 0 && row->old_group != 0;
}

/* Count the rows of every overlap; the rows are sorted. */
static void
count_overlaps(GroupIds *ids, const GroupRow *rows, int64 num_rows)
{
	GroupOverlap *last = NULL;

	for (int64 i = 0; i < num_rows; i++)
		if (overlaps(&rows[i]) && (i == 0 || compare_rows(&rows[i], &rows[i - 1]) != 0))
			ids->num_overlaps++;
	ids->overlaps = alloc_zeros(ids->num_overlaps, sizeof(GroupOverlap));
	for (int64 i = 0; i < num_rows; i++)
	{
		if (!overlaps(&rows[i]))
			continue;
		if (last == NULL || last->old_group != rows[i].old_group ||
			last->component != rows[i].component)
		{
			GroupOverlap *next = last == NULL ? ids->overlaps : last + 1;

			next->old_group = rows[i].old_group;
			next->component = rows[i].component;
			next->first = last != NULL && last->old_group == next->old_group ?
				last->first : next - ids->overlaps;
			last = next;
		}
		last->rows += rows[i].rows;
	}
}

/* Let components keep the ids of old groups, the largest overlap first. */
static int64
keep_ids(GroupIds *ids)
{
	GroupOverlap **order = alloc_array(ids->num_overlaps, sizeof(GroupOverlap *));
	int64		kept = 0;

	for (int64 i = 0; i < ids->num_overlaps; i++)
		order[i] = &ids->overlaps[i];
	qsort(order, (size_t) ids->num_overlaps, sizeof(GroupOverlap *),
		  compare_overlaps);
	for (int64 i = 0; i < ids->num_overlaps; i++)
	{
		GroupOverlap *first = &ids->overlaps[order[i]->first];
		int64	   *id = &ids->ids[order[i]->component];

		if (first->is_kept || *id != -1)
			continue;
		*id = first->old_group;
		first->is_kept = true;
		kept++;
	}
	pfree(order);
	return kept;
}

/* Give components the ids of old groups, the largest overlap first. */
int64
group_ids_assign(GroupIds *ids, GroupRow *rows, int64 num_rows)
{
	memset(ids, 0, sizeof(GroupIds));
	mark_components(ids, rows, num_rows);
	qsort(rows, (size_t) num_rows, sizeof(GroupRow), compare_rows);
	count_overlaps(ids, rows, num_rows);
	return ids->components - keep_ids(ids);
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

/* Return true if a component has the id of an old group. */
static bool
is_kept(const GroupIds *ids, int64 old_group)
{
	int64		low = 0;
	int64		high = ids->num_overlaps;

	while (low < high)
	{
		int64		middle = low + (high - low) / 2;

		if (ids->overlaps[middle].old_group < old_group)
			low = middle + 1;
		else
			high = middle;
	}
	return low < ids->num_overlaps &&
		ids->overlaps[low].old_group == old_group &&
		ids->overlaps[low].is_kept;
}

/* Return the event of a row whose group has changed. */
const char *
group_ids_event(const GroupIds *ids, const GroupRow *row)
{
	if (row->component == 0)
		return "leave";
	if (row->old_group == 0)
		return group_ids_of(ids, row) >= ids->first_new ? "new" : "join";
	return is_kept(ids, row->old_group) ? "split" : "merge";
}
