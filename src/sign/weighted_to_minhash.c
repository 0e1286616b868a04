/*-------------------------------------------------------------------------
 *
 * weighted_to_minhash.c
 *	  Make signatures of weighted sets.
 *
 * core/sketch/weighted.c has the algorithm.  The weights of equal elements are added;
 * elements that are null or have weight 0 are skipped.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/array.h"
#include "utils/float.h"

#include "core/sketch/weighted.h"
#include "elements.h"
#include "support/arguments.h"
#include "support/server_memory.h"
#include "type/minhash.h"

/* Check a weight, or a sum of weights, which can be infinite. */
static double
check_weight(double weight)
{
	if (isnan(weight) || isinf(weight) || weight < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid weight: %s", float8out_internal(weight)),
				 errdetail("A weight must be finite and not negative.")));
	return weight;
}

/* List the elements of positive weight; return their number. */
static Size
read_elements(ArrayType *array, const float8 *weights, const ElementType *type,
			  uint64 seed, WeightedElement *elements)
{
	ArrayIterator iterator = array_create_iterator(array, 0, NULL);
	Datum		element;
	bool		isnull;
	Size		count = 0;

	while (array_iterate(iterator, &element, &isnull))
	{
		double		weight = check_weight(*weights++);

		CHECK_FOR_INTERRUPTS();
		if (isnull || weight == 0)
			continue;
		elements[count].hash = element_hash(type, element, seed);
		elements[count++].weight = weight;
	}
	return count;
}

/* Compute the slots of a weighted set of distinct elements. */
static void
sketch_weighted(WeightedElement *elements, Size count, int num_hashes,
				uint16 *slots)
{
	Darts	   *darts = palloc(sizeof(Darts));

	for (Size i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		(void) check_weight(elements[i].weight);
	}
	darts_begin(darts, num_hashes, elements, count);
	darts_throw(darts, elements, count, slots);
	pfree(darts);
}

/* Make the signature of a weighted set. */
PG_FUNCTION_INFO_V1(weighted_to_minhash);
Datum
weighted_to_minhash(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	ArrayType  *weights = PG_GETARG_ARRAYTYPE_P(1);
	const ElementType *type = element_type_lookup(fcinfo->flinfo,
												  ARR_ELEMTYPE(array));
	MinHashKind kind = {
		.shingling = SHINGLING(type->unit, 0, 0),
		.method = SKETCH_WEIGHTED,
		.num_hashes = arg_check_num_hashes(PG_GETARG_INT32(2)),
		.seed = PG_GETARG_INT32(3)
	};
	MinHash    *sig = minhash_alloc(&kind);
	WeightedElement *elements;
	WeightedElement *scratch;
	Size		count;
	int			num_elements = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	int			num_weights = ArrayGetNItems(ARR_NDIM(weights), ARR_DIMS(weights));

	if (num_elements != num_weights)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("number of weights does not match number of elements"),
				 errdetail("There are %d elements and %d weights.",
						   num_elements, num_weights)));
	if (array_contains_nulls(weights))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("weights must not contain nulls")));
	elements = server_alloc_array(num_elements, sizeof(WeightedElement));
	count = read_elements(array, (const float8 *) ARR_DATA_PTR(weights), type,
						  (uint32) kind.seed, elements);
	scratch = server_alloc_array(count, sizeof(WeightedElement));
	count = weighted_unique(elements, scratch, count);
	pfree(scratch);
	if (count > 0)
		sketch_weighted(elements, count, kind.num_hashes, sig->slots);
	else
		memset(sig->slots, 0xFF, sizeof(uint16) * kind.num_hashes);
	PG_RETURN_MINHASH_P(sig);
}
