/*-------------------------------------------------------------------------
 *
 * groups_state.h
 *	  Notice changes of a table that its queue of changes misses.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GROUPS_STATE_H
#define GROUPS_STATE_H

#include "groups.h"

/*
 * Return a hash of the definition of groups and of the state of the table in
 * the active snapshot, or 0 if the state is uncertain.  If two refreshes find
 * the same hash, and it is not 0, then all changes of rows in between have been
 * queued.
 */
extern int64 groups_state(const Groups *groups);

#endif							/* GROUPS_STATE_H */
