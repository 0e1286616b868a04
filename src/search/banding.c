/*-------------------------------------------------------------------------
 *
 * banding.c
 *	  SQL functions for the theory of banding, and band keys for other indexes.
 *
 * lsh_probability is the S-curve.  lsh_plan returns the plan by which an index
 * is searched (core/bands/bands.c), lsh_plan_keys the keys that such a search looks
 * up.  lsh_band_keys computes the keys of any banding, which our own indexes do
 * not use.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "core/bands/bands.h"
#include "core/base/hash.h"
#include "similar.h"
#include "support/arguments.h"
#include "type/minhash.h"

/* Return the probability that enough bands agree at a similarity. */
PG_FUNCTION_INFO_V1(lsh_probability);
Datum
lsh_probability(PG_FUNCTION_ARGS)
{
	double		similarity = arg_check_unit_interval(PG_GETARG_FLOAT8(0),
													 "similarity");
	int			bands = arg_check_count(PG_GETARG_INT32(1), PG_INT32_MAX, "bands");
	int			rows = arg_check_count(PG_GETARG_INT32(2), PG_INT32_MAX, "band_rows");
	int			agreeing = arg_check_count(PG_GETARG_INT32(3), BAND_AGREEING,
										   "agreeing_bands");

	PG_RETURN_FLOAT8(band_probability(similarity, bands, rows, agreeing));
}

/* Return the plan by which an index is searched. */
PG_FUNCTION_INFO_V1(lsh_plan);
Datum
lsh_plan(PG_FUNCTION_ARGS)
{
	double		threshold = arg_check_threshold(PG_GETARG_FLOAT8(0));
	double		recall = arg_check_unit_interval(PG_GETARG_FLOAT8(1), "recall");
	int			num_hashes = arg_check_num_hashes(PG_GETARG_INT32(2));
	BandPlan	plan = band_plan(threshold, recall, num_hashes);
	Datum		values[5];
	bool		nulls[5] = {false};

	nulls[0] = nulls[1] = nulls[2] = plan.compare_all;
	values[0] = Int32GetDatum(plan.bands);
	values[1] = Int32GetDatum(plan.rows);
	values[2] = Int32GetDatum(plan.agreeing);
	values[3] = Float8GetDatum(plan.probability);
	values[4] = BoolGetDatum(plan.compare_all);
	return row_make(fcinfo, values, nulls);
}

/* Convert keys to Datums. */
Datum *
banding_keys_to_datums(const uint64 *keys, int count)
{
	Datum	   *datums = palloc(sizeof(Datum) * Max(count, 1));

	for (int i = 0; i < count; i++)
		datums[i] = Int64GetDatum((int64) keys[i]);
	return datums;
}

/* Return keys as an array of bigint. */
static ArrayType *
keys_to_array(const uint64 *keys, int count)
{
	return construct_array(banding_keys_to_datums(keys, count), count, INT8OID,
						   sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
}

/* Compute the keys of a search in ascending order; return their number. */
int
banding_plan_keys(const MinHash *sig, double threshold, double recall, uint64 *keys)
{
	const BandPlan *plan = minhash_plan(threshold, recall, sig->num_hashes);

	/* No key would mean that nothing is similar. */
	if (plan->compare_all)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no bands of a signature of %d hashes reach a recall of %g at a threshold of %g",
						sig->num_hashes, recall, threshold),
				 errdetail("The plan is to compare all rows, for which there are no keys."),
				 errhint("Use a higher threshold, a lower recall, or signatures with more hashes.")));
	return band_plan_keys(sig->slots, sig->num_hashes, plan, keys);
}

/*
 * Return the keys that a search for a signature looks up: those in an index,
 * with zeros for the rows beyond the depth of the plan.
 */
PG_FUNCTION_INFO_V1(lsh_plan_keys);
Datum
lsh_plan_keys(PG_FUNCTION_ARGS)
{
	MinHash    *sig = PG_GETARG_MINHASH_P(0);
	double		threshold = arg_check_threshold(PG_GETARG_FLOAT8(1));
	double		recall = arg_check_unit_interval(PG_GETARG_FLOAT8(2), "recall");
	uint64		keys[BAND_MAX];
	int			count = banding_plan_keys(sig, threshold, recall, keys);

	PG_RETURN_ARRAYTYPE_P(keys_to_array(keys, count));
}

/*
 * Return the keys of any banding.
 *
 * The key of a band is the XXH3 hash of its densified rows, each as 4 bytes,
 * little-endian; the seed is the hash of the signature's kind plus the number
 * of the band, counted from 0.
 */
PG_FUNCTION_INFO_V1(lsh_band_keys);
Datum
lsh_band_keys(PG_FUNCTION_ARGS)
{
	MinHash    *sig = PG_GETARG_MINHASH_P(0);
	int			bands = arg_check_count(PG_GETARG_INT32(1), PG_INT32_MAX, "bands");
	int			rows = arg_check_count(PG_GETARG_INT32(2), PG_INT32_MAX, "band_rows");
	uint64		kind = minhash_kind_hash(sig);
	uint32		densified[SKETCH_MAX_HASHES];
	uint64		keys[SKETCH_MAX_HASHES];

	if ((int64) bands * rows > sig->num_hashes)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("too many bands for a signature of %d hashes",
						sig->num_hashes),
				 errdetail("%d bands of %d rows need %lld hashes.", bands, rows,
						   (long long) bands * rows),
				 errhint("Use fewer bands or rows, or build the signatures with more hashes.")));
	if (slots_are_empty(sig->slots, sig->num_hashes))
		PG_RETURN_ARRAYTYPE_P(keys_to_array(NULL, 0));
	band_densify(sig->slots, sig->num_hashes, densified, bands * rows);
	for (int band = 0; band < bands; band++)
		keys[band] = shingle_hash_numbers(densified + band * rows, rows,
										  kind + band);
	PG_RETURN_ARRAYTYPE_P(keys_to_array(keys, bands));
}
