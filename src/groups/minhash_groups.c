/*-------------------------------------------------------------------------
 *
 * minhash_groups.c
 *	  minhash_groups_create, minhash_groups_refresh, minhash_groups_drop.
 *
 * Groups consist of three tables that belong to the owner of the user's table
 * and lie in its schema: NAME (key columns, grp), NAME_log (one row for each
 * row whose group has changed) and NAME_definition (a single row).  The
 * definition is kept with the groups, not in a table of the extension, so that
 * pg_dump and pg_restore treat it as they treat any table of that owner.  Its
 * reference to the user's table is a regclass, so that it follows a rename.
 * Groups that are maintained have a fourth table, NAME_queue, which triggers
 * fill: see minhash_groups_queue.c.
 *
 * All functions need the privileges of the owner, run as the owner in a
 * security-restricted operation with a fixed search_path, and refuse row-level
 * security that would hide rows from the owner.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "groups.h"
#include "groups_maintain.h"
#include "groups_names.h"
#include "groups_rows.h"
#include "support/arguments.h"
#include "support/names.h"
#include "support/row.h"
#include "support/sibling.h"

/*** Refreshing groups ***/

/* Bring groups up to date; return the numbers of rows, groups and changes. */
PG_FUNCTION_INFO_V1(minhash_groups_refresh);
Datum
minhash_groups_refresh(PG_FUNCTION_ARGS)
{
	Oid			oid = PG_GETARG_OID(0);
	Caller		caller = become_checked_owner(oid);
	GroupsResult result;
	Datum		values[3];
	bool		nulls[3] = {false, false, false};

	check_groups(oid);
	result = groups_update(fcinfo, oid);
	become_caller(&caller);
	values[0] = Int64GetDatum(result.rows);
	values[1] = Int64GetDatum(result.groups);
	values[2] = Int64GetDatum(result.changed_rows);
	return make_row(fcinfo, values, nulls);
}

/*** Creating groups ***/

/* Refuse a relation that is not a permanent table. */
static void
check_table(Relation relation)
{
	if (relation->rd_rel->relkind != RELKIND_RELATION &&
		relation->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a table", RelationGetRelationName(relation)),
				 relation->rd_rel->relkind == RELKIND_VIEW ||
				 relation->rd_rel->relkind == RELKIND_MATVIEW ?
				 errhint("Create groups of the table that the view reads, and join them with the view.") : 0));
	if (relation->rd_rel->relpersistence == RELPERSISTENCE_TEMP)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot create groups of temporary table \"%s\"",
						RelationGetRelationName(relation)),
				 errhint("Use minhash_cluster instead.")));
}

/*
 * Return true if values of a column that are distinct in an index are also
 * distinct under the operator =.  A nondeterministic collation of the column
 * may make more values equal than that of the index.
 */
static bool
index_is_as_coarse(Relation relation, Relation index, int i)
{
	int			column = index->rd_index->indkey.values[i] - 1;
	Oid			collation = TupleDescAttr(RelationGetDescr(relation), column)->attcollation;

	return collation == index->rd_indcollation[i] ||
		!OidIsValid(collation) || get_collation_isdeterministic(collation);
}

/* Return true if an index is unique over exactly these columns of every row. */
static bool
index_covers(Relation relation, Relation index, const List *key)
{
	Form_pg_index form = index->rd_index;

	if (!form->indisunique || form->indisexclusion || !form->indimmediate ||
		!form->indisvalid ||
		form->indnkeyatts != list_length(key) ||
		RelationGetIndexPredicate(index) != NIL)
		return false;
	for (int i = 0; i < form->indnkeyatts; i++)
		if (!list_member_int(key, form->indkey.values[i]) ||
			!index_is_as_coarse(relation, index, i))
			return false;
	return true;
}

/* Return true if there is a unique index over exactly these columns. */
static bool
has_unique_index(Relation relation, const List *key)
{
	bool		found = false;
	ListCell   *cell;

	foreach(cell, RelationGetIndexList(relation))
	{
		Relation	index = index_open(lfirst_oid(cell), AccessShareLock);

		found |= index_covers(relation, index, key);
		index_close(index, AccessShareLock);
	}
	return found;
}

/* List the numbers of the columns of the primary key, in its order. */
static List *
primary_key(Relation relation)
{
	List	   *key = NIL;
	ListCell   *cell;

	foreach(cell, RelationGetIndexList(relation))
	{
		Relation	index = index_open(lfirst_oid(cell), AccessShareLock);

		if (index->rd_index->indisprimary)
			for (int i = 0; i < index->rd_index->indnkeyatts; i++)
				key = lappend_int(key, index->rd_index->indkey.values[i]);
		index_close(index, AccessShareLock);
	}
	if (key == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("table \"%s\" has no primary key",
						RelationGetRelationName(relation)),
				 errhint("Name the columns of a unique key in the argument \"key\".")));
	return key;
}

