/*-------------------------------------------------------------------------
 *
 * row_trigger.c
 *	  Trigger functions that run before a row is inserted or updated.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "executor/spi.h"
#include "utils/datum.h"
#include "utils/rel.h"

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
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("trigger \"%s\" of table \"%s\" names a column \"%s\", which does not exist",
						call->tg_trigger->tgname,
						RelationGetRelationName(call->tg_relation), name),
				 errdetail("The arguments of a trigger are checked when it runs."),
				 errhint("Drop the trigger, and create it again with other arguments.")));
	return TupleDescAttr(desc, number - 1);
}

/* Find the column that a trigger argument names, and check that it can be set. */
Form_pg_attribute
trigger_target(const TriggerData *call, int arg)
{
	Form_pg_attribute column = trigger_column(call, arg);

	if (column->attgenerated)
		ereport(ERROR,
				(errcode(ERRCODE_GENERATED_ALWAYS),
				 errmsg("column \"%s\" is a generated column", NameStr(column->attname)),
				 errdetail("A trigger cannot set it.")));
	return column;
}

/* Return true if an update changes a column. */
bool
trigger_column_changes(const TriggerData *call, HeapTuple row, Form_pg_attribute column)
{
	TupleDesc	desc = RelationGetDescr(call->tg_relation);
	bool		old_null;
	bool		new_null;
	Datum		old_datum = SPI_getbinval(call->tg_trigtuple, desc,
										  column->attnum, &old_null);
	Datum		new_datum = SPI_getbinval(row, desc, column->attnum, &new_null);

	if (old_null || new_null)
		return old_null != new_null;
	return !datum_image_eq(old_datum, new_datum, column->attbyval,
						   column->attlen);
}

/* Return the row that the statement is about to store. */
HeapTuple
trigger_new_row(const TriggerData *call)
{
	return TRIGGER_FIRED_BY_UPDATE(call->tg_event) ?
		call->tg_newtuple : call->tg_trigtuple;
}

/* Return the row that the statement is about to store, with a column set. */
Datum
trigger_set_column(const TriggerData *call, Form_pg_attribute column,
				   Datum value, bool isnull)
{
	int			number = column->attnum;

	return PointerGetDatum(heap_modify_tuple_by_cols(trigger_new_row(call),
													 RelationGetDescr(call->tg_relation),
													 1, &number, &value, &isnull));
}
