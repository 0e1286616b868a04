/*-------------------------------------------------------------------------
 *
 * check_search.c
 *	  The search of minhash_check_trigger: a query and its plan.
 *
 * The trigger runs with the rights of the user who writes the row, who must not
 * run code that another user has planted.  So the query names operators and
 * functions with their schemas and exact argument types, and compares scopes by
 * INTERSECT, which uses the default operator classes of their types; distances by
 * the in_range function of that class.
 *
 * The query's text and the types of its parameters identify a plan that the session
 * keeps.  The text changes with names; the triggers of all partitions have the same.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "nodes/makefuncs.h"
#include "parser/parse_param.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "check_trigger.h"
#include "compat.h"
#include "core/bands/bands.h"
#include "support/objects.h"
#include "support/settings.h"

/* Places for the plans that a session keeps. */
#define MAX_PLANS 512

/*** Parameters ***/

/* The parameters $1 to $5; those of the conditions follow. */
enum
{
	SIGNATURE,
	THRESHOLD,
	RECALL,
	TABLE,
	IGNORED,
	FIRST_CONDITION
};

StaticAssertDecl(FIRST_CONDITION + CHECK_MAX_ARGUMENTS == CHECK_MAX_VALUES, "each parameter has a place");

/* Set a parameter. */
static void
set_value(RowCheck *check, int index, Oid type, Datum value, bool isnull)
{
	check->types[index] = type;
	check->params->params[index] =
		(ParamExternData) {value, isnull, PARAM_FLAG_CONST, type};
}

/* Return the quoted name of a collation, with its schema. */
static char *
collation_name(Oid collation)
{
	ObjectAddress address = {CollationRelationId, collation, 0};
	char	   *schema = get_namespace_name(get_object_namespace(&address));

	return quote_qualified_identifier(schema, get_collation_name(collation));
}

/* Add a parameter that has the value of the row in a column. */
static void
add_column_value(RowCheck *check, Form_pg_attribute column)
{
	bool		isnull;
	Datum		value = slot_getattr(check->slot, column->attnum, &isnull);

	set_value(check, check->params->numParams++, getBaseType(column->atttypid), value, isnull);
}

/* Only rows of the same scope count. */
static void
add_scope(RowCheck *check)
{
	StringInfoData columns;
	StringInfoData values;

	initStringInfo(&columns);
	initStringInfo(&values);
	for (int i = 0; i < check->condition_count; i++)
	{
		Form_pg_attribute column = check->conditions[i].column;
		const char *separator = columns.len > 0 ? ", " : "";

		if (check->conditions[i].distance != NULL)
			continue;
		add_column_value(check, column);
		appendStringInfo(&columns, "%st.%s", separator, quote_identifier(NameStr(column->attname)));
		appendStringInfo(&values, "%s$%d", separator, check->params->numParams);

		/*
		 * A parameter of type name has the collation C, not that of the
		 * column.
		 */
		if (OidIsValid(column->attcollation))
			appendStringInfo(&values, " COLLATE %s",
							 collation_name(column->attcollation));
	}
	if (columns.len > 0)
		appendStringInfo(&check->clauses, " AND EXISTS (SELECT %s INTERSECT SELECT %s)",
						 columns.data, values.data);
}

/*
 * Find the function that compares values of a type with a distance, and the type of
 * the distance: that of the values, an interval, or float8 for real.
 */
static Oid
find_in_range(Form_pg_attribute column, Oid *distance_type)
{
	const Oid	types[] = {getBaseType(column->atttypid), INTERVALOID, FLOAT8OID};
	TypeCacheEntry *type = lookup_type_cache(types[0], TYPECACHE_BTREE_OPFAMILY);

	for (int i = 0; i < (int) lengthof(types) && OidIsValid(type->btree_opf); i++)
	{
		Oid			function = get_opfamily_proc(type->btree_opf, type->btree_opintype,
												 types[i], BTINRANGE_PROC);

		*distance_type = types[i];
		if (OidIsValid(function))
			return function;
	}
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("column \"%s\" of type %s has no distances",
					NameStr(column->attname), format_type_be(column->atttypid)),
			 errdetail("'within' needs a date, time, timestamp, interval or number, or another type with an in_range function.")));
	return InvalidOid;			/* not reached */
}

/*
 * Read a distance, which must not be negative, nor have a negative part: that would
 * move a bound to the wrong side.  in_range ignores days and months next to a time.
 */
static Datum
read_distance(char *text, Oid type, Oid column_type)
{
	TypeCacheEntry *cache = lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO);
	bool		is_time = column_type == TIMEOID || column_type == TIMETZOID;
	Interval   *parts = NULL;
	Oid			input;
	Oid			parameter;
	Datum		distance;
	Datum		zero;
	bool		is_negative;

	getTypeInputInfo(type, &input, &parameter);
	distance = OidInputFunctionCall(input, text, parameter, -1);
	zero = OidInputFunctionCall(input, pstrdup("0"), parameter, -1);
	if (type == INTERVALOID)
		parts = DatumGetIntervalP(distance);
	is_negative = pg_strcasecmp(text, "NaN") == 0 ||
		DatumGetInt32(FunctionCall2(&cache->cmp_proc_finfo, distance, zero)) < 0 ||
		(parts != NULL && (parts->month < 0 || parts->day < 0 || parts->time < 0));
	if (is_negative ||
		(is_time && parts != NULL && (parts->month != 0 || parts->day != 0)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid distance in the arguments of minhash_check_trigger: \"%s\"", text),
				 is_negative ? errdetail("A distance must not be negative.") :
				 errdetail("Values of type %s are less than a day apart.",
						   format_type_be(column_type))));
	return distance;
}

