/*-------------------------------------------------------------------------
 *
 * minhash.c
 *	  Signatures as values: make, fetch, compare for equality and order.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"

#include "minhash.h"
#include "shingle.h"

/* The part of a signature behind the varlena header, and its size. */
#define MINHASH_BODY(sig) ((const unsigned char *) &(sig)->version)
#define MINHASH_BODY_SIZE(sig) (VARSIZE(sig) - offsetof(MinHash, version))

/* Tell whether the header of a signature is as the format has it. */
static bool
header_is_valid(const MinHash *sig)
{
	Size		size = VARSIZE(sig);

	return size >= MINHASH_SIZE(SKETCH_MIN_HASHES) &&
		size == MINHASH_SIZE(sig->num_hashes) &&
		sig->num_hashes <= SKETCH_MAX_HASHES &&
		sig->version == MINHASH_VERSION &&
		sig->method >= SKETCH_ONE_PERMUTATION &&
		sig->method <= SKETCH_LAST_METHOD &&
		sig->reserved == 0 &&
		shingling_is_valid(sig->shingling);
}

/*
 * Fetch a signature, and refuse one that was damaged in the table.
 *
 * The signatures of a column have one header, so the last good one is kept.
 */
MinHash *
DatumGetMinHash(Datum datum)
{
	static Size valid_size = 0;
	static unsigned char valid[offsetof(MinHash, slots) - offsetof(MinHash, version)];
	struct varlena *value = (struct varlena *) DatumGetPointer(datum);
	MinHash    *sig;

	if (VARATT_IS_EXTENDED(value))
		value = pg_detoast_datum(value);
	sig = (MinHash *) value;
	if (VARSIZE(sig) == valid_size &&
		memcmp(MINHASH_BODY(sig), valid, sizeof(valid)) == 0)
		return sig;
	if (!header_is_valid(sig))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("invalid minhash signature"),
				 errdetail("The header of a stored signature is damaged.")));
	valid_size = VARSIZE(sig);
	memcpy(valid, MINHASH_BODY(sig), sizeof(valid));
	return sig;
}

/*
 * Fetch a signature whose slots will be shown or computed with; where they are
 * only compared for equality, a damaged slot is as good as another.
 */
MinHash *
DatumGetWholeMinHash(Datum datum)
{
	MinHash    *sig = DatumGetMinHash(datum);

	if (!slots_are_valid(sig->slots, sig->num_hashes, sig->method))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("invalid minhash signature"),
				 errdetail("A slot of a stored signature is damaged.")));
	return sig;
}

/* Copy a signature. */
MinHash *
minhash_copy(MemoryContext context, const MinHash *sig)
{
	return memcpy(MemoryContextAlloc(context, VARSIZE(sig)), sig, VARSIZE(sig));
}

/* Make a signature whose slots are still to be filled. */
MinHash *
minhash_alloc(const MinHashKind *kind)
{
	Size		size = MINHASH_SIZE(kind->num_hashes);
	MinHash    *sig = palloc0(size);

	SET_VARSIZE(sig, size);
	sig->version = MINHASH_VERSION;
	sig->method = (uint8) kind->method;
	sig->num_hashes = (uint16) kind->num_hashes;
	sig->shingling = kind->shingling;
	sig->seed = kind->seed;
	return sig;
}

/* Make the signature of a sketched set. */
MinHash *
minhash_from_sketch(const Sketch *sketch, uint32 shingling)
{
	MinHashKind kind = {
		.shingling = shingling,
		.method = sketch->method,
		.num_hashes = sketch->num_hashes,
		.seed = sketch->seed
	};
	MinHash    *sig = minhash_alloc(&kind);

	sketch_end(sketch, sig->slots);
	return sig;
}

/*
 * Hash how a signature was made: XXH3 of shingling, method, number of hashes
 * and seed, each 4 bytes, little-endian.
 */
uint64
minhash_kind_hash(const MinHash *sig)
{
	uint32		fields[4] = {
		sig->shingling, sig->method, sig->num_hashes, (uint32) sig->seed
	};

	return shingle_hash_words(fields, lengthof(fields), 0);
}

