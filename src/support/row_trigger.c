/*-------------------------------------------------------------------------
 *
 * row_trigger.c
 *	  Trigger functions that run before a row is inserted or updated.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/spi.h"
#include "utils/rel.h"

#include "names.h"
#include "row_trigger.h"

/* Report a call that is not by a BEFORE ROW trigger on INSERT or UPDATE. */
static void
report_misuse(const char *message, const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
			 errmsg(message, name)));
}

/* Check that a BEFORE ROW trigger on INSERT or UPDATE calls the function. */
TriggerData *
check_row_trigger(FunctionCallInfo fcinfo, const char *name)
{
	TriggerData *call = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo))
		report_misuse("%s must be called by a trigger", name);
	if (!TRIGGER_FIRED_FOR_ROW(call->tg_event))
		report_misuse("%s must be called for each row", name);
	if (!TRIGGER_FIRED_BEFORE(call->tg_event))
		report_misuse("%s must be called before the event", name);
	if (!TRIGGER_FIRED_BY_INSERT(call->tg_event) &&
		!TRIGGER_FIRED_BY_UPDATE(call->tg_event))
		report_misuse("%s must be called on insert or update", name);
	return call;
}

/* Find the column that a trigger argument names. */
Form_pg_attribute
trigger_column(const TriggerData *call, int arg)
{
	const char *name = call->tg_trigger->tgargs[arg];
	TupleDesc	desc = RelationGetDescr(call->tg_relation);
	int			number = SPI_fnumber(desc, name);

	if (number <= 0)
		report_no_column(RelationGetRelid(call->tg_relation), name, NULL);
	return TupleDescAttr(desc, number - 1);
}

/* Return the row that the statement is about to store. */
HeapTuple
trigger_new_row(const TriggerData *call)
{
	return TRIGGER_FIRED_BY_UPDATE(call->tg_event) ?
		call->tg_newtuple : call->tg_trigtuple;
}
