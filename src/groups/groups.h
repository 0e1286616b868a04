/*-------------------------------------------------------------------------
 *
 * groups.h
 *	  Groups of similar rows that are kept in a table.
 *
 * Groups consist of four tables that belong to the owner of the user's table and
 * lie in one schema, by default that of the table: NAME (key columns, grp),
 * NAME_log (one row for each row whose group has changed), NAME_judged (judgments
 * of pairs of rows) and NAME_definition (a single row).  The definition is kept
 * with the groups, not in a table of the extension, so that pg_dump and
 * pg_restore treat it as they treat any table of that owner.  Its references to
 * the user's table and to the two tables that tracked groups also have are
 * regclass, so that they follow a rename.
 *
 * The caller of all functions but groups_named() and those of names has become
 * the owner and has connected to SPI.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GROUPS_H
#define GROUPS_H

#include "fmgr.h"
#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/queryenvironment.h"

#include "core/bands/division.h"

/* The tables of groups. */
enum
{
	GROUPS_TABLE,				/* the table of groups itself */
	GROUPS_LOG,
	GROUPS_JUDGED,
	GROUPS_DEFINITION,
	NUM_GROUPS_TABLES
};

/* The state of tracked groups at their last refresh: the elements of an array. */
enum
{
	GROUPS_STATE_ROWS,			/* -1: there was none */
	GROUPS_STATE_GROUPS,
	GROUPS_STATE_CATALOGS,		/* a hash of catalog rows and of the
								 * definition; 0: unknown */
	GROUPS_STATE_COLUMNS,		/* a hash of the columns that the triggers
								 * compare */
	NUM_GROUPS_STATE
};

/*
 * Groups, and their definition.  Columns are lists of char *, not quoted.  All
 * strings and lists are palloc'd.
 */
typedef struct Groups
{
	Oid			schema;			/* of the tables of groups */
	char	   *names[NUM_GROUPS_TABLES];
	char	   *tables[NUM_GROUPS_TABLES];	/* quoted, with the schema */
	const char *extension;		/* the schema of the extension, quoted */
	Oid			relation;		/* the relation whose rows are grouped */
	char	   *sig;			/* its column of signatures */
	List	   *key;			/* its columns that identify a row */
	List	   *scope;			/* its columns within which rows are compared */
	double		threshold;
	double		recall;
	double		agreement;
	int64		refresh;		/* number of the current refresh, from 1 */
	int64		last_grp;		/* last id assigned to a group */

	/* Tracked groups (groups_track.c). */
	bool		track;
	Oid			changes;		/* the table of changed keys, or InvalidOid */
	Oid			components;		/* the table of components, or InvalidOid */
	int64		state[NUM_GROUPS_STATE];
} Groups;

/*** SQL (groups_sql.c) ***/

/* Return groups with a name in a schema: the names of tables. */
extern Groups groups_named(Oid schema, const char *name);

/* Return the names of the columns of the key of one row, "a" or "b", of a judged pair. */
extern List *groups_judged_key(const Groups *groups, const char *row);

/*
 * Return a statement, in whose text each part in braces, which differs from groups to
 * groups, is replaced:
 *
 *	{groups} {log} {judged} {definition} {changes} {components}
 *						the tables
 *	{relation} {source}	the relation; for FROM, with the alias t, without tables that
 *						inherit from it
 *	{key} {a} {b}		the columns of the key, and their names in the table of judgments
 *	{k}					names for them in a query: k1, k2, ...
 *	{scope} {s}			the columns of the scope, and names for them: s1, s2, ...; if
 *						there are none, a constant and one name
 *	{compared}			key, signature and scope
 *	{t.key}				such a list, each with the prefix t.
 *	{t.key = s.k}		a condition: columns are equal.  NULL equals NULL, except in {t.key = s.k}
 *	{sig}				the column of signatures
 *	{threshold} {recall}
 *	{extension}			its schema
 *	{note_trigger}		a string constant: minhash_note_trigger()
 *	{most}				rows that are not too many to be clustered as changes
 *
 * groups_begin_refresh() has read the groups.
 */
