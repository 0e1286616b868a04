/*-------------------------------------------------------------------------
 *
 * minhash_check_trigger.c
 *	  A trigger that flags, skips or rejects rows similar to an earlier one.
 *
 *	CREATE TRIGGER ... BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE
 *		FUNCTION minhash_check_trigger('sig', 0.8, 'flag', 'copy_of',
 *									   'scope', 'tenant', 'shop',
 *									   'within', 'published', '7 days')
 *
 * The server computes generated columns after BEFORE triggers, so the trigger
 * computes them itself.  A signature column that is not generated is refused,
 * because another trigger could set it later, and this one would compare an old
 * value.
 *
 * A flag names a row that has none, the most similar one.  So a chain of flags can
 * end only in a row without a flag, and a new flag makes no cycle, because the row
 * that it names is the end of all chains through it.  This holds as long as the row
 * cannot be flagged at the same time: an update that may flag a row without a flag
 * also locks the keys of its old signature, by which others find it.
 *
 * Two sessions that insert similar rows do not see each other's row.  Similar
 * signatures have a band key in common, so the trigger takes an advisory lock on
 * every key of a row, combined with a hash of its scope, before it searches: the
 * later session waits for the end of the earlier transaction.  Its search then
 * needs a snapshot taken after the wait, which only READ COMMITTED provides.
 *
 * A transaction that holds SHARE ROW EXCLUSIVE on the table needs no such locks,
 * because every other writer waits for it: the trigger locks the root of a
 * partition as a statement on the root does.
 *
 * A row that an insert conflicts with in a unique index is left to that index,
 * because ON CONFLICT may be about to update it.  The executor's own check finds
 * it, but only if a similar row has been found, which is rare.
 *
 * The trigger runs with the rights of the user who writes the row, who must not
 * run code that another user has planted.  So the query names operators and
 * functions with their schemas and exact argument types, and compares scopes by
 * INTERSECT, which uses the default operator classes of their types; distances by
 * the in_range function of that class.
 *
 * The trigger decides by these facts:
 *
 * - The event INSERT is that of a new row, but also of an update that moves a row
 *   to another partition (BEFORE UPDATE, DELETE, BEFORE INSERT; in logical
 *   replication without the first), and of the rest of a row that an UPDATE or
 *   DELETE ... FOR PORTION OF leaves.  They cannot be distinguished: the new row has
 *   no TID, the old one is unknown, and another insert may have the same transaction
 *   and command.  So the row is checked as a new one, and "skip" is refused where it
 *   would lose a stored row.
 * - relkind: only rows of a table have TIDs, and locks keep their writers out.
 * - relispartition and the ancestors in pg_inherits, of which the last is the root.
 *   While DETACH CONCURRENTLY is pending, a partition is still marked as one, but the
 *   list ends below the pending detachment and may be empty.  An inheritance child
 *   has a parent in pg_inherits, too, but is searched alone.
 * - Columns are those of the trigger's table.  The root may have them in another
 *   order; the query names them.  The primary key is that of the root, the unique
 *   indexes are those of the trigger's table.
 * - The new row is as triggers of earlier names have left it.  Its generated columns
 *   are not computed yet, and virtual ones never are.
 * - tg_trigtuple->t_self is the TID of an updated row, in the version that the
 *   update has locked.  Tables have rows with the same TID, so tableoid counts, too.
 * - Only a lock of the root keeps writers of all partitions out.
 * - Row-level security is that of the searched table for the current user.
 * - The query's text and the types of its parameters identify a saved plan.  The text
 *   changes with names; the triggers of all partitions have the same.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/nbtree.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/twophase.h"
#include "access/xact.h"
#include "catalog/objectaddress.h"
#include "catalog/partition.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/executor.h"
#include "executor/nodeModifyTable.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "parser/parse_coerce.h"
#include "parser/parse_param.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "compat.h"
#include "core/bands/bands.h"
#include "row_trigger.h"
#include "search/banding.h"
#include "support/arguments.h"
#include "support/objects.h"
#include "support/settings.h"

#define MAX_ARGUMENTS 100

/* Places for the plans that a session keeps. */
#define MAX_PLANS 512

