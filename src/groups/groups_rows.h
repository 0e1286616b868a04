/*-------------------------------------------------------------------------
 *
 * groups_rows.h
 *	  Statements about groups, and the rows that they return.
 *
 * Statements are templates.  A name in braces stands for a part of the
 * definition, and letters after it are aliases of tables:
 *
 *	{docs}, {groups}, {log}, {definition}, {queue}	the tables
 *	{key t}			t.id AS k1, ...: the columns of the key
 *	{k c}			c.k1, ...
 *	{either s t}	COALESCE(s.k1, t.id) AS k1, ...
 *	{same t c}		t.id = c.k1 AND ...
 *	{sig t}			t.sig, as a signature
 *	{similar t c}	minhash_similar(t.sig, c.sig, threshold, recall)
 *	{jaccard t c}	jaccard(t.sig, c.sig)
 *	{kind s}		minhash_kind(s.sig)
 *	{cluster s}		minhash_cluster(s.sig, threshold, recall)
 *
 * If groups->by_row is set, a statement touches few rows.  Its plan is then
 * kept for the session, and made under settings that leave only nested loops
 * over indexes.  Otherwise the planner might join whole tables, because the
 * statistics are those of a nearly empty table, or because there were many rows
 * when the plan was made.
 *
 * The caller of a function that runs a statement has connected to SPI.  Rows
 * that are returned are in the current memory context.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GROUPS_ROWS_H
#define GROUPS_ROWS_H

#include "executor/tuptable.h"
#include "utils/tuplestore.h"

#include "groups.h"

/*
 * Rows whose first columns are the key.  For the functions of groups_write.h,
 * new_grp (at first the component), old_grp and event follow.
 */
typedef struct GroupRows
{
	TupleDesc	desc;
	int			key_columns;
	Tuplestorestate *store;
	TupleTableSlot *slot;
	int64		count;
} GroupRows;

/* The values of $1 and $2. */
typedef struct GroupsArguments
{
	int			count;
	Oid			types[2];
	Datum		values[2];
} GroupsArguments;

/* Set by_row, and the settings of the planner for it. */
extern void groups_use_indexes(Groups *groups);

/* Reset by_row, and restore the settings that groups_use_indexes() found. */
extern void groups_use_any(Groups *groups);

/*
 * Run a statement that is not a template through SPI; raise an error unless SPI
 * returns a status, such as SPI_OK_UTILITY.
 */
extern void groups_run(const char *statement, int status);

/* Run a statement that may write.  arguments may be NULL. */
extern void groups_write(const Groups *groups, const char *template,
						 const GroupsArguments *arguments);

/* Run a query in the active snapshot.  The result is SPI_tuptable. */
extern void groups_read(const Groups *groups, const char *template,
						const GroupsArguments *arguments);

/* Run a DELETE of rows that the active snapshot sees; return their number. */
extern int64 groups_delete(const Groups *groups, const char *template);

/* Run a query in the active snapshot and store its rows. */
extern GroupRows groups_read_rows(const Groups *groups, const char *template,
								  const GroupsArguments *arguments);

/* Run a query and add its rows to others. */
extern void groups_add_rows(const Groups *groups, GroupRows *rows,
							const char *template,
							const GroupsArguments *arguments);

/*
 * Let statements read rows under a name, as an ephemeral relation, until
 * SPI_unregister_relation().
 */
extern void groups_register(const GroupRows *rows, const char *name);

/* Return a bigint from the last result of SPI, or 0 for NULL. */
extern int64 groups_result(uint64 row, int column);

#endif							/* GROUPS_ROWS_H */
