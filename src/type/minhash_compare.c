/*-------------------------------------------------------------------------
 *
 * minhash_compare.c
 *	  Equality, order and hashes of signatures, for B-tree and hash.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"

#include "minhash.h"

/* Compare two signatures: by parameters first, then slot by slot. */
static int
minhash_cmp_internal(const MinHash *a, const MinHash *b)
{
	int64		order[4];

	order[0] = (int64) a->shingling - (int64) b->shingling;
	order[1] = (int64) a->method - (int64) b->method;
	order[2] = (int64) a->num_hashes - (int64) b->num_hashes;
	order[3] = (int64) a->seed - (int64) b->seed;
	for (int i = 0; i < 4; i++)
		if (order[i] != 0)
			return order[i] < 0 ? -1 : 1;
	for (int i = 0; i < a->num_hashes; i++)
		if (a->slots[i] != b->slots[i])
			return a->slots[i] < b->slots[i] ? -1 : 1;
	return 0;
}

/*
 * Compare the two arguments of a function.
 *
 * Detoasted copies are freed, because a B-tree or sort compares millions of
 * pairs in one memory context.
 */
static int
compare_arguments(FunctionCallInfo fcinfo)
{
	MinHash    *a = PG_GETARG_MINHASH_P(0);
	MinHash    *b = PG_GETARG_MINHASH_P(1);
	int			order = minhash_cmp_internal(a, b);

	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return order;
}

/* Define the function of a comparison operator. */
#define COMPARISON_V1(name, operator) \
	PG_FUNCTION_INFO_V1(name); \
	Datum \
	name(PG_FUNCTION_ARGS) \
	{ \
		PG_RETURN_BOOL(compare_arguments(fcinfo) operator 0); \
	} \
	extern int	no_such_variable

COMPARISON_V1(minhash_eq, ==);
COMPARISON_V1(minhash_ne, !=);
COMPARISON_V1(minhash_lt, <);
COMPARISON_V1(minhash_le, <=);
COMPARISON_V1(minhash_ge, >=);
COMPARISON_V1(minhash_gt, >);

/* B-tree support function 1. */
PG_FUNCTION_INFO_V1(minhash_cmp);
Datum
minhash_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(compare_arguments(fcinfo));
}

/* Hash support function 1, for hash joins, hash indexes and DISTINCT. */
PG_FUNCTION_INFO_V1(minhash_hash);
Datum
minhash_hash(PG_FUNCTION_ARGS)
{
	MinHash    *sig = PG_GETARG_MINHASH_P(0);
	Datum		hash = hash_any(MINHASH_BODY(sig), (int) MINHASH_BODY_SIZE(sig));

	PG_FREE_IF_COPY(sig, 0);
	return hash;
}

/* Hash support function 2, for hash partitioning. */
PG_FUNCTION_INFO_V1(minhash_hash_extended);
Datum
minhash_hash_extended(PG_FUNCTION_ARGS)
{
	MinHash    *sig = PG_GETARG_MINHASH_P(0);
	uint64		seed = (uint64) PG_GETARG_INT64(1);
	Datum		hash = hash_any_extended(MINHASH_BODY(sig),
										 (int) MINHASH_BODY_SIZE(sig), seed);

	PG_FREE_IF_COPY(sig, 0);
	return hash;
}
