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
	Datum		values[5];
	bool		nulls[5] = {false};

	if (PG_ARGISNULL(0) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	threshold = check_unit_interval(PG_GETARG_FLOAT8(0), "threshold");
	num_hashes = check_num_hashes(PG_GETARG_INT32(2));
	plan = band_plan(threshold, recall, num_hashes);
	nulls[0] = nulls[1] = nulls[2] = plan.compare_all;
	values[0] = Int32GetDatum(plan.bands);
	values[1] = Int32GetDatum(plan.rows);
	values[2] = Int32GetDatum(plan.matches);
	values[3] = Float8GetDatum(plan.probability);
	values[4] = BoolGetDatum(plan.compare_all);
	return make_row(fcinfo, values, nulls);
}
