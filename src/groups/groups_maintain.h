/*-------------------------------------------------------------------------
 *
 * groups_maintain.h
 *	  Make and drop the queue and the triggers of groups.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GROUPS_MAINTAIN_H
#define GROUPS_MAINTAIN_H

#include "fmgr.h"
#include "utils/reltrigger.h"

/* When groups are brought up to date with their table. */
typedef enum Maintenance
{
	MAINTAIN_MANUAL,			/* at each refresh, by reading the table */
	MAINTAIN_QUEUE,				/* at each refresh, by reading the queue */
	MAINTAIN_COMMIT				/* by the queue, as transactions end */
} Maintenance;

/* Parse the argument maintain; raise an error if it is invalid. */
extern Maintenance maintenance_from_text(const text *name);

/* Return the queue that a row trigger of the user's table fills, or 0. */
extern Oid	groups_queue_of(const Trigger *trigger);

/*
 * Make the queue of groups, and the triggers that fill it and empty it.  The
 * columns are a list of quoted names: the key and the signatures.  The caller
 * has connected to SPI.
 */
extern void groups_make_queue(FunctionCallInfo fcinfo, Oid relation, Oid groups,
							  const char *columns, Maintenance maintenance);

/* Drop groups with all that belongs to them. */
extern void groups_drop_tables(FunctionCallInfo fcinfo, Oid groups);

#endif							/* GROUPS_MAINTAIN_H */
