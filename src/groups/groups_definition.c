/*-------------------------------------------------------------------------
 *
 * groups_definition.c
 *	  Read the definition of groups, check that the table still fits it, and
 *	  name tables and columns for SQL.
 *
 * The checks run at each refresh, the first of which creates the groups,
 * because the owner can alter the table and the definition in between.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relation.h"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/typcache.h"

#include "groups.h"
#include "support/arguments.h"
#include "support/names.h"

/* Run a statement through SPI. */
void
groups_run(const char *statement, int status)
{
	int			result = SPI_execute(statement, false, 0);

	if (result != status)
		elog(ERROR, "unexpected result %d of \"%s\"", result, statement);
}

/* Return columns as a list separated by commas. */
char *
groups_columns(const List *columns, const char *prefix)
{
	StringInfoData list;
	ListCell   *cell;

	initStringInfo(&list);
	foreach(cell, columns)
		appendStringInfo(&list, "%s%s%s", list.len > 0 ? ", " : "", prefix,
						 quote_identifier(lfirst(cell)));
	return list.data;
}

/* Name the columns of a judged key. */
List *
groups_judged_key(const Groups *groups, const char *row)
{
	List	   *names = NIL;
	ListCell   *cell;

	foreach(cell, groups->key)
		names = lappend(names, makeObjectName(lfirst(cell), NULL, row));
	return names;
}

/* Number the columns of the key. */
char *
groups_key_aliases(const Groups *groups, const char *prefix)
{
	List	   *names = NIL;

	for (int i = 1; i <= list_length(groups->key); i++)
		names = lappend(names, psprintf("%s%d", prefix, i));
	return groups_columns(names, "");
}

/* Name the tables of groups. */
Groups
groups_named(Oid relation, const char *name)
{
	Groups		groups = {
		.schema = get_rel_namespace(relation),
		.names = {name, makeObjectName(name, NULL, "log"),
		makeObjectName(name, NULL, "judged"), makeObjectName(name, NULL, "definition")}
	};

	groups.table = name_near(relation, groups.names[0]);
	groups.log = name_near(relation, groups.names[1]);
	groups.judged = name_near(relation, groups.names[2]);
	groups.definition = name_near(relation, groups.names[3]);
	return groups;
}

/*** Checks ***/

/* Return a column of a table that is not a system column. */
static Form_pg_attribute
check_column(Relation relation, const char *name, const char *hint)
{
	AttrNumber	number = get_attnum(RelationGetRelid(relation), name);

	if (number < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_COLUMN_REFERENCE),
				 errmsg("column \"%s\" is a system column", name),
				 errhint("Name columns that the table declares.")));
	if (number == InvalidAttrNumber)
		name_report_no_column(RelationGetRelid(relation), name, hint);
	return TupleDescAttr(RelationGetDescr(relation), number - 1);
}

/* Refuse a column as part of the key. */
static void
check_key_column(const Groups *groups, Form_pg_attribute column)
{
	static const char *const taken[] = {
		"grp", "refresh", "changed_at", "event", "old_grp", "new_grp"
	};
	const char *name = NameStr(column->attname);

	for (int i = 0; i < (int) lengthof(taken); i++)
		if (strcmp(name, taken[i]) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_COLUMN),
					 errmsg("key column \"%s\" conflicts with a column of the tables of groups", name),
					 errhint("Rename it, or name another key.")));
	if (strcmp(name, groups->sig) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_COLUMN),
				 errmsg("column \"%s\" cannot be both signature and key", name),
				 errhint("Name the columns of another unique key in the argument \"key\".")));
}

/*
 * Check that the key of a table has the same types in a table of groups, whose
 * columns have these names.
 */
static void
check_key_types(const Groups *groups, Relation relation, Relation copy,
				const List *names, const char *hint)
{
	ListCell   *original;
	ListCell   *cell;

	forboth(original, groups->key, cell, names)
	{
		char	   *name = lfirst(cell);
		Form_pg_attribute a = check_column(relation, lfirst(original), hint);
		Form_pg_attribute b = check_column(copy, name, hint);

		if (a->atttypid != b->atttypid || a->atttypmod != b->atttypmod ||
			a->attcollation != b->attcollation)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("key column \"%s\" has another type or collation in \"%s\" than in \"%s\"",
							name, RelationGetRelationName(copy),
							RelationGetRelationName(relation)),
					 errhint("Use ALTER TABLE %s ALTER COLUMN %s TYPE %s, and do the same in the other tables of the groups.",
							 name_near(groups->relation, RelationGetRelationName(copy)),
							 quote_identifier(name),
							 format_type_with_typemod(a->atttypid, a->atttypmod))));
	}
}

