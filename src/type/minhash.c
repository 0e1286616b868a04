/*-------------------------------------------------------------------------
 *
 * minhash.c
 *	  Signatures as values: make them, fetch them, tell their kinds apart.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/hash.h"
#include "minhash.h"

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
