/*-------------------------------------------------------------------------
 *
 * groups_connected.h
 *	  Find out whether groups that have lost rows are still connected.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GROUPS_CONNECTED_H
#define GROUPS_CONNECTED_H

#include "groups_list.h"

/*
 * Return, sorted, those of the large groups whose old rows are known to be
 * connected.  The caller has registered the changed rows under the name
 * "changed".
 */
extern GroupList groups_connected(const Groups *groups, const GroupList *large);

#endif							/* GROUPS_CONNECTED_H */
