/*-------------------------------------------------------------------------
 *
 * minhash_from_values.c
 *	  Import signatures that were made by other programs.
 *
 * Such a signature is a list of 32-bit or 64-bit minima; which hash functions
 * they come from is unknown.  Every minimum becomes a slot, rounded down by a
 * monotonic function (see core/sketch/slots.c), so that the union of two imported
 * signatures is the import of their slot-wise minima.  Two different minima
 * become equal with a probability of about 2e-4.
 *
 * In datasketch, text-dedup and rensa the minima of an empty set are all
 * 2^32 - 1 or all 2^64 - 1.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/array.h"

#include "support/arguments.h"
#include "type/minhash.h"

/* Return true if values are those of the empty set. */
static bool
values_of_empty_set(const int64 *values, int count)
{
	if (values[0] != UINT32_MAX && values[0] != -1)
		return false;
	for (int i = 1; i < count; i++)
		if (values[i] != values[0])
			return false;
	return true;
}

/* Make a signature from a list of minima. */
PG_FUNCTION_INFO_V1(minhash_from_values);
Datum
minhash_from_values(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	const int64 *values = (const int64 *) ARR_DATA_PTR(array);
	MinHashKind kind = {
		.shingling = SHINGLING(SHINGLE_OTHER, 0, 0),
		.method = SKETCH_IMPORTED,
		.seed = PG_GETARG_INT32(1)
	};
	MinHash    *sig;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("argument \"hash_values\" must be a one-dimensional array")));
	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"hash_values\" must not contain nulls")));
	kind.num_hashes = arg_check_num_hashes(ArrayGetNItems(ARR_NDIM(array),
														  ARR_DIMS(array)));
	sig = minhash_alloc(&kind);
	if (values_of_empty_set(values, kind.num_hashes))
		memset(sig->slots, 0xFF, sizeof(uint16) * kind.num_hashes);
	else
		for (int i = 0; i < kind.num_hashes; i++)
			sig->slots[i] = slot_encode_imported((uint64) values[i]);
	PG_RETURN_MINHASH_P(sig);
}
