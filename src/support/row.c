/*-------------------------------------------------------------------------
 *
 * row.c
 *	  Return composite values and sets of rows from SQL functions.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "funcapi.h"

#include "row.h"

/* Form the row of a function with several OUT arguments. */
Datum
row_make(FunctionCallInfo fcinfo, Datum *values, bool *nulls)
{
	TupleDesc	desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values,
											 nulls));
}

/* Start to return a set of rows in materialize mode. */
Tuplestorestate *
row_begin(FunctionCallInfo fcinfo, TupleDesc *desc)
{
	ReturnSetInfo *info = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	*desc = info->setDesc;
	return info->setResult;
}
