/*-------------------------------------------------------------------------
 *
 * lsh_curve.c
 *	  The theory of banding: the S-curve, its threshold and its points.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "funcapi.h"

#include "core/bands.h"
#include "support/arguments.h"

#define CURVE_STEPS 100			/* of lsh_curve, from 0 to 1 */

/* Probability that a pair of some similarity agrees in at least one band. */
PG_FUNCTION_INFO_V1(lsh_probability);
Datum
lsh_probability(PG_FUNCTION_ARGS)
{
	double		similarity = check_unit_interval(PG_GETARG_FLOAT8(0),
												 "similarity");
	int			bands = check_positive(PG_GETARG_INT32(1), "bands");
	int			rows = check_positive(PG_GETARG_INT32(2), "rows");

	PG_RETURN_FLOAT8(band_probability(similarity, bands, rows, 1));
}

/* Similarity at which the S-curve rises, (1 / bands) ^ (1 / rows). */
PG_FUNCTION_INFO_V1(lsh_threshold);
Datum
lsh_threshold(PG_FUNCTION_ARGS)
{
	int			bands = check_positive(PG_GETARG_INT32(0), "bands");
	int			rows = check_positive(PG_GETARG_INT32(1), "rows");

	PG_RETURN_FLOAT8(pow(1.0 / bands, 1.0 / rows));
}

/* Start to return the rows of lsh_curve: check, and prepare the row type. */
static void
begin_curve(FunctionCallInfo fcinfo)
{
	FuncCallContext *context = SRF_FIRSTCALL_INIT();
	MemoryContext old = MemoryContextSwitchTo(context->multi_call_memory_ctx);
	TupleDesc	desc;

	check_positive(PG_GETARG_INT32(0), "bands");
	check_positive(PG_GETARG_INT32(1), "rows");
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	context->tuple_desc = BlessTupleDesc(desc);
	MemoryContextSwitchTo(old);
}

/* The S-curve of a banding as rows, for a chart. */
PG_FUNCTION_INFO_V1(lsh_curve);
Datum
lsh_curve(PG_FUNCTION_ARGS)
{
	FuncCallContext *context;
	double		similarity;
	Datum		values[2];
	bool		nulls[2] = {false};

	if (SRF_IS_FIRSTCALL())
		begin_curve(fcinfo);
	context = SRF_PERCALL_SETUP();
	if (context->call_cntr > CURVE_STEPS)
		SRF_RETURN_DONE(context);
	similarity = (double) context->call_cntr / CURVE_STEPS;
	values[0] = Float8GetDatum(similarity);
	values[1] = Float8GetDatum(band_probability(similarity, PG_GETARG_INT32(0),
												PG_GETARG_INT32(1), 1));
	SRF_RETURN_NEXT(context,
					HeapTupleGetDatum(heap_form_tuple(context->tuple_desc,
													  values, nulls)));
}
