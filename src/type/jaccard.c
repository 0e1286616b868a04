/*-------------------------------------------------------------------------
 *
 * jaccard.c
 *	  Estimate Jaccard similarity and distance from signatures.
 *
 * The estimate of the similarity is the number of equal slots that are not empty,
 * divided by the number of slots that are not empty in at least one signature
 * (Li, Owen, Zhang 2012).
 * With one permutation it is unbiased, and its variance is at most J (1 - J) / k:
 * a standard error of 0.035 at J = 0.8 with 128 hashes, and less for small sets.
 * With k permutations no slot is empty, and the variance is J (1 - J) / k.
 *
 * The similarity of two empty sets is undefined (0 / 0), and NULL in SQL.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "support/arguments.h"
#include "type/minhash.h"

/* Estimate the Jaccard similarity of two signatures. */
PG_FUNCTION_INFO_V1(minhash_jaccard);
Datum
minhash_jaccard(PG_FUNCTION_ARGS)
{
	MinHash    *a = PG_GETARG_MINHASH_P(0);
	MinHash    *b = PG_GETARG_MINHASH_P(1);
	int			equal;
	int			compared;

	prefetch_arguments(fcinfo, MINHASH_SIZE(SKETCH_DEFAULT_HASHES));
	minhash_check_comparable(a, b);
	slots_compare(a->slots, b->slots, a->num_hashes, &equal, &compared);
	if (compared == 0)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8((double) equal / compared);
}

/* Estimate the Jaccard distance of two signatures. */
PG_FUNCTION_INFO_V1(minhash_distance);
Datum
minhash_distance(PG_FUNCTION_ARGS)
{
	Datum		jaccard = minhash_jaccard(fcinfo);

	if (fcinfo->isnull)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(1 - DatumGetFloat8(jaccard));
}
