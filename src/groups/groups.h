/*-------------------------------------------------------------------------
 *
 * groups.h
 *	  Groups of similar rows that are kept in a table.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GROUPS_H
#define GROUPS_H

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

#endif							/* GROUPS_H */
