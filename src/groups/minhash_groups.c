/*-------------------------------------------------------------------------
 *
 * minhash_groups.c
 *	  minhash_groups_create, minhash_groups_refresh, minhash_groups_drop.
 *
 * All functions need the privileges of the owner, run as the owner in a
 * security-restricted operation with a fixed search_path, and refuse row-level
 * security that would hide rows from the owner (they have row_security = off).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "groups.h"
#include "support/arguments.h"
#include "support/objects.h"

/* Arguments of minhash_groups_create. */
#define SCHEMA_ARG 8
#define TRACK_ARG 9

/*** Privileges ***/

/* Check that the user has the privileges of a table's owner; return the owner. */
static Oid
check_owner(Oid table)
{
	Oid			owner = owner_of_table(table);

	if (!has_privs_of_role(GetUserId(), owner))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of table \"%s\"", get_rel_name(table))));
	return owner;
}

/*
 * Check the privileges, lock the table so that it keeps its name and its owner,
 * and become the owner.
 */
static Caller
become_checked_owner(Oid table, LOCKMODE lock)
{
	(void) check_owner(table);	/* before the lock can stop others */
	LockRelationOid(table, lock);
	return owner_become(check_owner(table));
}

/*** Tables ***/

/* Refuse a relation that has no rows to group, or only those of a session. */
static void
check_relation(Oid relation)
{
	char		kind = get_rel_relkind(relation);

	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE &&
		kind != RELKIND_FOREIGN_TABLE && kind != RELKIND_VIEW && kind != RELKIND_MATVIEW)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is neither a table nor a view", get_rel_name(relation))));
	if (get_rel_persistence(relation) == RELPERSISTENCE_TEMP)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot create groups of temporary table \"%s\"",
						get_rel_name(relation)),
				 errhint("Use minhash_cluster instead.")));
}

/*
 * Return the groups of a table; the other tables must be of its owner.  Until the
 * table is locked, another session can drop it at any time.
 */
static Groups
find_groups(Oid table)
{
	char	   *name = get_rel_name(table);
	Groups		groups;

	if (name == NULL)
		name_report_no_table(table);
	groups = groups_named(get_rel_namespace(table), name);
	for (int i = 0; i < NUM_GROUPS_TABLES; i++)
	{
		Oid			found = get_relname_relid(groups.names[i], groups.schema);

		if (!OidIsValid(found) || owner_of_table(found) != owner_of_table(table) ||
			get_rel_relkind(found) != RELKIND_RELATION)
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("\"%s\" is not a table of groups", groups.names[GROUPS_TABLE]),
					 errdetail("There is no table \"%s\" of the same owner in its schema.",
							   groups.names[i]),
					 errhint("Name a table that minhash_groups_create has created. If it was renamed, rename its \"_log\", \"_judged\" and \"_definition\" in the same way.")));
	}
	return groups;
}

/*
 * Check the privileges and the table of groups, lock it, check both again, and
 * become the owner.  The first checks keep other users, and a mistaken table,
 * from waiting for a lock.
 *
 * Lock the other tables, too, and check again: the owner of the schema can have
 * dropped one, to put another with triggers in its place.
 */
static Groups
open_groups(Oid table, LOCKMODE lock, Caller *caller)
{
	Groups		groups;

	(void) check_owner(table);
	(void) find_groups(table);
	*caller = become_checked_owner(table, lock);
	groups = find_groups(table);
	for (int i = 0; i < NUM_GROUPS_TABLES; i++)
		LockRelationOid(get_relname_relid(groups.names[i], groups.schema), lock);
	return find_groups(table);
}

/* Check that the names of new groups are free. */
static void
check_new_names(const Groups *groups)
{
	if (groups->names[GROUPS_TABLE][0] == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("argument \"groups\" must not be empty"),
				 errhint("Leave it out to name the groups after the table.")));
	for (int i = 0; i < NUM_GROUPS_TABLES; i++)
		if (OidIsValid(get_relname_relid(groups->names[i], groups->schema)))
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_TABLE),
					 errmsg("relation \"%s\" already exists", groups->names[i]),
					 i == GROUPS_TABLE ?
					 errhint("Refresh groups with minhash_groups_refresh, drop them with minhash_groups_drop, or choose another name in the argument \"groups\".") :
					 errhint("If it belonged to groups whose table was dropped without minhash_groups_drop, drop it. Otherwise choose another name in the argument \"groups\".")));
}

