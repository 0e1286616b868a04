/*-------------------------------------------------------------------------
 *
 * check_trigger.h
 *	  The parts of minhash_check_trigger: its arguments and its search.
 *
 * The caller sets fcinfo and call of a RowCheck of zeros, calls
 * check_read_arguments(), computes the row to store, and calls
 * check_prepare_search(), then check_find_similar() as often as it has further
 * rows to ignore.  All memory belongs to the current context, that of one row.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CHECK_TRIGGER_H
#define CHECK_TRIGGER_H

#include "commands/trigger.h"
#include "nodes/execnodes.h"
#include "nodes/params.h"
#include "utils/array.h"

#define CHECK_MAX_ARGUMENTS 100

/* Parameters of the search: five, and at most one for each argument. */
#define CHECK_MAX_VALUES (CHECK_MAX_ARGUMENTS + 5)

/* A condition that rows must meet to be similar to the new one. */
typedef struct CheckCondition
{
	Form_pg_attribute column;
	char	   *distance;		/* the largest; NULL: a scope, of equal values */
} CheckCondition;

/* A check of a row. */
typedef struct RowCheck
{
	FunctionCallInfo fcinfo;
	TriggerData *call;

	/* The arguments. */
	Form_pg_attribute column;	/* of signatures */
	double		threshold;
	bool		skips;			/* similar rows; otherwise flags or rejects */
	Form_pg_attribute flag;		/* column of flags; NULL: another action */
	Oid			key_type;		/* of the key; TEXTOID: its text */
	Oid			table;			/* to search; the root of a partition */
	Bitmapset  *primary_key;	/* of it; NULL: none */
	int			condition_count;
	CheckCondition conditions[CHECK_MAX_ARGUMENTS];

	/* The row to store, with its generated columns. */
	EState	   *estate;
	ResultRelInfo *target;
	TupleTableSlot *slot;
	HeapTuple	row;

	/* The search. */
	StringInfoData clauses;		/* of the conditions */
	bool		counts_none;	/* no row meets the conditions */
	ParamListInfo params;
	Oid			types[CHECK_MAX_VALUES];	/* of the parameters; 0 behind the
											 * last */
	ArrayBuildState *ignored;	/* TIDs of rows in the trigger's table */

	/* The result. */
	bool		found;			/* a similar row */
	Datum		key;			/* of the most similar one */
} RowCheck;

/*
 * Read the arguments of the trigger, and check its table.  Raises an error unless
 * all of them fit.
 */
extern void check_read_arguments(RowCheck *check);

/*
 * Prepare the search for rows similar to the row to store.  Raises an error for
 * a distance that is not one.
 */
extern void check_prepare_search(RowCheck *check);

/*
 * Find the most similar row that is not ignored, and its key; return false if
 * there is none.
 */
extern bool check_find_similar(RowCheck *check);

#endif							/* CHECK_TRIGGER_H */