/* List the numbers of columns that are given by name. */
static List *
named_key(Relation relation, ArrayType *names)
{
	List	   *key = NIL;
	Datum	   *values;
	bool	   *nulls;
	int			count;

	deconstruct_array(names, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR,
					  &values, &nulls, &count);
	for (int i = 0; i < count; i++)
	{
		const char *name = nulls[i] ? "NULL" : NameStr(*DatumGetName(values[i]));
		AttrNumber	number = nulls[i] ? InvalidAttrNumber :
			get_attnum(RelationGetRelid(relation), name);

		if (number <= 0)
			report_no_column(RelationGetRelid(relation), name, NULL);
		key = lappend_int(key, number);
	}
	return key;
}

/* Check that the columns of a key are unique and never NULL. */
static void
check_key(Relation relation, const List *key)
{
	ListCell   *cell;

	foreach(cell, key)
	{
		Form_pg_attribute column = TupleDescAttr(RelationGetDescr(relation),
												 lfirst_int(cell) - 1);

		if (!column->attnotnull)
			ereport(ERROR,
					(errcode(ERRCODE_NOT_NULL_VIOLATION),
					 errmsg("key column \"%s\" may be NULL", NameStr(column->attname)),
					 errhint("Declare it NOT NULL, or name another key.")));
	}
	if (key == NIL || !has_unique_index(relation, key))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
				 errmsg("the key of table \"%s\" is not known to be unique",
						RelationGetRelationName(relation)),
				 errdetail("Groups need a unique constraint or index, neither deferrable nor partial, over exactly these columns."),
				 errhint("Create one, or name another key.")));
}

/* Refuse a key column whose name the tables of groups need. */
static void
check_column_name(const char *name)
{
	static const char *const taken[] = {
		"grp", "refresh", "changed_at", "event", "old_grp", "new_grp"
	};

	for (int i = 0; i < (int) lengthof(taken); i++)
		if (strcmp(name, taken[i]) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_COLUMN),
					 errmsg("key column \"%s\" conflicts with a column of the tables of groups", name),
					 errhint("Rename it, or name another key.")));
}

/* Return the columns of a key with commas: as identifiers or as strings. */
static char *
key_list(Relation relation, const List *key, bool as_strings)
{
	StringInfoData list;
	ListCell   *cell;

	initStringInfo(&list);
	foreach(cell, key)
	{
		Form_pg_attribute column = TupleDescAttr(RelationGetDescr(relation),
												 lfirst_int(cell) - 1);
		char	   *name = NameStr(column->attname);

		check_column_name(name);
		appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "",
						 as_strings ? quote_literal_cstr(name) : quote_identifier(name));
	}
	return list.data;
}

/* Make the tables of groups; the names are quoted. */
static void
make_tables(Relation relation, const List *key, const char *table,
			const char *log, const char *definition)
{
	char	   *columns = key_list(relation, key, false);
	char	   *source = qualified_name(RelationGetRelid(relation));

	groups_run(psprintf("CREATE TABLE %s AS SELECT %s FROM %s WITH NO DATA",
						table, columns, source), SPI_OK_UTILITY);
	groups_run(psprintf("ALTER TABLE %s ADD PRIMARY KEY (%s), "
						"ADD grp pg_catalog.int8 NOT NULL GENERATED BY DEFAULT AS IDENTITY "
						"CHECK (grp OPERATOR(pg_catalog.>) 0)",
						table, columns), SPI_OK_UTILITY);
	groups_run(psprintf("CREATE INDEX ON %s (grp)", table), SPI_OK_UTILITY);
	groups_run(psprintf("CREATE TABLE %s AS SELECT NULL::pg_catalog.int8 AS refresh, "
						"NULL::pg_catalog.timestamptz AS changed_at, "
						"NULL::pg_catalog.text AS event, %s, "
						"NULL::pg_catalog.int8 AS old_grp, "
						"NULL::pg_catalog.int8 AS new_grp FROM %s WITH NO DATA",
						log, columns, source), SPI_OK_UTILITY);
	groups_run(psprintf("CREATE TABLE %s (relation pg_catalog.regclass NOT NULL, "
						"sig pg_catalog.name NOT NULL, key pg_catalog.name[] NOT NULL, "
						"threshold pg_catalog.float8 NOT NULL, recall pg_catalog.float8 NOT NULL, "
						"refreshes pg_catalog.int8 NOT NULL, refreshed_at pg_catalog.timestamptz, "
						"queue pg_catalog.regclass, state pg_catalog.int8)",
						definition), SPI_OK_UTILITY);
}

