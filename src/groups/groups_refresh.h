/*-------------------------------------------------------------------------
 *
 * groups_refresh.h
 *	  Bring a table of groups up to date by reading the whole table.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GROUPS_REFRESH_H
#define GROUPS_REFRESH_H

#include "groups.h"

/*
 * Compare the groups with the components of the table in the active snapshot,
 * and write the changes.
 */
extern GroupsResult groups_refresh(const Groups *groups);

#endif							/* GROUPS_REFRESH_H */
