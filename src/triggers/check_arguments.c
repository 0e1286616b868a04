/*-------------------------------------------------------------------------
 *
 * check_arguments.c
 *	  The arguments of minhash_check_trigger, and the tables that it can check.
 *
 *	minhash_check_trigger('sig', 0.8, 'flag', 'copy_of',
 *						  'scope', 'tenant', 'shop',
 *						  'within', 'published', '7 days')
 *
 * Columns are those of the trigger's table.  The root of a partition may have them
 * in another order, so the search names them.  The primary key is that of the root.
 * These facts decide which table is searched, if any:
 *
 * - relkind: only rows of a table have TIDs, and locks keep their writers out.
 * - relispartition and the ancestors in pg_inherits, of which the last is the root.
 *   While DETACH CONCURRENTLY is pending, a partition is still marked as one, but the
 *   list ends below the pending detachment and may be empty.  An inheritance child
 *   has a parent in pg_inherits, too, but is searched alone.
 * - Row-level security is that of the searched table for the current user.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/partition.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"

#include "check_trigger.h"
#include "support/arguments.h"
#include "support/objects.h"
#include "support/row_trigger.h"

/* The hints of errors of the arguments. */
#define ACTION_HINT "The first arguments are a signature column, a threshold, and 'skip', 'reject', or 'flag' with a column for the key."
#define CONDITION_HINT "After the action, 'scope' is followed by columns in which similar rows must be equal, then each 'within' by a column and a distance."

/* Raise an error of the arguments. */
#define REPORT_ARGUMENTS(hint, ...) \
	ereport(ERROR, \
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), __VA_ARGS__, \
			 errhint(hint)))

/* Return true if there is an argument, and it is a word. */
static bool
argument_is(const RowCheck *check, int arg, const char *word)
{
	return arg < check->call->tg_trigger->tgnargs &&
		strcmp(check->call->tg_trigger->tgargs[arg], word) == 0;
}

/* Read threshold and action, and check the event that calls the action. */
static void
read_action(RowCheck *check)
{
	const Trigger *trigger = check->call->tg_trigger;

	if (trigger->tgnargs < 3 || trigger->tgnargs > CHECK_MAX_ARGUMENTS)
		REPORT_ARGUMENTS(ACTION_HINT, errmsg("minhash_check_trigger has %d arguments", trigger->tgnargs),
						 errdetail("It must have between 3 and %d.", CHECK_MAX_ARGUMENTS));
	check->threshold = arg_check_threshold(DatumGetFloat8(DirectFunctionCall1(float8in,
																			  CStringGetDatum(trigger->tgargs[1]))));
	check->skips = argument_is(check, 2, "skip");
	if (!check->skips && !argument_is(check, 2, "flag") && !argument_is(check, 2, "reject"))
		REPORT_ARGUMENTS(ACTION_HINT, errmsg("invalid action of minhash_check_trigger: \"%s\"", trigger->tgargs[2]));
	if (argument_is(check, 2, "flag") && trigger->tgnargs < 4)
		REPORT_ARGUMENTS(ACTION_HINT, errmsg("minhash_check_trigger has no column for flags"),
						 errdetail("It follows the action 'flag'."));
	if (check->skips && TRIGGER_FOR_UPDATE(trigger->tgtype))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("minhash_check_trigger cannot skip an update"),
				 errdetail("Trigger \"%s\" is also called before updates.", trigger->tgname),
				 errhint("Create the trigger BEFORE INSERT only, or use the action 'flag' or 'reject'.")));
}

/* Add a condition on the column that a trigger argument names. */
static void
add_condition(RowCheck *check, int arg, char *distance)
{
	Form_pg_attribute column = trigger_column(check->call, arg);

	if (column->attgenerated && column->attgenerated != ATTRIBUTE_GENERATED_STORED)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" is a virtual generated column",
						NameStr(column->attname)),
				 errdetail("Its values are not stored, so that a trigger cannot compare them."),
				 errhint("Declare it as STORED, or name the columns that it is computed from.")));
	check->conditions[check->condition_count++] = (CheckCondition) {column, distance};
}

/* Read the arguments after the action. */
static void
read_condition_arguments(RowCheck *check)
{
	char	  **args = check->call->tg_trigger->tgargs;
	int			count = check->call->tg_trigger->tgnargs;
	int			arg = argument_is(check, 2, "flag") ? 4 : 3;

	if (argument_is(check, arg, "scope"))
	{
		while (++arg < count && !argument_is(check, arg, "within"))
			add_condition(check, arg, NULL);
		if (check->condition_count == 0)
			REPORT_ARGUMENTS(CONDITION_HINT, errmsg("no column follows the argument 'scope' of minhash_check_trigger"));
	}
	for (; arg < count; arg += 3)
	{
		if (!argument_is(check, arg, "within"))
			REPORT_ARGUMENTS(CONDITION_HINT, errmsg("unexpected argument of minhash_check_trigger: \"%s\"",
													args[arg]));
		if (arg + 2 >= count)
			REPORT_ARGUMENTS(CONDITION_HINT, errmsg("a column and a distance must follow the argument 'within' of minhash_check_trigger"));
		add_condition(check, arg + 1, args[arg + 2]);
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
	if (check->skips &&
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

/*** The column of flags ***/

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

/* Read the arguments, and check the table. */
void
check_read_arguments(RowCheck *check)
{
	Oid			constraint;

	read_action(check);
	read_condition_arguments(check);
	check_table(check);
	check->column = find_signature_column(check->fcinfo);
	check->table = table_to_search(check->call);
	check->primary_key = get_primary_key_attnos(check->table, true, &constraint);
	check->key_type = TEXTOID;
	if (argument_is(check, 2, "flag"))
		find_flag(check);
}