/*
 * Make the definition from the arguments of minhash_groups_create.  The default
 * key consists of the columns of the primary key.
 */
static void
make_definition(FunctionCallInfo fcinfo, const char *definition)
{
	Oid			types[] = {
		REGCLASSOID, NAMEOID, FLOAT8OID, FLOAT8OID, NAMEARRAYOID, NAMEOID, NAMEARRAYOID,
		FLOAT8OID
	};
	Datum		values[lengthof(types)];
	char		nulls[lengthof(types)];

	for (int i = 0; i < (int) lengthof(types); i++)
	{
		values[i] = PG_GETARG_DATUM(i);
		nulls[i] = PG_ARGISNULL(i) ? 'n' : ' ';
	}
	groups_run_sql(psprintf("CREATE TABLE %s (relation regclass NOT NULL, sig text NOT NULL, "
							"key text[] NOT NULL, scope text[] NOT NULL, "
							"threshold float8 NOT NULL, recall float8 NOT NULL, "
							"agreement float8 NOT NULL, refreshes int8 NOT NULL, refreshed_at timestamptz, "
							"last_grp int8 NOT NULL, track bool NOT NULL, "
							"changes regclass, components regclass, state int8[])", definition), SPI_OK_UTILITY);

	/*
	 * It has no key, and a publication of all tables refuses updates without
	 * one.
	 */
	groups_run_sql(psprintf("ALTER TABLE %s REPLICA IDENTITY FULL", definition), SPI_OK_UTILITY);
	SPI_execute_with_args(psprintf("INSERT INTO %s SELECT $1, $2, coalesce($5::text[], array_agg(a.attname::text "
								   "ORDER BY array_position(c.conkey, a.attnum))), "
								   "coalesce($7::text[], '{}'), $3, $4, $8, 0, NULL, 0, %s "
								   "FROM pg_constraint AS c JOIN pg_attribute AS a "
								   "ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) "
								   "WHERE c.conrelid = $1 AND c.contype = 'p' "
								   "HAVING count(*) > 0 OR $5 IS NOT NULL", definition,
								   PG_GETARG_BOOL(TRACK_ARG) ? "true" : "false"),
						  lengthof(types), types, values, nulls, false, 0);
	if (SPI_processed == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("relation \"%s\" has no primary key", get_rel_name(PG_GETARG_OID(0))),
				 errhint("Name the columns of a unique key in the argument \"key\".")));
	groups_revoke_default_privileges(definition);
}

/* Make the other tables.  The table of groups is a heap: rows are written by TID. */
static void
make_groups(const Groups *groups)
{
	groups_run(groups, "CREATE TABLE {groups} USING heap AS SELECT {key} FROM {relation} WITH NO DATA", SPI_OK_UTILITY);
	groups_run(groups, "ALTER TABLE {groups} ADD PRIMARY KEY ({key}), ADD grp int8 NOT NULL", SPI_OK_UTILITY);
	groups_run(groups, "CREATE INDEX ON {groups} (grp)", SPI_OK_UTILITY);
	groups_run(groups, "CREATE TABLE {log} AS SELECT NULL::int8 AS refresh, NULL::timestamptz AS changed_at, "
			   "NULL::text AS event, {key}, NULL::int8 AS old_grp, NULL::int8 AS new_grp FROM {relation} WITH NO DATA",
			   SPI_OK_UTILITY);
	groups_run(groups, "CREATE TABLE {judged} AS SELECT a.*, b.*, NULL::bool AS same, "
			   "NULL::timestamptz AS judged_at, NULL::text AS judged_by "
			   "FROM (SELECT {key} FROM {relation}) AS a({a}), (SELECT {key} FROM {relation}) AS b({b}) WITH NO DATA",
			   SPI_OK_UTILITY);
	groups_run(groups, "ALTER TABLE {judged} ALTER same SET NOT NULL, "
			   "ALTER judged_at SET NOT NULL, ALTER judged_at SET DEFAULT clock_timestamp(), "
			   "ALTER judged_by SET NOT NULL, ALTER judged_by SET DEFAULT current_user, "
			   "ADD judgment int8 GENERATED BY DEFAULT AS IDENTITY", SPI_OK_UTILITY);
	groups_run(groups, "CREATE INDEX ON {judged} ({a})", SPI_OK_UTILITY);
	groups_run(groups, "CREATE INDEX ON {judged} ({b})", SPI_OK_UTILITY);
	groups_run(groups, "CREATE TRIGGER fill_judgment BEFORE INSERT OR UPDATE ON {judged} FOR EACH ROW "
			   "EXECUTE FUNCTION {extension}.minhash_judged_trigger()", SPI_OK_UTILITY);
	for (int i = 0; i < GROUPS_DEFINITION; i++)
		groups_revoke_default_privileges(groups->tables[i]);
}

