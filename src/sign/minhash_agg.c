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

#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "support/arguments.h"
#include "to_minhash.h"

/* The transition state. */
typedef struct SetState
{
	uint32		shingling;
	Sketch		sketch;			/* last; sketch_size() bytes of it */
} SetState;

/* Return the size of a state in bytes. */
static Size
state_size(SketchMethod method, int num_hashes)
{
	return offsetof(SetState, sketch) + sketch_size(method, num_hashes);
}

/* Make the state of an empty set. */
static SetState *
new_state(MemoryContext context, const MinHashKind *kind)
{
	SetState   *state = MemoryContextAlloc(context,
										   state_size(kind->method,
													  kind->num_hashes));

	state->shingling = kind->shingling;
	sketch_begin(&state->sketch, kind->method, kind->num_hashes, kind->seed);
	return state;
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

/* Make the state of a group from the arguments of its first row. */
static SetState *
begin_state(FunctionCallInfo fcinfo, ShingleUnit unit)
{
	MinHashKind kind = {
		.shingling = SHINGLING(unit, 0, 0),
		.method = SKETCH_ONE_PERMUTATION,
		.num_hashes = SKETCH_DEFAULT_HASHES
	};

	if (PG_NARGS() > 2)
	{
		arg_check_not_null(fcinfo, 2, "num_hashes");
		kind.num_hashes = arg_check_num_hashes(PG_GETARG_INT32(2));
	}
	if (PG_NARGS() > 3)
	{
		arg_check_not_null(fcinfo, 3, "seed");
		kind.seed = PG_GETARG_INT32(3);
	}
	if (PG_NARGS() > 4)
	{
		arg_check_not_null(fcinfo, 4, "method");
		kind.method = arg_method(PG_GETARG_TEXT_PP(4));
	}
	return new_state(aggregate_context(fcinfo), &kind);
}

/* Report an argument that changes within a group. */
static void
report_changed(const char *name, const char *old, const char *new)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("argument \"%s\" must not change within a group", name),
			 errdetail("One row has %s, another has %s.", old, new)));
}

/* Check that a number is that of the first row. */
static void
check_number(const char *name, int first, int other)
{
	if (other != first)
		report_changed(name, psprintf("%d", first), psprintf("%d", other));
}

/* Check that an integer argument, if there is one, is that of the first row. */
static void
check_integer(FunctionCallInfo fcinfo, int arg, const char *name, int first)
{
	if (PG_NARGS() <= arg)
		return;
	if (PG_ARGISNULL(arg))
		report_changed(name, psprintf("%d", first), "null");
	check_number(name, first, PG_GETARG_INT32(arg));
}

/* Check that the method, if it is given, is that of the first row. */
static void
check_method(FunctionCallInfo fcinfo, SketchMethod first)
{
	text	   *name;
	SketchMethod method;

	if (PG_NARGS() <= 4)
		return;
	if (PG_ARGISNULL(4))
		report_changed("method", sketch_method_name(first), "null");
	name = PG_GETARG_TEXT_PP(4);
	if (!sketch_method_parse(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name), &method) ||
		method != first)
		report_changed("method", sketch_method_name(first), text_to_cstring(name));
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

	if (state == NULL)
		state = begin_state(fcinfo, type->unit);
	else
	{
		check_integer(fcinfo, 2, "num_hashes", state->sketch.num_hashes);
		check_integer(fcinfo, 3, "seed", state->sketch.seed);
		check_method(fcinfo, state->sketch.method);
	}
	if (PG_ARGISNULL(1))
		PG_RETURN_POINTER(state);
	if (is_array)
		array_sketch(&state->sketch, PG_GETARG_ARRAYTYPE_P(1), type);
	else
	{
		uint64		hash = element_hash(type, PG_GETARG_DATUM(1),
										(uint32) state->sketch.seed);

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
	PG_RETURN_MINHASH_P(minhash_from_sketch(&state->sketch,
											state->shingling));
}

/* Combine function: merge the second state into the first. */
PG_FUNCTION_INFO_V1(minhash_agg_combine);
Datum
minhash_agg_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo);
	SetState   *state;
	const SetState *other;
	Size		size;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	other = (const SetState *) PG_GETARG_POINTER(1);
	if (PG_ARGISNULL(0))
	{
		size = state_size(other->sketch.method, other->sketch.num_hashes);
		PG_RETURN_POINTER(memcpy(MemoryContextAlloc(context, size), other, size));
	}
	state = (SetState *) PG_GETARG_POINTER(0);
	check_number("num_hashes", state->sketch.num_hashes, other->sketch.num_hashes);
	check_number("seed", state->sketch.seed, other->sketch.seed);
	if (state->sketch.method != other->sketch.method)
		report_changed("method", sketch_method_name(state->sketch.method),
					   sketch_method_name(other->sketch.method));
	sketch_merge(&state->sketch, &other->sketch);
	PG_RETURN_POINTER(state);
}

/* Serialization function. */
PG_FUNCTION_INFO_V1(minhash_agg_serial);
Datum
minhash_agg_serial(PG_FUNCTION_ARGS)
{
	const SetState *state = (const SetState *) PG_GETARG_POINTER(0);
	StringInfoData buf;

	(void) aggregate_context(fcinfo);
	pq_begintypsend(&buf);
	pq_sendbyte(&buf, state->sketch.method);
	pq_sendint16(&buf, state->sketch.num_hashes);
	pq_sendint32(&buf, state->shingling);
	pq_sendint32(&buf, (uint32) state->sketch.seed);
	pq_sendbyte(&buf, state->sketch.empty);
	for (int i = 0; i < state->sketch.num_hashes; i++)
		pq_sendint32(&buf, state->sketch.numbers[i]);
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

/* Deserialization function. */
PG_FUNCTION_INFO_V1(minhash_agg_deserial);
Datum
minhash_agg_deserial(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	StringInfoData buf;
	MinHashKind kind;
	SetState   *state;

	(void) aggregate_context(fcinfo);
	initStringInfo(&buf);
	appendBinaryStringInfo(&buf, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	kind.method = pq_getmsgbyte(&buf);
	kind.num_hashes = pq_getmsgint(&buf, 2);
	kind.shingling = pq_getmsgint(&buf, 4);
	kind.seed = (int32) pq_getmsgint(&buf, 4);
	state = new_state(CurrentMemoryContext, &kind);
	state->sketch.empty = pq_getmsgbyte(&buf) != 0;
	for (int i = 0; i < kind.num_hashes; i++)
		state->sketch.numbers[i] = pq_getmsgint(&buf, 4);
	pq_getmsgend(&buf);
	pfree(buf.data);
	PG_RETURN_POINTER(state);
}