/* Parameters of the query, $1 to $5; those of the conditions follow. */
enum
{
	SIGNATURE,
	THRESHOLD,
	RECALL,
	TABLE,
	IGNORED,
	FIRST_CONDITION
};

#define MAX_VALUES (FIRST_CONDITION + MAX_ARGUMENTS)

/* A check of a row. */
typedef struct RowCheck
{
	FunctionCallInfo fcinfo;
	TriggerData *call;
	char	  **args;			/* of the trigger */
	int			count;			/* of them */
	int			first_scope;	/* index of the first scope column */
	int			first_within;	/* index after the last one */
	Form_pg_attribute column;	/* of signatures */
	double		threshold;
	Oid			table;			/* to search; the root of a partition */
	Bitmapset  *primary_key;	/* of it; NULL: none */

	/* The row to store, with its generated columns. */
	EState	   *estate;
	ResultRelInfo *target;
	TupleTableSlot *slot;
	HeapTuple	row;
	Datum		sig;
	bool		sig_is_null;

	/* The rows that count. */
	StringInfoData conditions;	/* in the query */
	bool		counts_none;	/* the row is within nothing */

	/* Parameters of the query. */
	ParamListInfo params;
	Oid			types[MAX_VALUES];	/* 0 behind the last */
	ArrayBuildState *ignored;	/* TIDs of rows in the trigger's table */

	/* The result. */
	Form_pg_attribute flag;		/* column of flags; NULL: another action */
	Oid			key_type;		/* of the key; TEXTOID: its text */
	bool		found;			/* a similar row */
	Datum		key;			/* of the most similar one */
} RowCheck;

/*** Arguments ***/

/* Return true if the action of a trigger has this name. */
static bool
action_is(const RowCheck *check, const char *name)
{
	return strcmp(check->args[2], name) == 0;
}

/* Raise an error of the arguments; the hint is what they must be. */
#define REPORT_ARGUMENTS(...) \
	ereport(ERROR, \
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), __VA_ARGS__, \
			 errhint("The arguments are a signature column, a threshold, 'skip', 'reject', or 'flag' with a column for the key, then optionally 'scope' with columns in which similar rows must be equal, and 'within' with a column and a distance, as often as needed.")))

/* Check the first three arguments, and the event that calls the action. */
static void
check_first_arguments(RowCheck *check)
{
	if (check->count < 3 || check->count > MAX_ARGUMENTS)
		REPORT_ARGUMENTS(errmsg("minhash_check_trigger has %d arguments", check->count),
						 errdetail("It must have between 3 and %d.", MAX_ARGUMENTS));
	check->threshold = arg_check_threshold(DatumGetFloat8(DirectFunctionCall1(float8in,
																			  CStringGetDatum(check->args[1]))));
	if (!action_is(check, "flag") && !action_is(check, "skip") && !action_is(check, "reject"))
		REPORT_ARGUMENTS(errmsg("invalid action of minhash_check_trigger: \"%s\"", check->args[2]));
	if (action_is(check, "flag") && check->count < 4)
		REPORT_ARGUMENTS(errmsg("minhash_check_trigger has no column for flags"),
						 errdetail("It follows the action 'flag'."));
	if (action_is(check, "skip") && TRIGGER_FOR_UPDATE(check->call->tg_trigger->tgtype))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("minhash_check_trigger cannot skip an update"),
				 errdetail("Trigger \"%s\" is also called before updates.",
						   check->call->tg_trigger->tgname),
				 errhint("Create the trigger BEFORE INSERT only, or use the action 'flag' or 'reject'.")));
}

/* Return true if there is an argument, and it is a word. */
static bool
argument_is(const RowCheck *check, int arg, const char *word)
{
	return arg < check->count && strcmp(check->args[arg], word) == 0;
}

