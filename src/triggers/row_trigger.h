/*-------------------------------------------------------------------------
 *
 * row_trigger.h
 *	  Trigger functions that run before a row is inserted or updated.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ROW_TRIGGER_H
#define ROW_TRIGGER_H

#include "commands/trigger.h"

/*
 * Return the data of a call; raise an error, with the name of the function,
 * unless a BEFORE ROW trigger on INSERT or UPDATE calls it.
 */
extern TriggerData *check_row_trigger(FunctionCallInfo fcinfo, const char *name);

/* Find the column that trigger argument arg, from 0, names, or raise an error. */
extern Form_pg_attribute trigger_column(const TriggerData *call, int arg);

/* Do the same for a column to set; refuse a generated column. */
extern Form_pg_attribute trigger_target(const TriggerData *call, int arg);

/* Return true if a column of the row to store differs from that of the old row. */
extern bool trigger_column_changes(const TriggerData *call, HeapTuple row,
								   Form_pg_attribute column);

/* Return the row that the statement is about to store. */
extern HeapTuple trigger_new_row(const TriggerData *call);

/* Return that row with a column set, as the result of the trigger. */
extern Datum trigger_set_column(const TriggerData *call, Form_pg_attribute column,
								Datum value, bool isnull);

#endif							/* ROW_TRIGGER_H */
