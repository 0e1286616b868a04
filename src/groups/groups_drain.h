/*-------------------------------------------------------------------------
 *
 * groups_drain.h
 *	  Bring a table of groups up to date by reading what has changed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GROUPS_DRAIN_H
#define GROUPS_DRAIN_H

#include "groups.h"

/*
 * Update the groups of the rows that the queue names, and of the rows similar
 * to them, in the active snapshot.  Each row that has changed since the last
 * refresh must be in the queue, with the signature that it had then.
 */
extern GroupsResult groups_drain(Groups *groups);

#endif							/* GROUPS_DRAIN_H */