/*** Functions ***/

/* Create groups of a table's rows; return the table of groups. */
PG_FUNCTION_INFO_V1(minhash_groups_create);
Datum
minhash_groups_create(PG_FUNCTION_ARGS)
{
	static const char *const names[] = {"relation", "sig", "threshold", "recall"};
	Oid			relation = PG_GETARG_OID(0);
	Caller		caller;
	Groups		groups;

	for (int i = 0; i < (int) lengthof(names); i++)
		arg_check_not_null(fcinfo, i, names[i]);
	arg_check_not_null(fcinfo, 7, "agreement");
	arg_check_not_null(fcinfo, TRACK_ARG, "track");
	caller = become_checked_owner(relation, AccessShareLock);
	check_relation(relation);
	groups = groups_named(PG_ARGISNULL(SCHEMA_ARG) ? get_rel_namespace(relation) :
						  LookupCreationNamespace(NameStr(*PG_GETARG_NAME(SCHEMA_ARG))),
						  PG_ARGISNULL(5) ?
						  makeObjectName(get_rel_name(relation), NULL, "groups") :
						  NameStr(*PG_GETARG_NAME(5)));
	check_new_names(&groups);
	SPI_connect();
	make_definition(fcinfo, groups.tables[GROUPS_DEFINITION]);
	groups_begin_refresh(fcinfo, &groups);
	make_groups(&groups);
	groups_refresh(fcinfo, &groups);
	SPI_finish();
	owner_become_caller(&caller);
	PG_RETURN_OID(get_relname_relid(groups.names[GROUPS_TABLE], groups.schema));
}

/* Bring groups up to date; return the numbers of rows, groups and changes. */
PG_FUNCTION_INFO_V1(minhash_groups_refresh);
Datum
minhash_groups_refresh(PG_FUNCTION_ARGS)
{
	Caller		caller;
	Groups		groups = open_groups(PG_GETARG_OID(0), AccessShareLock, &caller);
	HeapTupleHeader counts;

	SPI_connect();
	groups_begin_refresh(fcinfo, &groups);
	groups_refresh(fcinfo, &groups);
	counts = SPI_returntuple(SPI_tuptable->vals[0], SPI_tuptable->tupdesc);
	SPI_finish();
	owner_become_caller(&caller);
	PG_RETURN_HEAPTUPLEHEADER(counts);
}

/* Replace the hint of DROP TABLE, which the caller cannot follow. */
static void
replace_hint(void *arg)
{
	if (geterrcode() == ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST)
		errhint("Drop the objects that depend on the groups first.");
}

/* Drop the tables of groups. */
PG_FUNCTION_INFO_V1(minhash_groups_drop);
Datum
minhash_groups_drop(PG_FUNCTION_ARGS)
{
	Caller		caller;
	Groups		groups = open_groups(PG_GETARG_OID(0), AccessExclusiveLock, &caller);
	ErrorContextCallback callback = {
		.previous = error_context_stack,
		.callback = replace_hint
	};

	SPI_connect();
	error_context_stack = &callback;
	groups_untrack(&groups);
	groups_run_sql(psprintf("DROP TABLE %s, %s, %s, %s",
							groups.tables[GROUPS_TABLE], groups.tables[GROUPS_LOG],
							groups.tables[GROUPS_JUDGED], groups.tables[GROUPS_DEFINITION]),
				   SPI_OK_UTILITY);
	error_context_stack = callback.previous;
	SPI_finish();
	owner_become_caller(&caller);
	PG_RETURN_VOID();
}
