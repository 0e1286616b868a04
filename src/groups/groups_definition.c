/*-------------------------------------------------------------------------
 *
 * groups_definition.c
 *	  Read the definition of groups, and check that the table still fits it.
 *
 * The checks run at each refresh, the first of which creates the groups,
 * because the owner can alter the table and the definition in between.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "groups.h"
#include "support/arguments.h"
#include "support/objects.h"

/*** Checks ***/

/* Return a column of a table that is not a system column. */
static Form_pg_attribute
check_column(const Groups *groups, Relation relation, const char *name)
{
	AttrNumber	number = get_attnum(RelationGetRelid(relation), name);
	char	   *const *tables = groups->tables;

	if (number < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_COLUMN_REFERENCE),
				 errmsg("column \"%s\" is a system column", name),
				 errhint("Name columns that the table declares.")));
	if (number == InvalidAttrNumber)
		name_report_no_column(RelationGetRelid(relation), name, groups->refresh == 1 ? NULL :
							  psprintf("If the column was renamed, put its new name into %s, and if it is part of the key, rename it in %s, %s and %s, too.",
									   tables[GROUPS_DEFINITION], tables[GROUPS_TABLE],
									   tables[GROUPS_LOG], tables[GROUPS_JUDGED]));
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

/* Check the columns that the definition names. */
static void
check_columns(FunctionCallInfo fcinfo, const Groups *groups, Relation relation)
{
	Form_pg_attribute sig = check_column(groups, relation, groups->sig);
	ListCell   *cell;

	name_check_signature(fcinfo, groups->sig, getBaseType(sig->atttypid));
	if (groups->key == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"key\" must not be empty"),
				 errhint("Leave it out to use the columns of the primary key.")));
	foreach(cell, groups->key)
		check_key_column(groups, check_column(groups, relation, lfirst(cell)));
	foreach(cell, groups->scope)
		(void) check_column(groups, relation, lfirst(cell));
}

/*
 * Lock a table of groups, and check that the key of the relation has the same
 * types in it, where its columns have these names.
 */
static void
check_copy(const Groups *groups, Relation relation, int table, LOCKMODE mode,
		   const List *names)
{
	Relation	copy = relation_open(get_relname_relid(groups->names[table],
													   groups->schema), mode);
	ListCell   *original;
	ListCell   *cell;

	forboth(original, groups->key, cell, names)
	{
		char	   *name = lfirst(cell);
		Form_pg_attribute a = check_column(groups, relation, lfirst(original));
		Form_pg_attribute b = check_column(groups, copy, name);

		if (a->atttypid != b->atttypid || a->atttypmod != b->atttypmod ||
			a->attcollation != b->attcollation)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("key column \"%s\" has another type or collation in \"%s\" than in \"%s\"",
							name, groups->names[table], RelationGetRelationName(relation)),
					 errhint("Use ALTER TABLE %s ALTER COLUMN %s TYPE %s, and do the same in the other tables of the groups.",
							 groups->tables[table], quote_identifier(name),
							 format_type_with_typemod(a->atttypid, a->atttypmod))));
	}
	relation_close(copy, NoLock);
}

/* Check that definition, table and tables of groups fit each other. */
static void
check_definition(FunctionCallInfo fcinfo, const Groups *groups)
{
	Relation	relation = try_relation_open(groups->relation, AccessShareLock);

	if (relation == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("table grouped by %s no longer exists",
						groups->tables[GROUPS_TABLE]),
				 errhint("Drop its groups with minhash_groups_drop.")));
	check_columns(fcinfo, groups, relation);
	if (groups->refresh > 1)
	{
		check_copy(groups, relation, GROUPS_TABLE, ShareRowExclusiveLock, groups->key);
		check_copy(groups, relation, GROUPS_LOG, RowExclusiveLock, groups->key);
		check_copy(groups, relation, GROUPS_JUDGED, AccessShareLock,
				   groups_judged_key(groups, "a"));
		check_copy(groups, relation, GROUPS_JUDGED, AccessShareLock,
				   groups_judged_key(groups, "b"));
	}
	relation_close(relation, NoLock);
}

/*** Reading ***/

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
	groups_run_sql(psprintf("UPDATE ONLY %s SET refreshes = refreshes + 1, "
							"refreshed_at = statement_timestamp() "
							"RETURNING relation::regclass, sig::name, key::name[], scope::name[], "
							"threshold::float8, recall::float8, agreement::float8, refreshes::int8, last_grp::int8, "
							"track::bool, coalesce(changes::oid, 0), coalesce(components::oid, 0), "
							"coalesce(state[1]::int8, -1), coalesce(state[2]::int8, 0), coalesce(state[3]::int8, 0), coalesce(state[4]::int8, 0)",
							groups->tables[GROUPS_DEFINITION]), SPI_OK_UPDATE_RETURNING);
	if (SPI_processed != 1)
		ereport(ERROR,
				(errcode(ERRCODE_CARDINALITY_VIOLATION),
				 errmsg("%s must have one row, but has %llu",
						groups->tables[GROUPS_DEFINITION], (unsigned long long) SPI_processed),
				 errhint("Restore its data, or drop the groups with minhash_groups_drop and create them again.")));
	groups->extension = name_extension_schema(fcinfo);
	groups->relation = DatumGetObjectId(groups_result(0, 1));
	groups->sig = pstrdup(NameStr(*DatumGetName(groups_result(0, 2))));
	groups->key = name_list(groups_result(0, 3));
	groups->scope = name_list(groups_result(0, 4));
	groups->threshold = arg_check_threshold(DatumGetFloat8(groups_result(0, 5)));
	groups->recall = arg_check_unit_interval(DatumGetFloat8(groups_result(0, 6)), "recall");
	groups->agreement = arg_check_unit_interval(DatumGetFloat8(groups_result(0, 7)), "agreement");
	groups->refresh = DatumGetInt64(groups_result(0, 8));
	groups->last_grp = DatumGetInt64(groups_result(0, 9));
	groups->track = DatumGetBool(groups_result(0, 10));
	groups->changes = DatumGetObjectId(groups_result(0, 11));
	groups->components = DatumGetObjectId(groups_result(0, 12));
	for (int i = 0; i < NUM_GROUPS_STATE; i++)
		groups->state[i] = DatumGetInt64(groups_result(0, 13 + i));
	check_definition(fcinfo, groups);
}