/* Find the arguments after the action. */
static void
check_conditions(RowCheck *check)
{
	int			arg = action_is(check, "flag") ? 4 : 3;

	check->first_scope = check->first_within = arg;
	if (argument_is(check, arg, "scope"))
	{
		check->first_scope = ++arg;
		while (arg < check->count && !argument_is(check, arg, "within"))
			arg++;
		check->first_within = arg;
		if (arg == check->first_scope)
			REPORT_ARGUMENTS(errmsg("no column follows the argument 'scope' of minhash_check_trigger"));
	}
	for (; arg < check->count; arg += 3)
	{
		if (!argument_is(check, arg, "within"))
			REPORT_ARGUMENTS(errmsg("unexpected argument of minhash_check_trigger: \"%s\"",
									check->args[arg]));
		if (arg + 2 >= check->count)
			REPORT_ARGUMENTS(errmsg("a column and a distance must follow the argument 'within' of minhash_check_trigger"));
	}
}

/*
 * Return true if UPDATE or DELETE ... FOR PORTION OF may insert the rest of a row,
 * which needs a column of ranges.
 */
static bool
has_portions(TupleDesc desc)
{
	for (int i = 0; PG_VERSION_NUM >= 190000 && i < desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i);
		Oid			type = column->attisdropped ? InvalidOid :
			getBaseType(column->atttypid);

		if (type_is_range(type) || type_is_multirange(type))
			return true;
	}
	return false;
}

/* Refuse a relation whose rows the trigger cannot identify, or could lose. */
static void
check_table(const RowCheck *check)
{
	Relation	relation = check->call->tg_relation;
	bool		is_partition = relation->rd_rel->relispartition;

	if (relation->rd_rel->relkind != RELKIND_RELATION)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a table", RelationGetRelationName(relation)),
				 errdetail("minhash_check_trigger cannot lock or identify rows of another server."),
				 errhint("Create the trigger on the server that has the rows, and write them there.")));
	if (action_is(check, "skip") &&
		(is_partition || has_portions(RelationGetDescr(relation))))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("minhash_check_trigger cannot skip rows of table \"%s\"",
						RelationGetRelationName(relation)),
				 is_partition ?
				 errdetail("An update that moves a row to another partition deletes and inserts it. Skipping that insert would lose the row.") :
				 errdetail("An update or delete FOR PORTION OF a column inserts the rest of the row. Skipping that insert would lose it."),
				 errhint("Use the action 'flag' or 'reject', or insert by INSERT ... SELECT ... WHERE NOT EXISTS.")));
}

/* Find the column of signatures. */
static Form_pg_attribute
find_signature_column(FunctionCallInfo fcinfo)
{
	Form_pg_attribute column = trigger_column((TriggerData *) fcinfo->context, 0);

	name_check_signature(fcinfo, NameStr(column->attname), column->atttypid);
	if (!column->attgenerated)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("column \"%s\" is not a generated column",
						NameStr(column->attname)),
				 errdetail("Another trigger could change it after the check."),
				 errhint("Declare it as GENERATED ALWAYS AS (to_minhash(...)) STORED.")));
	return column;
}

/* Return the table to search: that of the trigger, or the root of a partition. */
static Oid
table_to_search(const TriggerData *call)
{
	Oid			table = RelationGetRelid(call->tg_relation);
	List	   *ancestors = call->tg_relation->rd_rel->relispartition ?
		get_partition_ancestors(table) : NIL;

	if (ancestors != NIL)
		table = llast_oid(ancestors);
	if (check_enable_rls(table, InvalidOid, true) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("cannot check for near-duplicates in table \"%s\"",
						get_rel_name(table)),
				 errdetail("Row-level security would hide rows of the table from the search.")));
	return table;
}

/*
 * Return true if a flag can be the key itself: the key has its type, or is a
 * narrower integer.
 */
static bool
takes_key(Oid flag, int32 flag_typmod, Oid key, int32 key_typmod)
{
	Oid			function;

	if (flag_typmod != -1 && (flag != key || flag_typmod != key_typmod))
		return false;
	if (key == INT2OID || key == INT4OID || key == INT8OID)
		return flag == key || flag == NUMERICOID || flag == INT8OID ||
			(flag == INT4OID && key == INT2OID);
	return find_coercion_pathway(flag, key, COERCION_IMPLICIT,
								 &function) == COERCION_PATH_RELABELTYPE;
}

/*
 * Return true if a flag can be the text of a key.  That of a char(n) has spaces at
 * its end, which the comparison of a text with a key ignores only in the key.
 */