/* Name a distance in an error. */
static void
name_distance(void *condition)
{
	errcontext("distance \"%s\" of column \"%s\" in minhash_check_trigger",
			   ((CheckCondition *) condition)->distance,
			   NameStr(((CheckCondition *) condition)->column->attname));
}

/*
 * Compute both bounds of the distance from a value, so that a bound out of range is
 * an error for each row with that value, not first for a row similar to it.
 */
static void
check_bounds(CheckCondition *condition, Oid function, Datum value, Datum distance)
{
	ErrorContextCallback context = {error_context_stack, name_distance, condition};

	error_context_stack = &context;
	(void) OidFunctionCall5(function, value, value, distance, BoolGetDatum(true), BoolGetDatum(false));
	(void) OidFunctionCall5(function, value, value, distance, BoolGetDatum(false), BoolGetDatum(true));
	error_context_stack = context.previous;
}

/* Only rows within a distance of the new one in a column count, on both sides. */
static void
add_within(RowCheck *check, CheckCondition *condition)
{
	Oid			column_type = getBaseType(condition->column->atttypid);
	const ParamExternData *value = &check->params->params[check->params->numParams];
	Oid			type;
	Oid			function = find_in_range(condition->column, &type);
	char	   *in_range = quote_qualified_identifier(get_namespace_name(get_func_namespace(function)),
													  get_func_name(function));
	Datum		distance = read_distance(condition->distance, type, column_type);

	add_column_value(check, condition->column);
	check->counts_none |= value->isnull;
	if (!check->counts_none)
		check_bounds(condition, function, value->value, distance);
	set_value(check, check->params->numParams++, type, distance, false);

	/*
	 * The cast keeps a function for a domain, which anyone can plant, from
	 * fitting.
	 */
	appendStringInfo(&check->clauses, " AND %1$s(t.%2$s::%5$s, $%3$d, $%4$d, true, false) "
					 "AND %1$s(t.%2$s::%5$s, $%3$d, $%4$d, false, true)",
					 in_range, quote_identifier(NameStr(condition->column->attname)),
					 check->params->numParams - 1, check->params->numParams,
					 format_type_be_qualified(column_type));
}

/* Prepare the search. */
void
check_prepare_search(RowCheck *check)
{
	Oid			table = RelationGetRelid(check->call->tg_relation);

	check->params = makeParamList(CHECK_MAX_VALUES);
	check->ignored = initArrayResult(TIDOID, CurrentMemoryContext, false);
	check->params->numParams = SIGNATURE;
	add_column_value(check, check->column);
	check->counts_none = check->params->params[SIGNATURE].isnull;
	set_value(check, THRESHOLD, FLOAT8OID, Float8GetDatum(check->threshold), false);
	set_value(check, RECALL, FLOAT8OID, Float8GetDatum(BAND_DEFAULT_RECALL), false);
	set_value(check, TABLE, OIDOID, ObjectIdGetDatum(table), false);
	set_value(check, IGNORED, TIDARRAYOID, (Datum) 0, false);
	check->params->numParams = FIRST_CONDITION;
	initStringInfo(&check->clauses);
	if (check->flag != NULL)
		appendStringInfo(&check->clauses, " AND flag.%s IS NULL",
						 quote_identifier(NameStr(check->flag->attname)));
	add_scope(check);
	for (int i = 0; i < check->condition_count; i++)
		if (check->conditions[i].distance != NULL)
			add_within(check, &check->conditions[i]);
}

/*** The query and its plan ***/

/* Write the query for the most similar row. */
static char *
search_query(const RowCheck *check)
{
	const char *schema = name_extension_schema(check->fcinfo);
	const char *sig = quote_identifier(NameStr(check->column->attname));

	return psprintf("SELECT %s%s FROM %s AS t WHERE %s.minhash_similar(t.%s, $1, $2, $3) "
					"AND NOT (t.tableoid OPERATOR(pg_catalog.=) $4 "
					"AND t.ctid OPERATOR(pg_catalog.=) ANY ($5))%s "
					"ORDER BY t.%s OPERATOR(%s.<->) $1 LIMIT 1",
					name_row(check->table, check->primary_key),
					check->key_type == NUMERICOID ? "::pg_catalog.numeric" :
					check->key_type == INT8OID ? "::pg_catalog.int8" :
					check->key_type == INT4OID ? "::pg_catalog.int4" : "",
					name_qualified(check->table), schema, sig,
					check->clauses.data, sig, schema);
}

