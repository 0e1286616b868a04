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
#include "miscadmin.h"

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

/*
 * Start to return a set of rows in materialize mode.
 *
 * InitMaterializedSRF() does the same, but what it allocates to look the type up
 * stays until the query ends.
 */
Tuplestorestate *
row_begin(FunctionCallInfo fcinfo, TupleDesc *desc)
{
	ReturnSetInfo *info = (ReturnSetInfo *) fcinfo->resultinfo;
	TupleDesc	type;
	MemoryContext old;

	if (info == NULL || !IsA(info, ReturnSetInfo) ||
		(info->allowedModes & SFRM_Materialize) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("set-valued function called in context that cannot accept a set")));
	if (get_call_result_type(fcinfo, NULL, &type) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	old = MemoryContextSwitchTo(info->econtext->ecxt_per_query_memory);
	*desc = CreateTupleDescCopy(type);
	info->returnMode = SFRM_Materialize;
	info->setResult = tuplestore_begin_heap(true, false, work_mem);
	info->setDesc = *desc;
	MemoryContextSwitchTo(old);
	return info->setResult;
}
