/*-------------------------------------------------------------------------
 *
 * minhash_agg.c
 *	  The aggregate minhash_agg: the signature of a set given as rows.
 *
 * minhash_agg(element, ...) returns the same bytes as
 * array_to_minhash(array_agg(element), ...) in constant memory: the state is a
 * sketch, which takes 4 bytes for each hash (12 with k-permutation).  Null
 * elements are skipped.  As with array_agg, the result for no rows is NULL;
 * for rows that are all null it is the signature of the empty set.  If the
 * element is an array, its elements are added, as array_agg would append them
 * to an array of one more dimension.
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

/* The transition state. */
typedef struct SetState
{
	MinHashKind kind;
	Sketch		sketch;			/* last; sketch_size() bytes of it */
} SetState;

/* Return the size of a state in bytes. */
static Size
state_size(const MinHashKind *kind)
{
	return offsetof(SetState, sketch) + sketch_size(kind->method, kind->num_hashes);
}

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

/* Make the state of an empty set. */
static SetState *
new_state(FunctionCallInfo fcinfo, const MinHashKind *kind)
{
	SetState   *state = MemoryContextAllocZero(aggregate_context(fcinfo),
											   state_size(kind));

	state->kind = *kind;
	sketch_begin(&state->sketch, kind->method, kind->num_hashes, kind->seed);
	return state;
}

/* Check that the arguments of another row are those of the first. */
static void
check_arguments(const MinHashKind *first, const MinHashKind *kind)
{
	if (kind->num_hashes != first->num_hashes || kind->seed != first->seed ||
		kind->method != first->method)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("arguments num_hashes, seed and method must not change within a group"),
				 errdetail("One row has %d, %d and %s, another has %d, %d and %s.",
						   first->num_hashes, first->seed, sketch_method_name(first->method),
						   kind->num_hashes, kind->seed, sketch_method_name(kind->method))));
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

/* Transition function: add an element, or the elements of an array. */
PG_FUNCTION_INFO_V1(minhash_agg_transition);
Datum
minhash_agg_transition(PG_FUNCTION_ARGS)
{
	SetState   *state = PG_ARGISNULL(0) ? NULL :
		(SetState *) PG_GETARG_POINTER(0);
	bool		is_array;
	const ElementType *type = lookup_source(fcinfo, &is_array);
	MinHashKind kind = minhash_kind_of_arguments(fcinfo, 2, SHINGLING(type->unit, 0, 0));

	if (state == NULL)
		state = new_state(fcinfo, &kind);
	else
		check_arguments(&state->kind, &kind);
	if (PG_ARGISNULL(1))
		PG_RETURN_POINTER(state);
	if (is_array)
		minhash_sketch_array(&state->sketch, PG_GETARG_ARRAYTYPE_P(1), type);
	else
	{
		uint64		hash = element_hash(type, PG_GETARG_DATUM(1), (uint32) kind.seed);

		sketch_add(&state->sketch, &hash, 1);
	}
	PG_RETURN_POINTER(state);
}

/* Final function: make the signature. */
PG_FUNCTION_INFO_V1(minhash_agg_final);
Datum
minhash_agg_final(PG_FUNCTION_ARGS)
{
	SetState   *state;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (SetState *) PG_GETARG_POINTER(0);
	PG_RETURN_MINHASH_P(minhash_from_sketch(&state->sketch, &state->kind));
}

/* Combine function: merge the second state into the first. */
PG_FUNCTION_INFO_V1(minhash_agg_combine);
Datum
minhash_agg_combine(PG_FUNCTION_ARGS)
{
	SetState   *state;
	const SetState *other;

	(void) aggregate_context(fcinfo);
	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	other = (const SetState *) PG_GETARG_POINTER(1);
	state = PG_ARGISNULL(0) ? new_state(fcinfo, &other->kind) :
		(SetState *) PG_GETARG_POINTER(0);
	check_arguments(&state->kind, &other->kind);
	sketch_merge(&state->sketch, &other->sketch);
	PG_RETURN_POINTER(state);
}

/* Serialization function: copy the bytes, for a process with the same library. */
PG_FUNCTION_INFO_V1(minhash_agg_serial);
Datum
minhash_agg_serial(PG_FUNCTION_ARGS)
{
	const SetState *state = (const SetState *) PG_GETARG_POINTER(0);
	Size		size = state_size(&state->kind);
	bytea	   *bytes = palloc(VARHDRSZ + size);

	(void) aggregate_context(fcinfo);
	SET_VARSIZE(bytes, VARHDRSZ + size);
	memcpy(VARDATA(bytes), state, size);
	PG_RETURN_BYTEA_P(bytes);
}

/* Deserialization function. */
PG_FUNCTION_INFO_V1(minhash_agg_deserial);
Datum
minhash_agg_deserial(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	Size		size = VARSIZE_ANY_EXHDR(bytes);
	SetState   *state = palloc(size);

	(void) aggregate_context(fcinfo);
	memcpy(state, VARDATA_ANY(bytes), size);
	if (size < offsetof(SetState, sketch.numbers) || size != state_size(&state->kind))
		elog(ERROR, "invalid state of minhash_agg");
	PG_RETURN_POINTER(state);
}
