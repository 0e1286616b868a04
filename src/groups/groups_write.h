/*-------------------------------------------------------------------------
 *
 * groups_write.h
 *	  Match components with groups, and write the rows whose group has changed.
 *
 * Order of calls: groups_next() for all rows, groups_match(), groups_collect(),
 * groups_write_changes().
 *
 *-------------------------------------------------------------------------
 */
#ifndef GROUPS_WRITE_H
#define GROUPS_WRITE_H

#include "group_ids.h"
#include "groups_rows.h"

/* Fetch the next row; return false at the end. */
extern bool groups_next(GroupRows *rows, GroupRow *row);

/* Give each component an id, an old one or a new one.  Frees the rows. */
extern GroupIds groups_match(const Groups *groups, GroupRow *all, int64 count);

/* Collect the rows whose group has changed.  Ends the store of all rows. */
extern GroupRows groups_collect(GroupRows *rows, const GroupIds *ids);

/* Write the changes to the groups and to the log. */
extern void groups_write_changes(const Groups *groups, const GroupRows *changes);

#endif							/* GROUPS_WRITE_H */