/* Check the columns that the definition names. */
static void
check_columns(FunctionCallInfo fcinfo, const Groups *groups, Relation relation,
			  const char *hint)
{
	Form_pg_attribute sig = check_column(relation, groups->sig, hint);
	ListCell   *cell;

	name_check_signature(fcinfo, groups->sig, getBaseType(sig->atttypid));
	if (groups->key == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"key\" must not be empty")));
	foreach(cell, groups->key)
		check_key_column(groups, check_column(relation, lfirst(cell), hint));
	foreach(cell, groups->scope)
		(void) check_column(relation, lfirst(cell), hint);
}

/* Lock a table of groups, and check that the key, or two, fit their table. */
static void
check_copy(const Groups *groups, Relation relation, const char *name,
		   LOCKMODE mode, const List *key, const List *other_key, const char *hint)
{
	Relation	copy = relation_open(get_relname_relid(name, groups->schema), mode);

	check_key_types(groups, relation, copy, key, hint);
	check_key_types(groups, relation, copy, other_key, hint);
	relation_close(copy, NoLock);
}

/* Check that definition, table and tables of groups fit each other. */
static void
check_definition(FunctionCallInfo fcinfo, const Groups *groups)
{
	Relation	relation = try_relation_open(groups->relation, AccessShareLock);
	char	   *hint = groups->refresh == 1 ? NULL :
		psprintf("If the column was renamed, put its new name into %s, and if it is part of the key, rename it in %s, %s and %s, too.",
				 groups->definition, groups->table, groups->log, groups->judged);

	if (relation == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the table grouped by %s no longer exists", groups->table),
				 errhint("Drop its groups with minhash_groups_drop.")));
	check_columns(fcinfo, groups, relation, hint);
	if (groups->refresh > 1)
	{
		check_copy(groups, relation, groups->names[0], ShareRowExclusiveLock, groups->key, NIL, hint);
		check_copy(groups, relation, groups->names[1], RowExclusiveLock, groups->key, NIL, hint);
		check_copy(groups, relation, groups->names[2], AccessShareLock,
				   groups_judged_key(groups, "a"), groups_judged_key(groups, "b"), hint);
	}
	relation_close(relation, NoLock);
}

/*** Reading ***/

/* Return a column of the row that SPI returned last; NULL is an error. */
Datum
groups_result(int column)
{
	bool		isnull;
	Datum		value = SPI_getbinval(SPI_tuptable->vals[0],
									  SPI_tuptable->tupdesc, column, &isnull);

	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("null value in column \"%s\" of a definition of groups",
						SPI_fname(SPI_tuptable->tupdesc, column))));
	return value;
}

/* Return the names in an array; NULL in it is an error. */
static List *
name_list(Datum array)
{
	List	   *list = NIL;
	Datum	   *values;
	int			count;

	deconstruct_array(DatumGetArrayTypeP(array), NAMEOID, NAMEDATALEN, false,
					  TYPALIGN_CHAR, &values, NULL, &count);
	for (int i = 0; i < count; i++)
		list = lappend(list, pstrdup(NameStr(*DatumGetName(values[i]))));
	return list;
}

/*
 * Count a refresh, and read the definition of groups.  The casts are needed
 * because the owner can alter the columns of the definition.
 */
void
groups_begin_refresh(FunctionCallInfo fcinfo, Groups *groups)
{
	groups_run(psprintf("UPDATE ONLY %s SET refreshes = refreshes + 1, "
						"refreshed_at = statement_timestamp() "
						"RETURNING relation::regclass, sig::name, key::name[], scope::name[], "
						"threshold::float8, recall::float8, refreshes::int8, last_grp::int8",
						groups->definition), SPI_OK_UPDATE_RETURNING);
	if (SPI_processed != 1)
		ereport(ERROR,
				(errcode(ERRCODE_CARDINALITY_VIOLATION),
				 errmsg("%s must have one row, but has %llu", groups->definition,
						(unsigned long long) SPI_processed),
				 errhint("Restore its data, or drop the groups with minhash_groups_drop and create them again.")));
	groups->relation = DatumGetObjectId(groups_result(1));
	groups->sig = pstrdup(NameStr(*DatumGetName(groups_result(2))));
	groups->key = name_list(groups_result(3));
	groups->scope = name_list(groups_result(4));
	groups->threshold = arg_check_unit_interval(DatumGetFloat8(groups_result(5)), "threshold");
	if (groups->threshold == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the threshold of groups must be greater than 0")));
	groups->recall = arg_check_unit_interval(DatumGetFloat8(groups_result(6)), "recall");
	groups->refresh = DatumGetInt64(groups_result(7));
	groups->last_grp = DatumGetInt64(groups_result(8));
	check_definition(fcinfo, groups);
	if (groups->refresh > 1)
	{
		groups_run(psprintf("SELECT EXISTS (SELECT FROM ONLY %s)", groups->judged), SPI_OK_SELECT);
		groups->has_judgments = DatumGetBool(groups_result(1));
	}
}
