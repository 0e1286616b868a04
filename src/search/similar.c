/*-------------------------------------------------------------------------
 *
 * similar.c
 *	  What "similar" means: the operators % and @@, and the function
 *	  minhash_similar; and what a candidate is: the operator ~%.
 *
 * Two signatures are similar under a threshold and a recall if their
 * estimated similarity reaches the threshold and they agree in as many bands
 * of the plan for both as it asks for: in one, or in two where the threshold is
 * low (see core/bands.c).  The second condition belongs to the definition, so
 * that a sequential scan returns the rows that an index finds, no more and no
 * fewer.  Where the plan is to compare all, there is no second condition.
 *
 * The second condition alone makes a candidate.  The operator for it is what a
 * GIN index answers (see minhash_support.c); users have no need of it, but it
 * tells how many rows a search compares.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lshsim.h"
#include "similar.h"
#include "support/arguments.h"
#include "support/prefetch.h"
#include "type/minhash_query.h"

/* What of a signature is read where it is not similar, as nearly all are. */
#define USUALLY_READ MINHASH_SIZE(32)

/* Plan a search; the last plan is kept, since it is asked for every row. */
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

/* Tell whether two signatures are similar under the current settings. */
PG_FUNCTION_INFO_V1(minhash_similar_op);
Datum
minhash_similar_op(PG_FUNCTION_ARGS)
{
	fetch_ahead(fcinfo, USUALLY_READ);
	PG_RETURN_BOOL(minhash_is_similar(PG_GETARG_MINHASH_P(0),
									  PG_GETARG_MINHASH_P(1),
									  setting_similarity_threshold(),
									  setting_recall()));
}

/* Tell whether two signatures are similar under a threshold and a recall. */
PG_FUNCTION_INFO_V1(minhash_similar);
Datum
minhash_similar(PG_FUNCTION_ARGS)
{
	MinHash    *a = PG_GETARG_MINHASH_P(0);
	MinHash    *b = PG_GETARG_MINHASH_P(1);
	double		threshold = check_unit_interval(PG_GETARG_FLOAT8(2),
												"threshold");
	double		recall = recall_or_setting(fcinfo, 3);

	fetch_ahead(fcinfo, USUALLY_READ);
	PG_RETURN_BOOL(minhash_is_similar(a, b, threshold, recall));
}

/* Tell whether a signature matches a query. */
PG_FUNCTION_INFO_V1(minhash_query_match);
Datum
minhash_query_match(PG_FUNCTION_ARGS)
{
	MinHash    *sig = PG_GETARG_MINHASH_P(0);
	MinHashQuery *query = PG_GETARG_MINHASH_QUERY_P(1);

	PG_RETURN_BOOL(minhash_is_similar(sig, &query->sig, query->threshold,
									  query->recall));
}

/* The same with the arguments exchanged. */
PG_FUNCTION_INFO_V1(minhash_query_match_commuted);
Datum
minhash_query_match_commuted(PG_FUNCTION_ARGS)
{
	MinHashQuery *query = PG_GETARG_MINHASH_QUERY_P(0);
	MinHash    *sig = PG_GETARG_MINHASH_P(1);

	PG_RETURN_BOOL(minhash_is_similar(sig, &query->sig, query->threshold,
									  query->recall));
}

/* Tell whether a search finds a signature by its bands, and so compares it. */
static bool
is_candidate(const MinHash *a, const MinHash *b, double threshold,
			 double recall)
{
	const BandPlan *plan;

	minhash_check_comparable(a, b);
	plan = minhash_plan(threshold, recall, a->num_hashes);
	return plan->compare_all ||
		bands_agree(a->slots, b->slots, a->num_hashes, plan);
}

/* Tell whether two signatures are candidates under the current settings. */
PG_FUNCTION_INFO_V1(minhash_candidate_op);
Datum
minhash_candidate_op(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(is_candidate(PG_GETARG_MINHASH_P(0),
								PG_GETARG_MINHASH_P(1),
								setting_similarity_threshold(),
								setting_recall()));
}

/* Tell whether a signature is a candidate of a query. */
PG_FUNCTION_INFO_V1(minhash_query_candidate);
Datum
minhash_query_candidate(PG_FUNCTION_ARGS)
{
	MinHashQuery *query = PG_GETARG_MINHASH_QUERY_P(1);

	PG_RETURN_BOOL(is_candidate(PG_GETARG_MINHASH_P(0), &query->sig,
								query->threshold, query->recall));
}
