/*-------------------------------------------------------------------------
 *
 * lsh_params.c
 *	  The bands and rows that fit a threshold best.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "core/lsh_optimum.h"
#include "support/arguments.h"
#include "support/row.h"

/* The bands and rows that fit a threshold best, as datasketch chooses them. */
PG_FUNCTION_INFO_V1(lsh_params);
Datum
lsh_params(PG_FUNCTION_ARGS)
{
	int			num_hashes = check_num_hashes(PG_GETARG_INT32(1));
	LshOptimum	best = {0};
	Datum		values[2];
	bool		nulls[2] = {false};

	best.threshold = check_unit_interval(PG_GETARG_FLOAT8(0), "threshold");
	best.fp_weight = check_unit_interval(PG_GETARG_FLOAT8(2), "fp_weight");
	best.fn_weight = check_unit_interval(PG_GETARG_FLOAT8(3), "fn_weight");
	for (int bands = 1; bands <= num_hashes; bands++)
	{
		CHECK_FOR_INTERRUPTS();
		lsh_optimum_try(&best, bands, num_hashes / bands);
	}
	values[0] = Int32GetDatum(best.bands);
	values[1] = Int32GetDatum(best.rows);
	return make_row(fcinfo, values, nulls);
}
