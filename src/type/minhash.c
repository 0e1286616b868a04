/*-------------------------------------------------------------------------
 *
 * minhash.c
 *	  Make signatures, fetch them from datums, and compare their parameters.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/base/hash.h"
#include "minhash.h"
#include "support/arguments.h"

/* Return true if the header of a signature is valid. */
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

/* Fetch a signature and check its header. */
MinHash *
DatumGetMinHash(Datum datum)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(datum);
	MinHash    *sig;

	if (VARATT_IS_EXTENDED(value))
		value = pg_detoast_datum(value);
	sig = (MinHash *) value;
	if (!header_is_valid(sig))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("invalid minhash signature"),
				 errdetail("The header of a stored signature is damaged.")));
	return sig;
}

/* Fetch a signature and check its header and slots. */
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

/* Allocate a signature of a kind. */
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

/* Make a signature from a sketch. */
MinHash *
minhash_from_sketch(const Sketch *sketch, const MinHashKind *kind)
{
	MinHash    *sig = minhash_alloc(kind);

	sketch_end(sketch, sig->slots);
	return sig;
}

/* Hash the parameters of a signature. */
uint64
minhash_kind_hash(const MinHash *sig)
{
	uint32		fields[4] = {
		sig->shingling, sig->method, sig->num_hashes, (uint32) sig->seed
	};

	return shingle_hash_numbers(fields, lengthof(fields), 0);
}

/* Print the parameters of a signature. */
char *
minhash_kind_text(MinHashKind kind)
{
	return psprintf("%s/%s/%d/%d", arg_shingling_text(kind.shingling),
					sketch_method_name(kind.method), kind.num_hashes, kind.seed);
}

/* Report that two signatures are not comparable. */
void
minhash_report_incomparable(const MinHash *a, const MinHash *b)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("cannot compare minhash signatures of different kinds"),
			 errdetail("One is %s, the other %s.", minhash_kind_text(minhash_kind_of(a)),
					   minhash_kind_text(minhash_kind_of(b))),
			 errhint("Make both signatures in the same way.")));
}

/* Refuse two signatures that have no union. */
void
minhash_check_union(const MinHash *a, const MinHash *b)
{
	minhash_check_comparable(a, b);
	if (a->method == SKETCH_WEIGHTED)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("minhash signatures of weighted sets have no union"),
				 errdetail("Their slots can be compared for equality, but have no order."),
				 errhint("Make the signature of the union from its elements and weights.")));
}
