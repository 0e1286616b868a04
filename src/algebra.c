/*-------------------------------------------------------------------------
 *
 * algebra.c
 *	  Signatures as sets: union, size, containment, intervals.
 *
 * The mathematics is in sizes.c.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "minhash.h"

/* Copy a signature. */
static MinHash *
copy_minhash(const MinHash *sig)
{
	MinHash    *copy = palloc(VARSIZE(sig));

	memcpy(copy, sig, VARSIZE(sig));
	return copy;
}

/*
 * Make the signature of the union of two sets.
 *
 * This is also the transition and combine function of minhash_union_agg,
 * whose state is the first argument.  The state is the aggregate's own, so it
 * is updated in place, except the first time if it came compressed or with a
 * short header.
 */
PG_FUNCTION_INFO_V1(minhash_union);
Datum
minhash_union(PG_FUNCTION_ARGS)
{
	MinHash    *a = PG_GETARG_MINHASH_P(0);
	MinHash    *b = PG_GETARG_MINHASH_P(1);

	minhash_check_unitable(a, b);
	if (!AggCheckCallContext(fcinfo, NULL))
		a = copy_minhash(a);
	slots_unite(a->slots, b->slots, a->num_hashes);
	PG_RETURN_MINHASH_P(a);
}
