/*-------------------------------------------------------------------------
 *
 * group_ids.h
 *	  Carry group ids over from one set of components to the next.
 *
 * Order of calls: group_ids_assign() with all rows, then group_ids_new() with
 * as many unused ids as it returned, then group_ids_event() for any row.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GROUP_IDS_H
#define GROUP_IDS_H

#include "utils/hsearch.h"

/*
 * A row, or several rows with the same old group and the same component; 0
 * stands for none.
 */
typedef struct GroupRow
{
	int64		component;		/* now, from 1 */
	int64		old_group;		/* before */
	int64		rows;
} GroupRow;

/* The ids of components. */
typedef struct GroupIds
{
	int64	   *ids;			/* by component; 0 if it has no rows */
	int64		max_component;
	int64		components;
	int64		first_new;		/* ids from here on are new */
	HTAB	   *kept;			/* the old groups whose ids components have */
} GroupIds;

/*
 * Give each component the id of an old group, by the rows that they have in
 * common.  Overwrites the rows.  Returns the number of components without an
 * id.  All memory is allocated in the current memory context.
 */
extern int64 group_ids_assign(GroupIds *ids, GroupRow *rows, int64 num_rows);

/* Give the other components ids from first on, in the order of components. */
extern void group_ids_new(GroupIds *ids, int64 first);

/* Return the new group of a row, or 0. */
extern int64 group_ids_of(const GroupIds *ids, const GroupRow *row);

/* Return the event of a row whose group has changed (see group_ids.c). */
extern const char *group_ids_event(const GroupIds *ids, const GroupRow *row);

#endif							/* GROUP_IDS_H */
