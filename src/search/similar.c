/*-------------------------------------------------------------------------
 *
 * similar.c
 *	  Similarity under a threshold and a recall: the operators % and @@, and the
 *	  function minhash_similar.
 *
 * Two signatures are similar if
 *
 *	1. their estimated similarity reaches the threshold, and
 *	2. they agree in enough bands of the plan that core/bands/bands.c computes from
 *	   the threshold, the recall and the number of hashes: in one band, or in
 *	   two if the plan asks for two.
 *
 * The second condition is part of the definition so that a sequential scan
 * returns exactly the rows that an index finds.  If the plan is to compare all
 * rows, only the first condition counts.
 *
 * Two signatures that satisfy the second condition are candidates.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "similar.h"
#include "support/arguments.h"
#include "support/settings.h"
#include "type/minhash_query.h"

/* Bytes read from a typical signature, which is not similar. */
#define USUALLY_READ MINHASH_SIZE(32)

/* Return the plan of a search; the last is cached because every row asks. */
const BandPlan *
minhash_plan(double threshold, double recall, int num_hashes)
{
	static BandPlan plan = {.threshold = -1};
	static double plan_recall;
	static int	plan_num_hashes;

	if (threshold != plan.threshold || recall != plan_recall ||
		num_hashes != plan_num_hashes)
	{
		plan = band_plan(threshold, recall, num_hashes);
		plan_recall = recall;
		plan_num_hashes = num_hashes;
	}
	return &plan;
}

/* Return the signature of a scan condition, and set *plan to its plan. */
MinHash *
minhash_scan_query(Datum datum, StrategyNumber strategy, const BandPlan **plan)
{
	MinHashQuery *query;
	MinHash    *sig;

	switch (strategy)
	{
		case MINHASH_SIMILAR_STRATEGY:
			sig = DatumGetMinHash(datum);
			*plan = minhash_plan(setting_similarity_threshold(),
								 BAND_DEFAULT_RECALL, sig->num_hashes);
			return sig;
		case MINHASH_QUERY_STRATEGY:
			query = DatumGetMinHashQuery(datum);
			*plan = minhash_plan(query->threshold, query->recall,
								 query->sig.num_hashes);
			return &query->sig;
		default:
			elog(ERROR, "unrecognized strategy number: %d", strategy);
	}
}

/* Return true if two signatures are similar; refuse signatures of different kinds. */
static inline bool
values_are_similar(const MinHash *a, const MinHash *b, double threshold, double recall)
{
	minhash_check_comparable(a, b);
	return slots_are_similar(a->slots, b->slots, a->num_hashes,
							 minhash_plan(threshold, recall, a->num_hashes));
}

/* Return true if two signatures are similar under the setting: %. */
PG_FUNCTION_INFO_V1(minhash_similar_op);
Datum
minhash_similar_op(PG_FUNCTION_ARGS)
{
	prefetch_arguments(fcinfo, USUALLY_READ);
	PG_RETURN_BOOL(values_are_similar(PG_GETARG_MINHASH_P(0), PG_GETARG_MINHASH_P(1),
									  setting_similarity_threshold(), BAND_DEFAULT_RECALL));
}

/* Return true if two signatures are similar under a threshold and a recall. */
PG_FUNCTION_INFO_V1(minhash_similar);
Datum
minhash_similar(PG_FUNCTION_ARGS)
{
	MinHash    *a = PG_GETARG_MINHASH_P(0);
	MinHash    *b = PG_GETARG_MINHASH_P(1);
	double		threshold = arg_check_threshold(PG_GETARG_FLOAT8(2));
	double		recall = arg_check_unit_interval(PG_GETARG_FLOAT8(3), "recall");

	prefetch_arguments(fcinfo, USUALLY_READ);
	PG_RETURN_BOOL(values_are_similar(a, b, threshold, recall));
}

/* Return true if a signature matches a query: the operator @@. */
PG_FUNCTION_INFO_V1(minhash_query_match);
Datum
minhash_query_match(PG_FUNCTION_ARGS)
{
	MinHash    *sig = PG_GETARG_MINHASH_P(0);
	MinHashQuery *query = PG_GETARG_MINHASH_QUERY_P(1);

	PG_RETURN_BOOL(values_are_similar(sig, &query->sig, query->threshold, query->recall));
}

/* Return true if a signature matches a query: @@ with commuted arguments. */
PG_FUNCTION_INFO_V1(minhash_query_match_commuted);
Datum
minhash_query_match_commuted(PG_FUNCTION_ARGS)
{
	return DirectFunctionCall2(minhash_query_match, PG_GETARG_DATUM(1),
							   PG_GETARG_DATUM(0));
}
