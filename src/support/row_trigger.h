/*-------------------------------------------------------------------------
 *
 * row_trigger.h
 *	  Trigger functions that run before a row is inserted or updated.
 *
 * Call check_row_trigger() first; the other functions take its result.  Columns
 * point into the descriptor of the trigger's table.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ROW_TRIGGER_H
#define ROW_TRIGGER_H

#include "commands/trigger.h"

/*
 * Return the data of a call of the function with a name.  Raises
 * ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED unless a BEFORE ROW trigger on INSERT
 * or UPDATE calls it.
 */
extern TriggerData *check_row_trigger(FunctionCallInfo fcinfo, const char *name);

/*
 * Return the column that trigger argument arg, from 0, names; the trigger has
 * that many.  Raises ERRCODE_UNDEFINED_COLUMN if there is none.
 */
extern Form_pg_attribute trigger_column(const TriggerData *call, int arg);

/*
 * Return the column to set that an argument names, as trigger_column() does.
 * Raises ERRCODE_GENERATED_ALWAYS, too, for a generated column.
 */
extern Form_pg_attribute trigger_target(const TriggerData *call, int arg);

/* Return true if a column of the row to store differs from that of the old row. */
extern bool trigger_column_changes(const TriggerData *call, HeapTuple row,
								   Form_pg_attribute column);

/* Return the row that the statement is about to store. */
extern HeapTuple trigger_new_row(const TriggerData *call);

/*
 * Return a copy of that row with a column set, as the result of the trigger, in
 * the current memory context.
 */
extern Datum trigger_set_column(const TriggerData *call, Form_pg_attribute column,
								Datum value, bool isnull);

#endif							/* ROW_TRIGGER_H */
