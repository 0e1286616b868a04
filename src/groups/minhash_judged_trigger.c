/*-------------------------------------------------------------------------
 *
 * minhash_judged_trigger.c
 *	  A trigger that completes judgments of groups.
 *
 * minhash_groups_create makes it on the table of judgments.  It fills judged_at
 * and judged_by where they are NULL, as their defaults do, which tools that
 * compare a schema with a model can drop.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "support/row_trigger.h"

/*
 * Fill a column of a row that is NULL.  A table without it, or where it has
 * another type, is left alone: the owner has altered it.
 */
static HeapTuple
fill_column(HeapTuple row, TupleDesc desc, const char *name, Oid type, Datum value)
{
	int			number = SPI_fnumber(desc, name);
	bool		isnull = false;

	if (number <= 0 || SPI_gettypeid(desc, number) != type ||
		!heap_attisnull(row, number, desc))
		return row;
	return heap_modify_tuple_by_cols(row, desc, 1, &number, &value, &isnull);
}

/* Fill judged_at and judged_by. */
PG_FUNCTION_INFO_V1(minhash_judged_trigger);
Datum
minhash_judged_trigger(PG_FUNCTION_ARGS)
{
	TriggerData *call = check_row_trigger(fcinfo, "minhash_judged_trigger");
	TupleDesc	desc = RelationGetDescr(call->tg_relation);
	HeapTuple	row = trigger_new_row(call);

	row = fill_column(row, desc, "judged_at", TIMESTAMPTZOID,
					  TimestampTzGetDatum(GetCurrentTimestamp()));
	row = fill_column(row, desc, "judged_by", TEXTOID,
					  CStringGetTextDatum(GetUserNameFromId(GetUserId(), false)));
	return PointerGetDatum(row);
}