extern char *groups_sql(const Groups *groups, const char *text);

/*
 * Run a statement, with parts or without any, through SPI.  Raises an error unless it
 * ends with a status of SPI_execute(), such as SPI_OK_SELECT.
 */
extern void groups_run(const Groups *groups, const char *text, int status);
extern void groups_run_sql(const char *statement, int status);

/*
 * Return the equality operator by which a column of the relation is compared, or
 * InvalidOid if there is none, or none that a statement can name.
 */
extern Oid	groups_equality(const Groups *groups, const char *column);

/*
 * Return a column, from 1, of a row, from 0, of those that SPI returned last.
 * Raises ERRCODE_NULL_VALUE_NOT_ALLOWED if it is NULL.
 */
extern Datum groups_result(uint64 row, int column);

/*
 * Return the elements of an array of bigint, and their number.  Raises
 * ERRCODE_ARRAY_SUBSCRIPT_ERROR if it is empty, has several dimensions or contains
 * NULL.
 */
extern const int64 *groups_elements(Datum array, int64 *count);

/* Make an array of count elements of type bigint, all 0, palloc'd. */
extern ArrayType *groups_make_array(int64 count);

/*
 * Revoke the privileges on a table that ALTER DEFAULT PRIVILEGES has granted.
 * Groups reveal which rows are similar, and any role with the TRIGGER privilege
 * could run code as the owner.
 */
extern void groups_revoke_default_privileges(const char *table);

/*** A refresh ***/

/*
 * Count a refresh of groups, and read their definition.  Raises an error unless
 * the table and its columns still fit the definition and, from the second
 * refresh on, the tables of groups, and locks the table of groups against other
 * writers.  fcinfo is that of a function of the extension.
 */
extern void groups_begin_refresh(FunctionCallInfo fcinfo, Groups *groups);

/*
 * Return a bigint array with a number for each tuple of lshsim_rows, which
 * groups_refresh() has made: that, from 1, of the first row of its component under
 * judgments.  name is that of the SQL function, for messages.
 *
 * Set *parts to a second array, which is empty unless the groups are tracked.  If
 * the division has cut a connected component, one part gives its number to the
 * whole.  For each of the others the array has two numbers: its own and that.
 */
extern Datum groups_components(const char *name, const Groups *groups,
							   EphemeralNamedRelation rows, Datum *parts);

/*
 * Read the judgments of the first rows of lshsim_rows: set the pairs judged the same and
 * those judged different, each in both directions and sorted, by the numbers of rows
 * from 0.  Return false if there are none.
 */
extern bool groups_judgments(const Groups *groups, int64 num_rows, Division *division);

/*
 * Warn of pairs judged different whose components, in an array by row, are the same.
 * The pairs must be the last result of SPI, that of groups_judgments().
 */
extern void groups_warn_of_conflicts(const int64 *components);

/*
 * Bring groups that groups_begin_refresh() has read up to date.  SPI_tuptable is
 * then a row: rows of the table, groups of these, rows whose group has changed, and
 * the method, a text.
 */
extern void groups_refresh(FunctionCallInfo fcinfo, Groups *groups);

/*** Tracked groups (groups_track.c) ***/

/*
 * The column that marks the tables of tracked groups.  It is a minhash in that of
 * changes, to which minhash_note_trigger() writes, and a bool in that of components.
 */
#define GROUPS_MARK "lshsim_note"

/*
 * Return NULL if the changes that were noted tell which rows to cluster, or else the
 * method of a refresh that reads all rows.  Make the triggers and tables that tracking
 * needs, or drop those that it no longer needs, and set the hashes of the state.  Raises
 * an error in the first refresh, that of minhash_groups_create(), if changes cannot be
 * tracked.
 */
extern const char *groups_begin_tracking(Groups *groups);

/* Drop the triggers and the tables of tracked groups, if there are any. */
extern void groups_untrack(Groups *groups);

/*
 * Do not note what the following statements do to a table, other than by their
 * triggers; InvalidOid: note all.  An error in the statements ends this, too.
 */
extern void groups_ignore_writes(Oid table);

#endif							/* GROUPS_H */
