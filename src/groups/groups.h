/*-------------------------------------------------------------------------
 *
 * groups.h
 *	  Groups of similar rows that are kept in a table, and how they are brought
 *	  up to date.
 *
 * groups_update() reads the definition and calls groups_drain() if groups_state()
 * shows that the queue has all changes, and these are few; otherwise it reads
 * the whole table.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GROUPS_H
#define GROUPS_H

#include "fmgr.h"
#include "nodes/pg_list.h"

/* The definition of groups and the names of their tables; names are quoted. */
typedef struct Groups
{
	Oid			oid;			/* the table of groups */
	char	   *table;			/* its name, with the schema */
	char	   *log;
	char	   *definition;
	char	   *queue;			/* NULL if changes are not queued */
	Oid			queue_oid;
	bool		queue_fits;		/* the queue has the columns of the definition */
	int64		state;			/* groups_state() at the last refresh */
	char	   *relation;		/* the table whose rows are grouped */
	Oid			relation_oid;
	char	   *sig;			/* its column of signatures */
	List	   *key;			/* its key columns: char * */
	List	   *columns;		/* the numbers of both */
	double		threshold;
	double		recall;
	int64		refresh;		/* the number of the current refresh */
	const char *extension;		/* the schema of minhash_cluster() */
	bool		at_commit;		/* by the trigger minhash_groups_commit */
	bool		by_row;			/* few rows are read: see groups_rows.h */
	int			guc_level;		/* of the settings for by_row */
} Groups;

/* The result of a refresh. */
typedef struct GroupsResult
{
	int64		rows;			/* rows of the table that were compared */
	int64		groups;			/* groups of these rows */
	int64		changed_rows;
} GroupsResult;

/*
 * Bring groups up to date.  The caller has become their owner (see
 * groups_names.h) and has not connected to SPI; fcinfo is that of a function of
 * the extension.  Raises an error if the table or a column no longer exists.
 */
extern GroupsResult groups_update(FunctionCallInfo fcinfo, Oid oid);

/*
 * Return a hash of the definition of groups and of the state of the table in
 * the active snapshot, or 0 if the state is uncertain.  If two refreshes find
 * the same hash, and it is not 0, then all changes of rows in between have been
 * queued.
 */
extern int64 groups_state(const Groups *groups);

/*
 * Update the groups of the rows that the queue names, and of the rows similar
 * to them, in the active snapshot.  Each row that has changed since the last
 * refresh must be in the queue, with the signature that it had then.
 */
extern GroupsResult groups_drain(Groups *groups);

#endif							/* GROUPS_H */
