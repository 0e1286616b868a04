/*-------------------------------------------------------------------------
 *
 * groups_list.h
 *	  Lists of groups.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GROUPS_LIST_H
#define GROUPS_LIST_H

#include "groups_rows.h"

typedef struct GroupList
{
	int64	   *groups;
	int64		count;
} GroupList;

/* Make an empty list, with room for a number of groups. */
extern GroupList make_list(int64 room);

/* Sort a list and remove repetitions. */
extern void sort_list(GroupList *list);

/* Return the place of a group in a sorted list, from 0; -1 if it is not there. */
extern int64 list_place(const GroupList *list, int64 group);

/* Return a list as the argument $1, of type bigint[]. */
extern GroupsArguments list_argument(const GroupList *list);

#endif							/* GROUPS_LIST_H */
