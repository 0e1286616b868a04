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

/* Check that a BEFORE ROW trigger on INSERT or UPDATE calls the function. */
TriggerData *
check_row_trigger(FunctionCallInfo fcinfo, const char *name)
{
	TriggerData *call = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_FOR_ROW(call->tg_event) ||
		!TRIGGER_FIRED_BEFORE(call->tg_event) ||
		(!TRIGGER_FIRED_BY_INSERT(call->tg_event) &&
		 !TRIGGER_FIRED_BY_UPDATE(call->tg_event)))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("%s must be called before a row is inserted or updated",
						name),
				 errhint("Create the trigger BEFORE INSERT OR UPDATE ... FOR EACH ROW.")));
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
		report_no_column(RelationGetRelid(call->tg_relation), name,
						 psprintf("The arguments of trigger \"%s\" name it. To change them, drop the trigger and create it again.",
								  call->tg_trigger->tgname));
	return TupleDescAttr(desc, number - 1);
}

/* Return the row that the statement is about to store. */
HeapTuple
trigger_new_row(const TriggerData *call)
{
	return TRIGGER_FIRED_BY_UPDATE(call->tg_event) ?
		call->tg_newtuple : call->tg_trigtuple;
}