/*
 * Resolve t.ctid and t.tableoid, which identify rows, and the flag, which the query
 * calls flag.NAME.  The parser would demand SELECT on them, as on any column; but
 * they tell a user no more of a row than that it is not counted.
 */
static Node *
unchecked_column(ParseState *pstate, ColumnRef *ref)
{
	const char *qualifier = strVal(linitial(ref->fields));
	char	   *name = strVal(llast(ref->fields));
	Oid			table;
	AttrNumber	column;
	Oid			type;
	int32		typmod;
	Oid			collation;

	if (list_length(ref->fields) != 2 ||
		(strcmp(qualifier, "flag") != 0 && strcmp(name, "ctid") != 0 &&
		 strcmp(name, "tableoid") != 0))
		return NULL;
	table = linitial_node(RangeTblEntry, pstate->p_rtable)->relid;
	column = get_attnum(table, name);
	get_atttypetypmodcoll(table, column, &type, &typmod, &collation);
	return (Node *) makeVar(1, column, type, typmod, collation, 0);
}

/* Prepare to parse a query with parameters of some types, CHECK_MAX_VALUES Oids. */
static void
set_up_parser(ParseState *pstate, void *types)
{
	setup_parse_fixed_parameters(pstate, types, CHECK_MAX_VALUES);
	pstate->p_pre_columnref_hook = unchecked_column;
}

/* Return true if a plan is that of a query with the parameters of a check. */
static bool
plan_fits(SPIPlanPtr plan, const char *query, const RowCheck *check)
{
	CachedPlanSource *source = linitial(SPI_plan_get_plan_sources(plan));

	return strcmp(source->query_string, query) == 0 &&
		memcmp(source->parserSetupArg, check->types, sizeof(check->types)) == 0;
}

/*
 * Return the plan that the session keeps for the query of a check, or make it.  The
 * server plans it again after a change of the table, but not because the table has
 * grown; so the settings of the function (lshsim--1.0.sql) leave only generic plans
 * that use an index, if there is one.  JIT would compile each plan without an index,
 * because a disabled scan has a high cost.  After a change of names or types, the
 * query or its parameters differ.
 *
 * If all places are taken, the plan replaces one of them, or is made for each row
 * in a trigger that another one has fired: the plan there may be running now.
 */
static SPIPlanPtr
search_plan(RowCheck *check)
{
	static struct
	{
		SPIPlanPtr	plan;		/* NULL: the place is free */
		Oid			types[CHECK_MAX_VALUES];	/* of its parameters */
	}			places[MAX_PLANS], *place = NULL;
	const char *query = search_query(check);
	uint32		hash = hash_bytes((const unsigned char *) query, (int) strlen(query));
	SPIPlanPtr	plan;

	for (int i = 0; i < MAX_PLANS; i++)
	{
		place = &places[(hash + i) % MAX_PLANS];
		if (place->plan == NULL)
			break;
		if (plan_fits(place->plan, query, check))
			return place->plan;
	}
	if (place->plan != NULL)
	{
		if (DatumGetInt32(DirectFunctionCall1(pg_trigger_depth, (Datum) 0)) > 1)
			return SPI_prepare_params(query, set_up_parser, check->types, 0);
		SPI_freeplan(place->plan);
		place->plan = NULL;
	}
	memcpy(place->types, check->types, sizeof(check->types));
	plan = SPI_prepare_params(query, set_up_parser, place->types, 0);
	SPI_keepplan(plan);
	place->plan = plan;
	return plan;
}

/*
 * Return the text of the key that a search has found, the same in every session, so
 * that it is that of the same row in each.
 */
static char *
key_text(void)
{
	static const char *const settings[][2] = {
		{"bytea_output", "hex"}, {"DateStyle", "ISO"}, {"extra_float_digits", "1"},
		{"IntervalStyle", "postgres"}, {"lc_monetary", "C"}, {"TimeZone", "UTC"}
	};
	int			level = settings_override(settings, lengthof(settings));
	char	   *key;

	RestrictSearchPath();
	key = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	AtEOXact_GUC(true, level);
	return key;
}

/* Return the key that a search has found, in the caller's memory. */
static Datum
found_key(const RowCheck *check)
{
	bool		isnull;
	int16		length;
	bool		by_value;
	Datum		key;

	if (check->key_type == TEXTOID)
		key = CStringGetTextDatum(key_text());
	else
		key = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	get_typlenbyval(check->key_type, &length, &by_value);
	return SPI_datumTransfer(key, by_value, length);
}

/* Find the most similar row that is not ignored; return false if there is none. */
bool
check_find_similar(RowCheck *check)
{
	set_value(check, IGNORED, TIDARRAYOID,
			  makeArrayResult(check->ignored, CurrentMemoryContext), false);
	SPI_connect();
	if (SPI_execute_plan_with_paramlist(search_plan(check), check->params, false,
										1) != SPI_OK_SELECT)
		elog(ERROR, "search for near-duplicates failed");
	check->found = SPI_processed > 0;
	if (check->found)
		check->key = found_key(check);
	SPI_finish();
	return check->found;
}
