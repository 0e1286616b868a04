/*-------------------------------------------------------------------------
 *
 * minhash_gin.c
 *	  The GIN operator class minhash_ops.
 *
 * The index stores the band keys of every signature (see core/bands/bands.c): up to
 * 64 64-bit keys, which do not depend on settings.  A query looks up the keys
 * of its plan: by exact match at full depth, by partial match (all keys with
 * the same prefix) at a smaller depth.  Every row found is a candidate, which the
 * scan rechecks.
 *
 * One more key, which sorts after those of all bands, is a hash of the
 * signature's kind (shingling, method, number of hashes, seed).  A query also
 * looks up the kind keys other than its own.  Signatures of another kind thus
 * become candidates and the operator raises an error, so that a search for the
 * wrong kind does not return an empty result.  (A plan that checks another
 * condition first may never compare these rows.)  If all signatures are of one
 * kind, this costs one more descent of the entry tree.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/gin.h"
#include "access/stratnum.h"

#include "similar.h"

/* Return the key of a signature's kind. */
static uint64
kind_key(const MinHash *sig)
{
	return BAND_OF_KIND << BAND_NUMBER_SHIFT |
		minhash_kind_hash(sig) >> (64 - BAND_NUMBER_SHIFT);
}

/* Return the keys of a signature to index: its bands, and its kind. */
PG_FUNCTION_INFO_V1(minhash_gin_extract_value);
Datum
minhash_gin_extract_value(PG_FUNCTION_ARGS)
{
	MinHash    *sig = PG_GETARG_MINHASH_P(0);
	int32	   *nkeys = (int32 *) PG_GETARG_POINTER(1);
	uint64		keys[BAND_MAX + 1];

	*nkeys = band_keys(sig->slots, sig->num_hashes, keys);
	keys[(*nkeys)++] = kind_key(sig);
	PG_RETURN_POINTER(banding_keys_to_datums(keys, *nkeys));
}

#define NO_KEY UINT64_MAX		/* no signature has this key */

/* Data of a query key for minhash_gin_compare_partial and consistent. */
typedef struct KeyMatch
{
	int			agreeing;		/* band keys that a row must have */
	uint64		mask;			/* bits of the prefix */
	uint64		skip;			/* key to exclude from a partial match */
} KeyMatch;

/*
 * Return the keys that a query looks up.
 *
 * The last key matches all kinds other than the query's own; it is the only
 * one if the query is the empty set.
 */
PG_FUNCTION_INFO_V1(minhash_gin_extract_query);
Datum
minhash_gin_extract_query(PG_FUNCTION_ARGS)
{
	Datum		query = PG_GETARG_DATUM(0);
	int32	   *nkeys = (int32 *) PG_GETARG_POINTER(1);
	StrategyNumber strategy = PG_GETARG_UINT16(2);
	bool	  **partial_match = (bool **) PG_GETARG_POINTER(3);
	Pointer   **extra_data = (Pointer **) PG_GETARG_POINTER(4);

	/* bool	  **null_flags = (bool **) PG_GETARG_POINTER(5); */
	int32	   *search_mode = (int32 *) PG_GETARG_POINTER(6);
	const BandPlan *plan;
	const MinHash *sig = minhash_scan_query(query, strategy, &plan);
	uint64		keys[BAND_MAX + 1];
	KeyMatch   *match;
	int			bands;

	*nkeys = 0;
	if (plan->compare_all)
	{
		*search_mode = GIN_SEARCH_MODE_ALL;
		PG_RETURN_POINTER(NULL);
	}
	bands = band_plan_keys(sig->slots, sig->num_hashes, plan, keys);
	*nkeys = bands + 1;
	match = palloc(sizeof(KeyMatch) * *nkeys);
	*partial_match = palloc(sizeof(bool) * *nkeys);
	*extra_data = palloc(sizeof(Pointer) * *nkeys);
	for (int i = 0; i < bands; i++)
	{
		match[i] = (KeyMatch) {plan->agreeing, band_mask(plan->rows), NO_KEY};
		(*partial_match)[i] = plan->rows < band_rows(band_of_plan(plan, i),
													 sig->num_hashes);
	}
	match[bands] = (KeyMatch) {plan->agreeing, band_mask(0), kind_key(sig)};
	keys[bands] = match[bands].skip & match[bands].mask;
	(*partial_match)[bands] = true;
	for (int i = 0; i < *nkeys; i++)
		(*extra_data)[i] = (Pointer) &match[i];
	PG_RETURN_POINTER(banding_keys_to_datums(keys, *nkeys));
}

/*
 * Compare an index key with the prefix of a query key.
 *
 * GIN starts the scan at the prefix, so no smaller key is passed in.
 */
PG_FUNCTION_INFO_V1(minhash_gin_compare_partial);
Datum
minhash_gin_compare_partial(PG_FUNCTION_ARGS)
{
	uint64		prefix = (uint64) PG_GETARG_INT64(0);
	uint64		key = (uint64) PG_GETARG_INT64(1);

	/* StrategyNumber strategy = PG_GETARG_UINT16(2); */
	KeyMatch   *match = (KeyMatch *) PG_GETARG_POINTER(3);

	if ((key & match->mask) != prefix)
		PG_RETURN_INT32(1);		/* past the prefix: stop */
	PG_RETURN_INT32(key == match->skip ? -1 : 0);
}

/*
 * Return GIN_MAYBE if a row may match, because it agrees in enough bands or is of
 * another kind: only a recheck can tell.
 */
PG_FUNCTION_INFO_V1(minhash_gin_triconsistent);
Datum
minhash_gin_triconsistent(PG_FUNCTION_ARGS)
{
	GinTernaryValue *check = (GinTernaryValue *) PG_GETARG_POINTER(0);

	/* StrategyNumber strategy = PG_GETARG_UINT16(1); */
	/* MinHash *query = PG_GETARG_MINHASH_P(2); */
	int32		nkeys = PG_GETARG_INT32(3);
	Pointer    *extra_data = (Pointer *) PG_GETARG_POINTER(4);
	int			missing;

	if (nkeys == 0 || check[nkeys - 1] != GIN_FALSE)
		PG_RETURN_GIN_TERNARY_VALUE(GIN_MAYBE); /* compare all, or another
												 * kind */
	missing = ((KeyMatch *) extra_data[0])->agreeing;
	for (int i = 0; i < nkeys - 1 && missing > 0; i++)
		missing -= check[i] != GIN_FALSE;
	PG_RETURN_GIN_TERNARY_VALUE(missing == 0 ? GIN_MAYBE : GIN_FALSE);
}