static bool
takes_text(Oid flag, int32 typmod, Oid key)
{
	Oid			function;

	return typmod == -1 && key != BPCHAROID &&
		find_coercion_pathway(flag, TEXTOID, COERCION_ASSIGNMENT,
							  &function) == COERCION_PATH_RELABELTYPE;
}

/* Find the column of flags, and how it holds a primary key. */
static void
find_flag(RowCheck *check)
{
	Form_pg_attribute flag = trigger_target(check->call, 3);
	int32		flag_typmod = flag->atttypmod;
	Oid			flag_type = getBaseTypeAndTypmod(flag->atttypid, &flag_typmod);
	Oid			declared = RECORDOID;
	int32		typmod = -1;
	Oid			collation;
	Oid			type;
	int			column;

	if (check->primary_key == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("table \"%s\" has no primary key", get_rel_name(check->table)),
				 errdetail("A flag is the primary key of the similar row.")));
	if (bms_get_singleton_member(check->primary_key, &column))
		get_atttypetypmodcoll(check->table, column + FirstLowInvalidHeapAttributeNumber,
							  &declared, &typmod, &collation);
	type = getBaseTypeAndTypmod(declared, &typmod);
	check->flag = flag;
	if (takes_key(flag_type, flag_typmod, type, typmod))
		check->key_type = flag_type;
	else if (!takes_text(flag_type, flag_typmod, type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of type %s cannot hold a key of type %s",
						NameStr(flag->attname),
						format_type_with_typemod(flag->atttypid, flag->atttypmod),
						format_type_with_typemod(declared, declared == type ? typmod : -1)),
				 errdetail("A flag could lose a part of the key."),
				 errhint("Make it a column of type text, or of the type of the primary key if that is one column.")));
}

/*** The row to store ***/

/* Compute the row to store. */
static void
compute_row(RowCheck *check)
{
	check->estate = CreateExecutorState();
	check->target = makeNode(ResultRelInfo);
	InitResultRelInfo(check->target, check->call->tg_relation, 0, NULL, 0);
	check->slot = MakeSingleTupleTableSlot(RelationGetDescr(check->call->tg_relation),
										   &TTSOpsHeapTuple);
	ExecStoreHeapTuple(trigger_new_row(check->call), check->slot, false);

	/*
	 * CMD_UPDATE would leave out some columns, by those that the statement
	 * sets.
	 */
	ExecComputeStoredGenerated(check->target, check->estate, check->slot,
							   CMD_INSERT);
	check->row = ExecFetchSlotHeapTuple(check->slot, true, NULL);
	check->sig = slot_getattr(check->slot, check->column->attnum,
							  &check->sig_is_null);
}

/* Find the column of a condition that a trigger argument names. */
static Form_pg_attribute
condition_column(const RowCheck *check, int arg)
{
	Form_pg_attribute column = trigger_column(check->call, arg);

	if (column->attgenerated && column->attgenerated != ATTRIBUTE_GENERATED_STORED)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" is a virtual generated column",
						NameStr(column->attname)),
				 errdetail("Its values are not stored, so that a trigger cannot compare them."),
				 errhint("Declare it as STORED, or name the columns that it is computed from.")));
	return column;
}

/* Return true for a new row, or if an update changes the signature or a condition. */
static bool
has_changed(const RowCheck *check)
{
	const TriggerData *call = check->call;

	if (!TRIGGER_FIRED_BY_UPDATE(call->tg_event) ||
		trigger_column_changes(call, check->row, check->column))
		return true;
	for (int arg = check->first_scope; arg < check->first_within; arg++)
		if (trigger_column_changes(call, check->row, condition_column(check, arg)))
			return true;
	for (int arg = check->first_within; arg < check->count; arg += 3)
		if (trigger_column_changes(call, check->row, condition_column(check, arg + 1)))
			return true;
	return false;
}