/* Refuse to treat together two signatures of which a property differs. */
static void
report_different(const char *action, const char *property,
				 const char *singular, const char *a, const char *b)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("cannot %s minhash signatures with different %s",
					action, property),
			 errdetail("One has %s, the other %s.", a, b),
			 errhint("Build both signatures with the same %s.", singular)));
}

/* Refuse to treat together two signatures that are made in different ways. */
static void
check_same_kind(const MinHash *a, const MinHash *b, const char *action)
{
	char		a_str[SHINGLING_TEXT_SIZE];
	char		b_str[SHINGLING_TEXT_SIZE];

	if (minhash_is_comparable(a, b))
		return;
	if (a->method != b->method)
		report_different(action, "methods", "method",
						 method_name(a->method), method_name(b->method));
	if (a->shingling != b->shingling)
	{
		shingling_print(a->shingling, a_str);
		shingling_print(b->shingling, b_str);
		report_different(action, "shinglings", "shingling", a_str, b_str);
	}
	if (a->num_hashes != b->num_hashes)
		report_different(action, "numbers of hashes", "number of hashes",
						 psprintf("%d", a->num_hashes),
						 psprintf("%d", b->num_hashes));
	report_different(action, "seeds", "seed", psprintf("%d", a->seed),
					 psprintf("%d", b->seed));
}

/* Say why two signatures cannot be compared. */
void
minhash_report_incomparable(const MinHash *a, const MinHash *b)
{
	check_same_kind(a, b, "compare");
}

/* Refuse to unite two signatures that have no union. */
void
minhash_check_unitable(const MinHash *a, const MinHash *b)
{
	check_same_kind(a, b, "unite");
	if (a->method == SKETCH_WEIGHTED)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot unite minhash signatures of weighted sets"),
				 errdetail("A slot tells which element it holds, but not which of two comes first."),
				 errhint("Build the signature of the united set from its elements and weights.")));
}

/* Order two signatures: by kind first, then slot by slot. */
static int
minhash_cmp_internal(const MinHash *a, const MinHash *b)
{
	int64		order[5];

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
 * Order the two arguments of a function.
 *
 * Copies that were made to read them are freed: a sort or an index compares
 * millions of pairs before the memory of the statement is.
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

/* Tell whether two signatures are equal in every respect. */
PG_FUNCTION_INFO_V1(minhash_eq);
Datum
minhash_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) == 0);
}

/* Tell whether two signatures differ in any respect. */
PG_FUNCTION_INFO_V1(minhash_ne);
Datum
minhash_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) != 0);
}

/* Tell whether the first signature sorts before the second. */
PG_FUNCTION_INFO_V1(minhash_lt);
Datum
minhash_lt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) < 0);
}

/* Tell whether the first signature sorts before the second or equals it. */
PG_FUNCTION_INFO_V1(minhash_le);
Datum
minhash_le(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) <= 0);
}

/* Tell whether the first signature sorts after the second or equals it. */
PG_FUNCTION_INFO_V1(minhash_ge);
Datum
minhash_ge(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) >= 0);
}

/* Tell whether the first signature sorts after the second. */
PG_FUNCTION_INFO_V1(minhash_gt);
Datum
minhash_gt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) > 0);
}

/* Compare two signatures for a B-tree. */
PG_FUNCTION_INFO_V1(minhash_cmp);
Datum
minhash_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(compare_arguments(fcinfo));
}

/* Hash a signature for hash joins, hash indexes and DISTINCT. */
PG_FUNCTION_INFO_V1(minhash_hash);
Datum
minhash_hash(PG_FUNCTION_ARGS)
{
	MinHash    *sig = PG_GETARG_MINHASH_P(0);
	Datum		hash = hash_any(MINHASH_BODY(sig), (int) MINHASH_BODY_SIZE(sig));

	PG_FREE_IF_COPY(sig, 0);
	return hash;
}

/* Hash a signature with a seed, for hash partitioning. */
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