/* Refuse a name that is taken in the schema of the table. */
static void
check_new_name(Relation relation, const char *name)
{
	if (OidIsValid(get_relname_relid(name, RelationGetNamespace(relation))))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_TABLE),
				 errmsg("relation \"%s\" already exists", name),
				 errhint("Refresh groups with minhash_groups_refresh, drop them with minhash_groups_drop, or choose another name in the argument \"groups\".")));
}

/* Fill in the definition of new groups. */
static void
write_definition(FunctionCallInfo fcinfo, Relation relation, const List *key,
				 const char *definition)
{
	groups_run(psprintf("INSERT INTO %s VALUES (%u, %s, ARRAY[%s]::pg_catalog.name[], "
						"%.17g, %.17g, 0, NULL, NULL, NULL)", definition,
						RelationGetRelid(relation),
						quote_literal_cstr(NameStr(*PG_GETARG_NAME(1))),
						key_list(relation, key, true),
						check_unit_interval(PG_GETARG_FLOAT8(2), "threshold"),
						check_unit_interval(PG_GETARG_FLOAT8(3), "recall")),
			   SPI_OK_INSERT);
}

/*
 * Make groups of a table and fill them for the first time.  Closes the table,
 * because ALTER TABLE, which enables triggers, refuses one that is in use.
 */
static Oid
create_groups(FunctionCallInfo fcinfo, Relation relation, const List *key,
			  Maintenance maintenance)
{
	Oid			oid = RelationGetRelid(relation);
	char	   *name = PG_ARGISNULL(5) ?
		makeObjectName(RelationGetRelationName(relation), NULL, "groups") :
		NameStr(*PG_GETARG_NAME(5));
	char	   *definition = name_near(oid, makeObjectName(name, NULL, "definition"));
	char	   *columns = psprintf("%s, %s", key_list(relation, key, false),
								   quote_identifier(NameStr(*PG_GETARG_NAME(1))));
	Oid			groups;

	check_new_name(relation, name);
	SPI_connect();
	make_tables(relation, key, name_near(oid, name),
				name_near(oid, makeObjectName(name, NULL, "log")), definition);
	write_definition(fcinfo, relation, key, definition);
	groups = get_relname_relid(name, RelationGetNamespace(relation));
	relation_close(relation, NoLock);
	if (maintenance != MAINTAIN_MANUAL)
		groups_make_queue(fcinfo, oid, groups, columns, maintenance);
	SPI_finish();
	(void) groups_update(fcinfo, groups);
	return groups;
}

/* Create groups of a table's rows; return the table of groups. */
PG_FUNCTION_INFO_V1(minhash_groups_create);
Datum
minhash_groups_create(PG_FUNCTION_ARGS)
{
	Relation	relation;
	Caller		caller;
	List	   *key;
	Maintenance maintenance;
	Oid			groups;

	check_not_null(fcinfo, 0, "relation");
	check_not_null(fcinfo, 1, "sig");
	check_not_null(fcinfo, 2, "threshold");
	check_not_null(fcinfo, 3, "recall");
	check_not_null(fcinfo, 6, "maintain");
	maintenance = maintenance_from_text(PG_GETARG_TEXT_PP(6));
	caller = become_checked_owner(PG_GETARG_OID(0));
	relation = relation_open(PG_GETARG_OID(0), AccessShareLock);
	check_table(relation);
	check_signatures(fcinfo, PG_GETARG_OID(0), NameStr(*PG_GETARG_NAME(1)), NULL);
	key = PG_ARGISNULL(4) ? primary_key(relation) :
		named_key(relation, PG_GETARG_ARRAYTYPE_P(4));
	check_key(relation, key);
	groups = create_groups(fcinfo, relation, key, maintenance);
	become_caller(&caller);
	PG_RETURN_OID(groups);
}

/*** Dropping groups ***/

/* Drop groups with their log, definition and queue. */
PG_FUNCTION_INFO_V1(minhash_groups_drop);
Datum
minhash_groups_drop(PG_FUNCTION_ARGS)
{
	Oid			oid = PG_GETARG_OID(0);
	Caller		caller = become_checked_owner(oid);

	check_groups(oid);
	SPI_connect();
	groups_drop_tables(fcinfo, oid);
	SPI_finish();
	become_caller(&caller);
	PG_RETURN_VOID();
}
