/*-------------------------------------------------------------------------
 *
 * groups_list.c
 *	  Lists of groups.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/qunique.h"
#include "utils/array.h"

#include "compat.h"
#include "groups_list.h"
#include "support/server_memory.h"

/* Compare two groups. */
static int
compare_groups(const void *a, const void *b)
{
	int64		x = *(const int64 *) a;
	int64		y = *(const int64 *) b;

	return x < y ? -1 : (x > y);
}

/* Make an empty list. */
GroupList
make_list(int64 room)
{
	return (GroupList) {alloc_array((uint64) room, sizeof(int64)), 0};
}

/* Sort a list and remove repetitions. */
void
sort_list(GroupList *list)
{
	qsort(list->groups, (size_t) list->count, sizeof(int64), compare_groups);
	list->count = (int64) qunique(list->groups, (size_t) list->count,
								  sizeof(int64), compare_groups);
}

/* Return the place of a group in a sorted list. */
int64
list_place(const GroupList *list, int64 group)
{
	int64	   *found = list->count == 0 ? NULL :
		bsearch(&group, list->groups, (size_t) list->count, sizeof(int64),
				compare_groups);

	return found == NULL ? -1 : found - list->groups;
}

/* Return a list as the argument $1. */
GroupsArguments
list_argument(const GroupList *list)
{
	GroupsArguments arguments = {.count = 1,.types = {INT8ARRAYOID}};
	Datum	   *elements = alloc_array((uint64) list->count, sizeof(Datum));

	for (int64 i = 0; i < list->count; i++)
		elements[i] = Int64GetDatum(list->groups[i]);
	arguments.values[0] =
		PointerGetDatum(construct_array(elements, (int) list->count, INT8OID,
										sizeof(int64), FLOAT8PASSBYVAL,
										TYPALIGN_DOUBLE));
	return arguments;
}
