/*-------------------------------------------------------------------------
 *
 * array_to_minhash.c
 *	  Make signatures of arrays, as sets of their elements.
 *
 * The function has a name of its own, as array_to_tsvector has: a parameter
 * of unknown type, as most clients send it, would make to_minhash($1) the
 * signature of the text '{"a","b"}'.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/array.h"

#include "array_to_minhash.h"
#include "batch.h"
#include "to_minhash.h"

/* Sketch the elements of an array that are not null. */
void
sketch_array(Sketch *sketch, ArrayType *array, const ElementType *type)
{
	ArrayIterator iterator = array_create_iterator(array, 0, NULL);
	Batch		batch;
	Datum		value;
	bool		isnull;

	batch.sketch = sketch;
	batch.count = 0;
	while (array_iterate(iterator, &value, &isnull))
	{
		CHECK_FOR_INTERRUPTS();
		if (!isnull)
			add_to_batch(&batch, element_hash(type, value,
											  (uint32) sketch->seed));
	}
	flush_batch(&batch);
	array_free_iterator(iterator);
}

/* Make the signature of the set of an array's elements. */
MinHash *
minhash_of_array(ArrayType *array, const MinHashKind *kind,
				 const ElementType *type)
{
	Sketch	   *sketch = new_sketch(kind);

	sketch_array(sketch, array, type);
	return minhash_from_sketch(sketch, kind->shingling);
}

/* Make the signature of the set of an array's elements. */
PG_FUNCTION_INFO_V1(array_to_minhash);
Datum
array_to_minhash(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	const ElementType *type = element_type_lookup(fcinfo->flinfo,
												  ARR_ELEMTYPE(array));
	MinHashKind kind = read_kind(fcinfo, 1, SHINGLING(type->unit, 0, 0));

	PG_RETURN_MINHASH_P(minhash_of_array(array, &kind, type));
}
