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

#include <math.h>

#include "minhash.h"
#include "sizes.h"

/*
 * Make the signature of the union of two sets.
 *
 * This is also what minhash_union_agg does, whose state is the first argument.
 * The state is the aggregate's own, so it is updated in place, except the first
 * time if it came compressed or with a short header.
 */
PG_FUNCTION_INFO_V1(minhash_union);
Datum
minhash_union(PG_FUNCTION_ARGS)
{
	MinHash    *a = PG_GETARG_MINHASH_P(0);
	MinHash    *b = PG_GETARG_MINHASH_P(1);

	minhash_check_unitable(a, b);
	if (!AggCheckCallContext(fcinfo, NULL))
		a = minhash_copy(CurrentMemoryContext, a);
	slots_unite(a->slots, b->slots, a->num_hashes);
	PG_RETURN_MINHASH_P(a);
}

/*
 * Add a signature to the union of a group.
 *
 * It is not strict, or the server would take the first one as it is: damaged,
 * or of a weighted set, which has no union.
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
	minhash_check_unitable(sig, sig);
	PG_RETURN_MINHASH_P(sig);
}

/* Refuse a signature whose slots do not tell how large a set is. */
static void
check_has_sizes(const MinHash *sig, const char *what)
{
	if (sig->method == SKETCH_WEIGHTED)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot estimate the %s from a minhash signature of a weighted set",
						what),
				 errdetail("A slot tells which element it holds, but not its rank.")));
}

/* Estimate the number of elements of a set. */
PG_FUNCTION_INFO_V1(minhash_cardinality);
Datum
minhash_cardinality(PG_FUNCTION_ARGS)
{
	MinHash    *sig = PG_GETARG_WHOLE_MINHASH_P(0);

	check_has_sizes(sig, "cardinality");
	if (sig->method == SKETCH_IMPORTED)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot estimate the cardinality from an imported minhash signature"),
				 errdetail("The range of its hash values is not known.")));
	PG_RETURN_FLOAT8(slots_cardinality(sig->slots, sig->num_hashes,
									   sig->method));
}

/* Estimate the share of the first set's elements that are in the second. */
PG_FUNCTION_INFO_V1(minhash_containment);
Datum
minhash_containment(PG_FUNCTION_ARGS)
{
	MinHash    *a = PG_GETARG_WHOLE_MINHASH_P(0);
	MinHash    *b = PG_GETARG_WHOLE_MINHASH_P(1);
	double		containment;

	minhash_check_comparable(a, b);
	check_has_sizes(a, "containment");
	if (!slots_containment(a->slots, b->slots, a->num_hashes, a->method,
						   &containment))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(containment);
}

/* Check the confidence of an interval. */
static double
check_confidence(double confidence)
{
	if (isnan(confidence) || confidence <= 0 || confidence >= 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid confidence: %g", confidence),
				 errdetail("The confidence must be greater than 0 and less than 1.")));
	return confidence;
}

/* Return the interval in which the Jaccard similarity of two sets lies. */
PG_FUNCTION_INFO_V1(minhash_jaccard_interval);
Datum
minhash_jaccard_interval(PG_FUNCTION_ARGS)
{
	MinHash    *a = PG_GETARG_MINHASH_P(0);
	MinHash    *b = PG_GETARG_MINHASH_P(1);
	double		confidence = check_confidence(PG_GETARG_FLOAT8(2));
	Datum		values[2];
	bool		nulls[2] = {true, true};
	int			equal;
	int			compared;

	minhash_check_comparable(a, b);
	slots_compare(a->slots, b->slots, a->num_hashes, &equal, &compared);
	if (compared > 0)
	{
		double		low;
		double		high;

		jaccard_limits(equal, compared, a->num_hashes, confidence, &low, &high);
		values[0] = Float8GetDatum(low);
		values[1] = Float8GetDatum(high);
		nulls[0] = nulls[1] = false;
	}
	return minhash_make_row(fcinfo, values, nulls);
}