/*** Parameters of the search ***/

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
	for (int arg = check->first_scope; arg < check->first_within; arg++)
	{
		Form_pg_attribute column = condition_column(check, arg);
		const char *separator = columns.len > 0 ? ", " : "";

		add_column_value(check, column);
		appendStringInfo(&columns, "%st.%s", separator, quote_identifier(check->args[arg]));
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
		appendStringInfo(&check->conditions, " AND EXISTS (SELECT %s INTERSECT SELECT %s)",
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

/* Name the distance, a trigger's arguments, in an error. */
static void
name_distance(void *args)
{
	errcontext("distance \"%s\" of column \"%s\" in minhash_check_trigger",
			   ((char **) args)[1], ((char **) args)[0]);
}

/*
 * Compute both bounds of the distance from a value, so that a bound out of range is
 * an error for each row with that value, not first for a row similar to it.
 */
static void
check_bounds(char **args, Oid function, Datum value, Datum distance)
{
	ErrorContextCallback context = {error_context_stack, name_distance, args};

	error_context_stack = &context;
	(void) OidFunctionCall5(function, value, value, distance, BoolGetDatum(true), BoolGetDatum(false));
	(void) OidFunctionCall5(function, value, value, distance, BoolGetDatum(false), BoolGetDatum(true));
	error_context_stack = context.previous;
}

/* Only rows within a distance of the new one in a column count, on both sides. */
static void
add_within(RowCheck *check, int arg)
{
	Form_pg_attribute column = condition_column(check, arg + 1);
	const char *name = quote_identifier(check->args[arg + 1]);
	int			value = check->params->numParams;
	Oid			type;
	Oid			function = find_in_range(column, &type);
	char	   *in_range = quote_qualified_identifier(get_namespace_name(get_func_namespace(function)),
													  get_func_name(function));
	Datum		distance;

	add_column_value(check, column);
	check->counts_none |= check->params->params[value].isnull;
	distance = read_distance(check->args[arg + 2], type, getBaseType(column->atttypid));
	if (!check->counts_none)
		check_bounds(check->args + arg + 1, function, check->params->params[value].value, distance);
	set_value(check, check->params->numParams++, type, distance, false);

	/*
	 * The cast keeps a function for a domain, which anyone can plant, from
	 * fitting.
	 */
	appendStringInfo(&check->conditions, " AND %1$s(t.%2$s::%5$s, $%3$d, $%4$d, true, false) "
					 "AND %1$s(t.%2$s::%5$s, $%3$d, $%4$d, false, true)",
					 in_range, name, value + 1, value + 2,
					 format_type_be_qualified(getBaseType(column->atttypid)));
}

/* Prepare the search. */
static void
prepare_search(RowCheck *check)
{
	Oid			table = RelationGetRelid(check->call->tg_relation);

	check->params = makeParamList(MAX_VALUES);
	check->ignored = initArrayResult(TIDOID, CurrentMemoryContext, false);
	set_value(check, SIGNATURE, check->column->atttypid, check->sig, check->sig_is_null);
	set_value(check, THRESHOLD, FLOAT8OID, Float8GetDatum(check->threshold), false);
	set_value(check, RECALL, FLOAT8OID, Float8GetDatum(DEFAULT_RECALL), false);
	set_value(check, TABLE, OIDOID, ObjectIdGetDatum(table), false);
	set_value(check, IGNORED, TIDARRAYOID, (Datum) 0, false);
	check->params->numParams = FIRST_CONDITION;
	check->counts_none = check->sig_is_null;
	initStringInfo(&check->conditions);
	if (check->flag != NULL)
		appendStringInfo(&check->conditions, " AND flag.%s IS NULL",
						 quote_identifier(check->args[3]));
	add_scope(check);
	for (int arg = check->first_within; arg < check->count; arg += 3)
		add_within(check, arg);
}

/*** Locks ***/

/*
 * Take an advisory lock as pg_advisory_xact_lock() does.  Raise an error before
 * the transaction fills half of the server's table of locks.  Locks that were
 * released with a subtransaction count, too.
 */
static void
lock_key(const RowCheck *check, uint64 key)
{
	static LocalTransactionId transaction = InvalidLocalTransactionId;
	static int	count;
	LOCKTAG		tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, (uint32) (key >> 32), (uint32) key, 1);
	if (LockAcquire(&tag, ExclusiveLock, false, false) == LOCKACQUIRE_ALREADY_HELD)
		return;
	if (transaction != compat_local_transaction())
		count = 0;
	transaction = compat_local_transaction();
	if (++count > max_locks_per_xact * (MaxBackends + max_prepared_xacts) / 2)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many rows to check in one transaction"),
				 errdetail("The transaction has taken %d advisory locks on keys of rows.",
						   count),
				 errhint("Before rows are written, execute LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE; then none are taken.",
						 name_qualified(check->table))));
}

