/*-------------------------------------------------------------------------
 *
 * lsh_plan_keys.c
 *	  The keys that a search looks up, for band tables and other engines.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "core/slots.h"
#include "similar.h"
#include "support/arguments.h"
#include "type/minhash.h"

/* Refuse a plan without bands: no key would mean that nothing is similar. */
static void
check_plan_has_bands(const BandPlan *plan, double recall, int num_hashes)
{
	if (plan->compare_all)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no bands of a signature of %d hashes reach a recall of %g at a threshold of %g",
						num_hashes, recall, plan->threshold),
				 errdetail("The plan is to compare all rows, for which there are no keys."),
				 errhint("Use a higher threshold, a lower recall, or signatures with more hashes.")));
}

/*
 * Return the keys that a search for a signature looks up, to the depth of its
 * plan: those of an index, of which the rows beyond that depth are zero.
 */
PG_FUNCTION_INFO_V1(lsh_plan_keys);
Datum
lsh_plan_keys(PG_FUNCTION_ARGS)
{
	MinHash    *sig = PG_GETARG_MINHASH_P(0);
	double		threshold = check_unit_interval(PG_GETARG_FLOAT8(1),
												"threshold");
	double		recall = recall_or_setting(fcinfo, 2);
	const BandPlan *plan = minhash_plan(threshold, recall, sig->num_hashes);
	Datum		keys[BAND_MAX];

	check_plan_has_bands(plan, recall, sig->num_hashes);
	if (slots_are_empty(sig->slots, sig->num_hashes))
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(INT8OID));
	for (int i = 0; i < plan->bands; i++)
		keys[i] = Int64GetDatum((int64) band_key(sig->slots, sig->num_hashes,
												 plan_band(plan, i),
												 plan->rows));
	PG_RETURN_ARRAYTYPE_P(construct_array(keys, plan->bands, INT8OID,
										  sizeof(int64), FLOAT8PASSBYVAL,
										  TYPALIGN_DOUBLE));
}
