/*-------------------------------------------------------------------------
 *
 * lsh.c
 *	  The theory of banding as SQL functions, and band keys for other uses.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"

#include "lsh_optimum.h"
#include "minhash.h"
#include "shingle.h"

#define CURVE_STEPS 100			/* of lsh_curve, from 0 to 1 */

/* Check a number of bands or rows. */
static int
check_positive(int count, const char *what)
{
	if (count < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid number of %s: %d", what, count),
				 errdetail("The number of %s must be at least 1.", what)));
	return count;
}

/* Probability that a pair of some similarity agrees in at least one band. */
PG_FUNCTION_INFO_V1(lsh_probability);
Datum
lsh_probability(PG_FUNCTION_ARGS)
{
	double		similarity = check_unit_interval(PG_GETARG_FLOAT8(0),
												 "similarity");
	int			bands = check_positive(PG_GETARG_INT32(1), "bands");
	int			rows = check_positive(PG_GETARG_INT32(2), "rows");

	PG_RETURN_FLOAT8(band_probability(similarity, bands, rows));
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

/* The plan by which an index is searched. */
PG_FUNCTION_INFO_V1(lsh_plan);
Datum
lsh_plan(PG_FUNCTION_ARGS)
{
	double		threshold = check_unit_interval(PG_GETARG_FLOAT8(0),
												"threshold");
	double		recall = check_unit_interval(PG_GETARG_FLOAT8(1), "recall");
	int			num_hashes = check_num_hashes(PG_GETARG_INT32(2));
	BandPlan	plan = band_plan(threshold, recall, num_hashes);
	Datum		values[4];
	bool		nulls[4] = {plan.compare_all, plan.compare_all};

	values[0] = Int32GetDatum(plan.bands);
	values[1] = Int32GetDatum(plan.rows);
	values[2] = Float8GetDatum(plan.probability);
	values[3] = BoolGetDatum(plan.compare_all);
	return minhash_make_row(fcinfo, values, nulls);
}

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
	return minhash_make_row(fcinfo, values, nulls);
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
												PG_GETARG_INT32(1)));
	SRF_RETURN_NEXT(context,
					HeapTupleGetDatum(heap_form_tuple(context->tuple_desc,
													  values, nulls)));
}

/* Refuse a banding that needs more slots than a signature has. */
static void
check_banding(int64 bands, int64 rows, int num_hashes)
{
	if (bands * rows > num_hashes)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("too many bands for a signature of %d hashes",
						num_hashes),
				 errdetail("%lld bands of %lld rows need %lld hashes.",
						   (long long) bands, (long long) rows,
						   (long long) (bands * rows)),
				 errhint("Use fewer bands or rows, or build the signatures with more hashes.")));
}

/*
 * Return the keys of any banding.
 *
 * The key of a band is the XXH3 hash of its densified rows, each 4 bytes,
 * little-endian, with the hash of the kind plus the number of the band, from
 * 0, as the seed.
 */
PG_FUNCTION_INFO_V1(lsh_band_keys);
Datum
lsh_band_keys(PG_FUNCTION_ARGS)
{
	MinHash    *sig = PG_GETARG_MINHASH_P(0);
	int			bands = check_positive(PG_GETARG_INT32(1), "bands");
	int			rows = check_positive(PG_GETARG_INT32(2), "rows");
	uint32		densified[SKETCH_MAX_HASHES];
	Datum	   *keys;
	uint64		kind = minhash_kind_hash(sig);

	check_banding(bands, rows, sig->num_hashes);
	if (slots_are_empty(sig->slots, sig->num_hashes))
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(INT8OID));
	densify(sig->slots, sig->num_hashes, densified, bands * rows);
	keys = palloc(sizeof(Datum) * bands);
	for (int band = 0; band < bands; band++)
		keys[band] = Int64GetDatum((int64) shingle_hash_words(densified + band * rows,
															  rows, kind + band));
	PG_RETURN_ARRAYTYPE_P(construct_array(keys, bands, INT8OID, sizeof(int64),
										  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}