/*
 * Hash the scope of a row, so that equal scopes have equal hashes.  Columns of types
 * without a hash function add 0.
 */
static uint64
scope_hash(const RowCheck *check, HeapTuple row)
{
	TupleDesc	desc = RelationGetDescr(check->call->tg_relation);
	uint64		hash = 0;

	for (int arg = check->first_scope; arg < check->first_within; arg++)
	{
		Form_pg_attribute column = condition_column(check, arg);
		TypeCacheEntry *type = lookup_type_cache(column->atttypid,
												 TYPECACHE_HASH_EXTENDED_PROC_FINFO);
		bool		isnull;
		Datum		value = SPI_getbinval(row, desc, column->attnum, &isnull);
		Datum		add = UInt64GetDatum(0);

		if (!isnull && OidIsValid(type->hash_extended_proc))
			add = FunctionCall2Coll(&type->hash_extended_proc_finfo,
									column->attcollation, value, Int64GetDatum(0));
		hash = hash_combine64(hash, DatumGetUInt64(add));
	}
	return hash;
}

/* Compute the keys to lock for a row; return their number. */
static int
row_keys(const RowCheck *check, HeapTuple row, uint64 *keys)
{
	bool		isnull;
	Datum		sig = SPI_getbinval(row, RelationGetDescr(check->call->tg_relation),
									check->column->attnum, &isnull);
	int			count = isnull ? 0 : banding_plan_keys(DatumGetMinHash(sig), check->threshold,
													   DEFAULT_RECALL, keys);
	uint64		hash = scope_hash(check, row);

	for (int i = 0; i < count; i++)
		keys[i] ^= hash;
	return count;
}

/* Return true if the row is one that an update flags, and that other rows may name. */
static bool
was_original(const RowCheck *check)
{
	return check->flag != NULL && TRIGGER_FIRED_BY_UPDATE(check->call->tg_event) &&
		heap_attisnull(check->call->tg_trigtuple, check->flag->attnum,
					   RelationGetDescr(check->call->tg_relation));
}

/* Compare keys. */
static int
compare_keys(const void *a, const void *b)
{
	uint64		key_a = *(const uint64 *) a;
	uint64		key_b = *(const uint64 *) b;

	return (key_a > key_b) - (key_a < key_b);
}

/*
 * Make other writers of rows that may be similar wait for this transaction, in
 * ascending order of the keys.
 */
static void
lock_row(const RowCheck *check)
{
	Relation	table = table_open(check->table, RowExclusiveLock);
	bool		others_wait = CheckRelationLockedByMe(table, ShareRowExclusiveLock, true);
	uint64		keys[2 * BAND_MAX];
	int			count = row_keys(check, check->row, keys);

	table_close(table, NoLock);
	if (IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("near-duplicates can be checked only at isolation level READ COMMITTED"),
				 errdetail("An older snapshot would miss rows that other transactions have inserted."),
				 errhint("Use BEGIN ISOLATION LEVEL READ COMMITTED for transactions that write to the table.")));
	if (others_wait)
		return;
	if (was_original(check))
		count += row_keys(check, check->call->tg_trigtuple, keys + count);
	qsort(keys, count, sizeof(uint64), compare_keys);
	for (int i = 0; i < count; i++)
		lock_key(check, keys[i]);
}

/*** The search ***/

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
					check->conditions.data, sig, schema);
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

