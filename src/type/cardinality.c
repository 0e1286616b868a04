/*-------------------------------------------------------------------------
 *
 * cardinality.c
 *	  Estimate cardinality and containment from signatures.
 *
 * core/sketch/sizes.c has the estimators and their errors.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/sketch/sizes.h"
#include "type/minhash.h"

/* Refuse signatures of weighted sets, whose slots do not depend on size. */
static void
check_has_sizes(const MinHash *sig)
{
	if (sig->method == SKETCH_WEIGHTED)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot estimate sizes from a minhash signature of a weighted set"),
				 errdetail("Such a signature does not record the weight of the set.")));
}

/* Estimate the number of elements of a set. */
PG_FUNCTION_INFO_V1(minhash_cardinality);
Datum
minhash_cardinality(PG_FUNCTION_ARGS)
{
	MinHash    *sig = PG_GETARG_WHOLE_MINHASH_P(0);

	check_has_sizes(sig);
	if (sig->method == SKETCH_IMPORTED)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot estimate the cardinality from an imported minhash signature"),
				 errdetail("The range of its hash values is not known.")));
	PG_RETURN_FLOAT8(slots_cardinality(sig->slots, sig->num_hashes,
									   sig->method));
}

/* Estimate the fraction of the first set's elements that are in the second. */
PG_FUNCTION_INFO_V1(minhash_containment);
Datum
minhash_containment(PG_FUNCTION_ARGS)
{
	MinHash    *a = PG_GETARG_WHOLE_MINHASH_P(0);
	MinHash    *b = PG_GETARG_WHOLE_MINHASH_P(1);
	double		containment;

	minhash_check_comparable(a, b);
	check_has_sizes(a);
	if (!slots_containment(a->slots, b->slots, a->num_hashes, a->method,
						   &containment))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(containment);
}
