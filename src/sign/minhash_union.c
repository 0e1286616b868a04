/*-------------------------------------------------------------------------
 *
 * minhash_union.c
 *	  The operator | and the aggregate minhash_union_agg.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "type/minhash.h"

/*
 * Make the signature of the union of two sets.
 *
 * As the transition of minhash_union_agg, update the first argument in place,
 * since nodeAgg.c owns the state.  If the state was toasted or has a short
 * header, as the first value of a group can be, the detoasted copy is updated.
 */
PG_FUNCTION_INFO_V1(minhash_union);
Datum
minhash_union(PG_FUNCTION_ARGS)
{
	MinHash    *a = PG_GETARG_MINHASH_P(0);
	MinHash    *b = PG_GETARG_MINHASH_P(1);

	minhash_check_union(a, b);
	if (!AggCheckCallContext(fcinfo, NULL))
		a = minhash_copy(CurrentMemoryContext, a);
	slots_union(a->slots, b->slots, a->num_hashes);
	PG_RETURN_MINHASH_P(a);
}

/*
 * Transition function of minhash_union_agg.
 *
 * It is not strict, because the server would use the first value of a group as
 * the state without a check: a damaged signature, or that of a weighted set,
 * which has no union.
 */
PG_FUNCTION_INFO_V1(minhash_union_agg_transition);
Datum
minhash_union_agg_transition(PG_FUNCTION_ARGS)
{
	MinHash    *sig;

	if (!PG_ARGISNULL(0) && !PG_ARGISNULL(1))
		return minhash_union(fcinfo);
	if (!PG_ARGISNULL(0))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	sig = PG_GETARG_MINHASH_P(1);
	minhash_check_union(sig, sig);
	PG_RETURN_MINHASH_P(sig);
}
