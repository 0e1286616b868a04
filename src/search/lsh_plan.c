/*-------------------------------------------------------------------------
 *
 * lsh_plan.c
 *	  The plan by which an index is searched, to look at.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/bands.h"
#include "support/arguments.h"
#include "support/row.h"

/* The plan by which an index is searched. */
PG_FUNCTION_INFO_V1(lsh_plan);
Datum
lsh_plan(PG_FUNCTION_ARGS)
{
	double		recall = recall_or_setting(fcinfo, 1);
	double		threshold;
	int			num_hashes;
	BandPlan	plan;
	Datum		values[4];
	bool		nulls[4] = {false};

	if (PG_ARGISNULL(0) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	threshold = check_unit_interval(PG_GETARG_FLOAT8(0), "threshold");
	num_hashes = check_num_hashes(PG_GETARG_INT32(2));
	plan = band_plan(threshold, recall, num_hashes);
	nulls[0] = nulls[1] = plan.compare_all;
	values[0] = Int32GetDatum(plan.bands);
	values[1] = Int32GetDatum(plan.rows);
	values[2] = Float8GetDatum(plan.probability);
	values[3] = BoolGetDatum(plan.compare_all);
	return make_row(fcinfo, values, nulls);
}
