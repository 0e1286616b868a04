/*-------------------------------------------------------------------------
 *
 * minhash_agg.c
 *	  The aggregate minhash_agg: the signature of a set given as rows.
 *
 * minhash_agg(element, ...) returns the same bytes as
 * array_to_minhash(array_agg(element), ...) in constant memory: the state is a
 * signature.  Null elements are skipped.  As with array_agg, the result for no
 * rows is NULL; for rows that are all null it is the signature of the empty set.
 * If the element is an array, its elements are added, as array_agg would append
 * them to an array of one more dimension.
 *
 * The first row of a group determines number of hashes, seed and method; in
 * the other rows they must be the same.
 *
 * The final function does not modify the state, so the aggregate works as a
 * window function.  There is no inverse transition function, because a minimum
 * cannot be undone: a frame whose start moves is aggregated from scratch for
 * every row.
 *
 * For minhash_union_agg see minhash_union.c.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/lsyscache.h"

#include "to_minhash.h"

/* Return the aggregate's memory context; refuse a call outside of one. */
static MemoryContext
aggregate_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("aggregate function called in non-aggregate context")));
	return context;
}

/* Check that the arguments of another row are those of the first. */
static void
check_arguments(MinHashKind first, MinHashKind kind)
{
	if (kind.num_hashes != first.num_hashes || kind.seed != first.seed ||
		kind.method != first.method)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("arguments num_hashes, seed and method must not change within a group"),
				 errdetail("One row has %d, %d and %s, another has %d, %d and %s.",
						   first.num_hashes, first.seed, sketch_method_name(first.method),
						   kind.num_hashes, kind.seed, sketch_method_name(kind.method))));
}

/* Look up the type of the elements, once for each call site. */
static const ElementType *
lookup_source(FunctionCallInfo fcinfo, bool *is_array)
{
	const ElementType *known = fcinfo->flinfo->fn_extra;
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, 1);
	Oid			element;

	if (known != NULL && known->type == type)
	{
		*is_array = false;
		return known;
	}
	if (!OidIsValid(type))
		elog(ERROR, "could not determine the type of the elements");
	element = get_base_element_type(type);
	*is_array = OidIsValid(element);
	return element_type_lookup(fcinfo->flinfo, *is_array ? element : type);
}

/* Add a signature to a state, in place; make the state if there is none. */
static Datum
add_to_state(FunctionCallInfo fcinfo, const MinHash *sig)
{
	MemoryContext context = aggregate_context(fcinfo);
	MinHash    *state = (MinHash *) PG_GETARG_POINTER(0);

	if (PG_ARGISNULL(0))
		PG_RETURN_POINTER(minhash_copy(context, sig));
	check_arguments(minhash_kind_of(state), minhash_kind_of(sig));
	slots_union(state->slots, sig->slots, state->num_hashes);
	PG_RETURN_POINTER(state);
}

/* Transition function: add an element, or the elements of an array. */
PG_FUNCTION_INFO_V1(minhash_agg_transition);
Datum
minhash_agg_transition(PG_FUNCTION_ARGS)
{
	bool		is_array;
	const ElementType *type = lookup_source(fcinfo, &is_array);
	MinHashKind kind = minhash_kind_of_arguments(fcinfo, 2, SHINGLING(type->unit, 0, 0));
	MinHash    *state = (MinHash *) PG_GETARG_POINTER(0);
	uint64		hash;

	if (PG_ARGISNULL(1))
		return add_to_state(fcinfo, minhash_of_hashes(NULL, 0, &kind));
	if (is_array)
		return add_to_state(fcinfo, minhash_of_array(PG_GETARG_ARRAYTYPE_P(1), &kind, type));
	hash = element_hash(type, PG_GETARG_DATUM(1), (uint32) kind.seed);
	if (PG_ARGISNULL(0) || kind.method != SKETCH_ONE_PERMUTATION)
		return add_to_state(fcinfo, minhash_of_hashes(&hash, 1, &kind));
	check_arguments(minhash_kind_of(state), kind);
	sketch_add_to_slots(state->slots, state->num_hashes, hash);
	PG_RETURN_POINTER(state);
}

/* Final function: copy the state, to which the next row of a window is added. */
PG_FUNCTION_INFO_V1(minhash_agg_final);
Datum
minhash_agg_final(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(minhash_copy(CurrentMemoryContext, (MinHash *) PG_GETARG_POINTER(0)));
}

/* Combine function: add the second state to the first. */
PG_FUNCTION_INFO_V1(minhash_agg_combine);
Datum
minhash_agg_combine(PG_FUNCTION_ARGS)
{
	if (!PG_ARGISNULL(1))
		return add_to_state(fcinfo, (MinHash *) PG_GETARG_POINTER(1));
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/* Serialization function, for a process with the same library: a state is a bytea. */
PG_FUNCTION_INFO_V1(minhash_agg_serial);
Datum
minhash_agg_serial(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(PG_GETARG_POINTER(0));
}

/* Deserialization function. */
PG_FUNCTION_INFO_V1(minhash_agg_deserial);
Datum
minhash_agg_deserial(PG_FUNCTION_ARGS)
{
	(void) aggregate_context(fcinfo);
	PG_RETURN_POINTER(PG_GETARG_MINHASH_P(0));
}