/* Prepare to parse a query with parameters of some types, MAX_VALUES Oids. */
static void
set_up_parser(ParseState *pstate, void *types)
{
	setup_parse_fixed_parameters(pstate, types, MAX_VALUES);
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
		Oid			types[MAX_VALUES];	/* of its parameters */
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
static bool
find_similar(RowCheck *check)
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

/* Ignore a row of the trigger's table; return false if it is ignored already. */
static bool
ignore_row(RowCheck *check, ItemPointer tid)
{
	for (int i = 0; i < check->ignored->nelems; i++)
		if (ItemPointerEquals(tid, (ItemPointer) DatumGetPointer(check->ignored->dvalues[i])))
			return false;
	accumArrayResult(check->ignored, PointerGetDatum(tid), false, TIDOID,
					 CurrentMemoryContext);
	return true;
}

/*
 * Ignore the rows that the row to insert conflicts with in a unique index;
 * return true if one of them was not ignored yet.  The checks of deferrable
 * constraints come later, and ON CONFLICT does not know these.
 */
static bool
ignore_conflicts(RowCheck *check)
{
	ResultRelInfo *target = check->target;
	bool		is_new = false;

	ExecOpenIndices(target, true);
	for (int i = 0; i < target->ri_NumIndices; i++)
	{
		Form_pg_index index = target->ri_IndexRelationDescs[i]->rd_index;
		ItemPointerData tid;

		if (index->indisunique && index->indimmediate && index->indisready &&
			!index->indisexclusion &&
			!compat_check_conflict(target, check->slot, check->estate, &tid,
								   list_make1_oid(index->indexrelid)))
			is_new |= ignore_row(check, &tid);
	}
	ExecCloseIndices(target);
	return is_new;
}

/*
 * Find the most similar row that counts.  A row that conflicts may be updated
 * between a search and a check of conflicts, so that their TIDs differ; hence the
 * search is repeated until there is no other conflict.
 */
static void
search(RowCheck *check)
{
	bool		is_update = TRIGGER_FIRED_BY_UPDATE(check->call->tg_event);

	if (is_update)
		ignore_row(check, &check->call->tg_trigtuple->t_self);
	while (find_similar(check) && !is_update && ignore_conflicts(check))
		CHECK_FOR_INTERRUPTS();
}

/*** The actions ***/

/* Return the new row with its flag set: the key of the similar row, or NULL. */
static Datum
flag_row(const RowCheck *check)
{
	if (get_typtype(check->flag->atttypid) == TYPTYPE_DOMAIN)
		domain_check(check->key, !check->found, check->flag->atttypid, NULL, NULL);
	return trigger_set_column(check->call, check->flag, check->key, !check->found);
}

/* Flag, skip or reject a row that is similar to another row of the table. */
PG_FUNCTION_INFO_V1(minhash_check_trigger);
Datum
minhash_check_trigger(PG_FUNCTION_ARGS)
{
	TriggerData *call = check_row_trigger(fcinfo, "minhash_check_trigger");
	RowCheck	check = {
		.fcinfo = fcinfo,.call = call,.args = call->tg_trigger->tgargs,
		.count = call->tg_trigger->tgnargs,.key_type = TEXTOID
	};
	bool		changed;
	Oid			constraint;

	check_first_arguments(&check);
	check_conditions(&check);
	check_table(&check);
	check.column = find_signature_column(fcinfo);
	check.table = table_to_search(call);
	check.primary_key = get_primary_key_attnos(check.table, true, &constraint);
	if (action_is(&check, "flag"))
		find_flag(&check);
	compute_row(&check);
	changed = has_changed(&check);
	if (changed)
		prepare_search(&check);
	if (changed && !check.counts_none)
	{
		lock_row(&check);
		search(&check);
	}
	ExecDropSingleTupleTableSlot(check.slot);
	FreeExecutorState(check.estate);
	if (changed && check.flag != NULL)
		return flag_row(&check);
	if (check.found && action_is(&check, "skip"))
		return PointerGetDatum(NULL);
	if (check.found)
		ereport(ERROR,
				(errcode(ERRCODE_UNIQUE_VIOLATION),
				 errmsg("new row for relation \"%s\" is a near-duplicate",
						RelationGetRelationName(call->tg_relation)),
				 errdetail("It is similar to the row with key %s.",
						   TextDatumGetCString(check.key)),
				 errtableconstraint(call->tg_relation, call->tg_trigger->tgname)));
	return PointerGetDatum(trigger_new_row(call));
}
