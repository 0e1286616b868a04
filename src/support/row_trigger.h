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

/* Return the row that the statement is about to store. */
extern HeapTuple trigger_new_row(const TriggerData *call);

#endif							/* ROW_TRIGGER_H */
