/*-------------------------------------------------------------------------
 *
 * groups_track.c
 *	  Refresh groups in proportion to what has changed since the last refresh.
 *
 * Tracked groups have two more tables: NAME_changes (key columns), a heap without
 * an index to which triggers append the keys of changed rows, and NAME_components
 * (grp, component), see below.
 *
 * Which rows are clustered.  Call two rows adjacent if they are in one scope and
 * similar, or judged the same.  Groups are parts of the connected components of
 * this graph, and depend on the component alone (core/bands/division.c).  Let D be
 * the keys that were noted, and A the union of
 *
 *	1. the rows of D that exist,
 *	2. the old components of the keys of D, and
 *	3. the old components of the rows adjacent to a row of D.
 *
 * A is a union of whole components of the new graph.  For let x in A and y be
 * adjacent now.  If one of them is in D, the other is in A by 1 or 3.  If neither
 * is, both rows and the judgments of their pair are what they were at the last
 * refresh; so they were adjacent, and the old component of x, all of which is in A,
 * is also that of y.  By the same argument, a component of the old graph without a
 * row in A is one of the new graph.  So one search for each row of D finds A, no
 * path is followed, and clustering A changes the groups as clustering all rows
 * would.  minhash_groups_match() sees all overlaps of the groups of A, because no
 * other component has rows in them.
 *
 * Old components.  A component of one group has the id of that group.  One that was
 * divided is named after one of its groups, and NAME_components has a row for each
 * of the others.
 *
 * Why no change is missed.  A row and its note are written by one subtransaction.
 * So each snapshot sees both or neither.  The statement that reads A takes the
 * notes, too, by DELETE ... RETURNING, hence in the same snapshot: a change that it
 * does not see is noted by a row that it does not delete, and is found next time.
 * The delete and the groups commit together.  Nothing but the triggers needs to
 * work for this, and a refresh reads all rows if that is in doubt:
 *
 *	- state holds a hash of the catalog rows of the table, its partitions, its
 *	  columns, the tables of groups and all their triggers, with xmin and ctid, which
 *	  each ALTER, TRUNCATE, ATTACH, ENABLE TRIGGER or new file changes.  It is read before
 *	  the rows, in the same or an older snapshot; so if DDL let a change pass
 *	  without a note, a later refresh finds another hash.
 *	- TRUNCATE of a file that is new in the transaction does not change the catalogs.
 *	  In a transaction that makes the triggers and keeps an older snapshot, no refresh
 *	  sees rows that were committed in between.  Both make the hash unknown, and so
 *	  does an obstacle.  TRUNCATE of the tables of groups and of judgments is noted as a
 *	  key of NULL.
 *	- The triggers compare columns by their numbers.  state has a hash of these, too,
 *	  and the triggers are made again if another column takes the name of one.
 *	- Judgments are read after their notes have been taken, in the same or a later
 *	  snapshot.  A judgment that comes in between is used, and noted for next time.
 *	- A crash empties unlogged tables; so all tables must be logged.
 *	- Edits of the table of groups are noted as a key of NULL, because they also
 *	  change the number of rows.
 *
 * Locks, owner and names.  The tables are locked by their OID before they are named
 * in SQL, so that the owner of their schema cannot put others in their place, unless
 * it renames the schema (SECURITY.md).  The definition can name any table, but only those
 * with a mark are emptied or dropped.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "commands/defrem.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "groups.h"
#include "support/objects.h"
#include "support/settings.h"

/* Obstacles to tracking: the method of a full refresh, and the detail of an error. */
static const struct
{
	const char *method;
	const char *detail;
}			obstacles[] = {
	{"full: kind of table", "The table or a partition of it is not a plain table."},
	{"full: unlogged table", "The table, a partition or a table of the groups is unlogged."},
	{"full: owner", "The table or a partition of it does not belong to the owner of the groups."},
	{"full: index", "The table has no valid lsh index on the column of signatures without WHERE."},
	{"full: key", "The table has no valid B-tree index on the columns of the key without WHERE."},
	{"full: type", "A column of the key or of the scope has a type whose equality cannot be named safely."}
};

#define NUM_TRIGGERS 7			/* that make_tracking() makes */
#define OBSTACLE_TYPE ((int) lengthof(obstacles) - 1)

/*** Catalogs ***/

/*
 * The hashes of state, whether all triggers are there, and the number of an obstacle,
 * from 0, or -1.  %u are the tables of groups and of judgments.
 */
static const char catalogs[] =
/* The definition, with a hash of its parameters. */
"WITH d AS MATERIALIZED (SELECT relation::oid AS docs, changes::oid AS changes, components::oid AS components, "
"sig::name AS sig, key::name[] AS key, scope::name[] AS scope, "
"hash_record_extended(ROW(threshold::float8, recall::float8, agreement::float8), 0) AS parameters "
"FROM ONLY {definition}), "

/* The table and its partitions. */
"docs(oid) AS MATERIALIZED (SELECT docs FROM d "
"UNION SELECT p.relid::oid FROM d, pg_partition_tree(d.docs::regclass) AS p), "

/* The same, and the tables of groups, judgments, changes and components. */
"tables(oid) AS MATERIALIZED (SELECT oid FROM docs "
"UNION ALL SELECT unnest(ARRAY[%u::oid, %u::oid, changes, components]) FROM d), "

/* Their rows of pg_class. */
"classes AS MATERIALIZED (SELECT c.oid, c.xmin, c.ctid, c.relkind, c.relpersistence, c.relowner "
"FROM tables AS t JOIN pg_class AS c ON c.oid = t.oid), "

/* The triggers that note changes and depend on the table of changes. */
"own AS MATERIALIZED (SELECT DISTINCT t.oid, t.tgname "
"FROM d, tables AS r JOIN pg_trigger AS t ON t.tgrelid = r.oid JOIN pg_depend AS p ON p.objid = t.oid "
"AND p.classid = 'pg_trigger'::regclass AND p.refclassid = 'pg_class'::regclass "
"WHERE p.refobjid = d.changes AND t.tgfoid = {note_trigger}::regprocedure), "

/* All triggers of these names that note changes, those of partitions among them. */
"triggers AS MATERIALIZED (SELECT t.xmin, t.ctid, t.tgenabled "
"FROM tables AS r JOIN pg_trigger AS t ON t.tgrelid = r.oid JOIN own USING (tgname) "
"WHERE t.tgfoid = {note_trigger}::regprocedure), "

/* The columns of the table and of the table of changes. */
"columns AS MATERIALIZED (SELECT a.xmin, a.ctid, a.attrelid, a.attname, a.attnum "
"FROM d JOIN pg_attribute AS a ON a.attrelid IN (d.docs, d.changes)), "

/* A hash of the columns that the triggers compare, and of their numbers. */
"compared(hash) AS (SELECT hash_record_extended(ROW(d.sig, d.key, d.scope, "
"(SELECT array_agg(a.attnum ORDER BY a.attname) FROM columns AS a "
"WHERE a.attrelid = d.docs AND a.attname = ANY (d.sig || d.key || d.scope))), 0) FROM d), "

/* The access methods and columns of the table's valid indexes without WHERE. */
"indexes AS MATERIALIZED (SELECT m.amname, (SELECT array_agg(a.attname) FROM columns AS a "
"WHERE a.attrelid = d.docs AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1])) AS names "
"FROM d JOIN pg_index AS i ON i.indrelid = d.docs JOIN pg_class AS c ON c.oid = i.indexrelid "
"JOIN pg_am AS m ON m.oid = c.relam WHERE i.indisvalid AND i.indpred IS NULL), "

/* The versions of the rows of classes, triggers and columns. */
"marks(mark) AS (SELECT concat(m.xmin, ' ', m.ctid) FROM (SELECT xmin, ctid FROM classes "
"UNION ALL SELECT xmin, ctid FROM triggers UNION ALL SELECT xmin, ctid FROM columns) AS m) "

"SELECT hash_record_extended(ROW((SELECT string_agg(mark, ',' ORDER BY mark) FROM marks), hash, parameters), 0) "
"AS hash_of_catalogs, hash AS hash_of_columns, "
CppAsString2(NUM_TRIGGERS) " = (SELECT count(*) FROM own) "
"AND NOT EXISTS (SELECT FROM triggers WHERE tgenabled <> 'A') AS is_tracked, "
"CASE WHEN EXISTS (SELECT FROM docs JOIN classes AS c USING (oid) WHERE c.relkind NOT IN ('r', 'p')) THEN 0 "
"WHEN EXISTS (SELECT FROM classes WHERE relpersistence <> 'p') THEN 1 "
"WHEN (SELECT count(DISTINCT relowner) FROM classes) > 1 THEN 2 "
"WHEN NOT EXISTS (SELECT FROM indexes WHERE amname = 'lsh' AND names = ARRAY[sig]) THEN 3 "
"WHEN NOT EXISTS (SELECT FROM indexes WHERE amname = 'btree' AND names @> key AND names <@ key) THEN 4 "
"ELSE -1 END AS obstacle FROM d, compared";

/*
 * Read the catalogs: set the hashes of the state, and whether the triggers are there;
 * return the number of an obstacle, or -1.
 */
static int
read_catalogs(Groups *groups, bool *is_tracked)
{
	ListCell   *cell;

	groups_run(groups, psprintf(catalogs, get_relname_relid(groups->names[GROUPS_TABLE], groups->schema),
								get_relname_relid(groups->names[GROUPS_JUDGED], groups->schema)), SPI_OK_SELECT);
	groups->state[GROUPS_STATE_CATALOGS] = DatumGetInt64(groups_result(0, 1));
	groups->state[GROUPS_STATE_COLUMNS] = DatumGetInt64(groups_result(0, 2));
	*is_tracked = DatumGetBool(groups_result(0, 3));
	foreach(cell, list_concat_copy(groups->key, groups->scope))
	{
		if (!OidIsValid(groups_equality(groups, lfirst(cell))))
			return OBSTACLE_TYPE;
	}
	return DatumGetInt32(groups_result(0, 4));
}

/*
 * Return true if this transaction has made a file of the relation, or has made the table
 * of changes with the triggers and keeps an older snapshot.
 */
static bool
may_miss_changes(const Groups *groups)
{
	List	   *relations = find_all_inheritors(groups->relation, AccessShareLock, NULL);
	bool		is_new = false;
	ListCell   *cell;

	if (IsolationUsesXactSnapshot())
		relations = lappend_oid(relations, groups->changes);
	foreach(cell, relations)
	{
		Relation	relation = relation_open(lfirst_oid(cell), NoLock);

		is_new |= relation->rd_createSubid != InvalidSubTransactionId ||
			compat_new_file_subid(relation) != InvalidSubTransactionId;
		relation_close(relation, NoLock);
	}
	return is_new;
}

/*** Making and dropping ***/

/*
 * Return true for a table of tracked groups that belongs to the owner.  All its rows may
 * be deleted, and it may be dropped, so it must have the mark.
 */
static bool
is_tracking_table(Oid table)
{
	return get_attnum(table, GROUPS_MARK) != InvalidAttrNumber &&
		get_rel_relkind(table) == RELKIND_RELATION && owner_of_table(table) == GetUserId();
}

/* Lock a table of tracked groups; return it, or InvalidOid if it is none. */
static Oid
lock_table(Oid table, LOCKMODE mode)
{
	if (!is_tracking_table(table))
		return InvalidOid;
	LockRelationOid(table, mode);
	return is_tracking_table(table) ? table : InvalidOid;
}

/* Make a table of tracked groups with columns of the relation or others; return it. */
static Oid
make_table(const Groups *groups, const char *label, const char *columns)
{
	char	   *name = makeObjectName(groups->names[GROUPS_TABLE], NULL, label);
	char	   *table = quote_qualified_identifier(get_namespace_name(groups->schema), name);
	Oid			made;

	groups_run_sql(psprintf("CREATE TABLE %s USING heap AS SELECT %s AS " GROUPS_MARK " FROM %s WITH NO DATA",
							table, groups_sql(groups, columns), name_qualified(groups->relation)), SPI_OK_UTILITY);
	made = lock_table(get_relname_relid(name, groups->schema), RowExclusiveLock);
	if (!OidIsValid(made))
		elog(ERROR, "table %s was replaced", table);
	/* For publications, because rows are deleted. */
	groups_run_sql(psprintf("ALTER TABLE %s REPLICA IDENTITY FULL", table), SPI_OK_UTILITY);
	groups_revoke_default_privileges(table);
	return made;
}

/*
 * Make a trigger that notes keys, after an event, of rows that meet a condition, or
 * that notes TRUNCATE.
 */
static void
make_trigger(const Groups *groups, const char *label, const char *event, const char *table,
			 const char *condition, const char *arguments)
{
	const char *name = quote_identifier(makeObjectName(groups->names[GROUPS_TABLE], NULL, label));
	char	   *text = psprintf("%s ON %s FOR EACH %s WHEN (%s'%u'::regclass IS NOT NULL) "
								"EXECUTE FUNCTION {extension}.minhash_note_trigger(%s)",
								event, table, strcmp(event, "TRUNCATE") == 0 ? "STATEMENT" : "ROW",
								condition, groups->changes, arguments);

	groups_run_sql(psprintf("CREATE TRIGGER %s AFTER %s", name, groups_sql(groups, text)), SPI_OK_UTILITY);
	groups_run_sql(psprintf("ALTER TABLE %s ENABLE ALWAYS TRIGGER %s", groups_sql(groups, table), name),
				   SPI_OK_UTILITY);
}

/* Make the tables and triggers, instead of those that may be there. */
static void
make_tracking(Groups *groups)
{
	const char *all = "INSERT OR UPDATE OR DELETE";

	groups_untrack(groups);
	groups->changes = make_table(groups, "changes", "{key}, NULL::{extension}.minhash");
	groups->components = make_table(groups, "components", "NULL::int8 AS grp, NULL::int8 AS component, NULL::bool");
	groups_run(groups, "CREATE INDEX ON {components} (grp)", SPI_OK_UTILITY);
	groups_run(groups, "CREATE INDEX ON {components} (component)", SPI_OK_UTILITY);
	make_trigger(groups, "note", "INSERT OR DELETE", "{relation}", "", "");
	make_trigger(groups, "note_update", "UPDATE", "{relation}",
				 "({old.compared = new.compared}) IS NOT TRUE AND ", "");
	make_trigger(groups, "note", all, "{groups}", "", "'unknown'");
	make_trigger(groups, "note_a", all, "{judged}", "", "'a'");
	make_trigger(groups, "note_b", all, "{judged}", "", "'b'");
	make_trigger(groups, "note_truncate", "TRUNCATE", "{groups}", "", "'unknown'");
	make_trigger(groups, "note_truncate", "TRUNCATE", "{judged}", "", "'unknown'");
	groups_run(groups, psprintf("UPDATE ONLY {definition} SET changes = '%u'::regclass, components = '%u'::regclass",
								groups->changes, groups->components), SPI_OK_UPDATE);
}

/* Drop a table, and the triggers that depend on it. */
static void
drop_table(Oid table)
{
	table = lock_table(table, AccessExclusiveLock);
	if (OidIsValid(table))
		groups_run_sql(psprintf("DROP TABLE %s CASCADE", name_qualified(table)), SPI_OK_UTILITY);
}

/*
 * Lock the tables with triggers before that of changes is dropped, because that is the
 * order of writers.  Otherwise each could wait for the other.
 */
static void
lock_writers_out(const Groups *groups, Oid relation)
{
	if (get_rel_name(relation) != NULL && owner_of_table(relation) == GetUserId())
	{
		LockRelationOid(relation, AccessExclusiveLock);
		if (get_rel_relkind(relation) == RELKIND_PARTITIONED_TABLE)
			(void) find_all_inheritors(relation, AccessExclusiveLock, NULL);
	}
	LockRelationOid(get_relname_relid(groups->names[GROUPS_JUDGED], groups->schema), AccessExclusiveLock);
}

/* Drop the tables and triggers. */
void
groups_untrack(Groups *groups)
{
	static const char *const quiet[][2] = {{"client_min_messages", "warning"}};
	int			level;

	groups_run_sql(psprintf("SELECT relation::oid, coalesce(changes::oid, 0), coalesce(components::oid, 0) FROM ONLY %s "
							"WHERE changes IS NOT NULL OR components IS NOT NULL", groups->tables[GROUPS_DEFINITION]),
				   SPI_OK_SELECT);
	if (SPI_processed == 0)
		return;
	groups->changes = DatumGetObjectId(groups_result(0, 2));
	groups->components = DatumGetObjectId(groups_result(0, 3));
	lock_writers_out(groups, DatumGetObjectId(groups_result(0, 1)));
	level = settings_override(quiet, lengthof(quiet));
	drop_table(groups->changes);
	drop_table(groups->components);
	AtEOXact_GUC(false, level);
	groups_run_sql(psprintf("UPDATE ONLY %s SET changes = NULL, components = NULL",
							groups->tables[GROUPS_DEFINITION]), SPI_OK_UPDATE);
	groups->changes = groups->components = InvalidOid;
}

/*** A refresh ***/

/* Find out how to refresh; make the tables and triggers. */
const char *
groups_begin_tracking(Groups *groups)
{
	int64		old_rows = groups->state[GROUPS_STATE_ROWS];
	int64		old_catalogs = groups->state[GROUPS_STATE_CATALOGS];
	int64		old_columns = groups->state[GROUPS_STATE_COLUMNS];
	bool		is_tracked;
	int			obstacle;

	if (!groups->track)
	{
		if (OidIsValid(groups->changes) || OidIsValid(groups->components))
			groups_untrack(groups);
		return "full";
	}
	groups->changes = lock_table(groups->changes, RowExclusiveLock);
	groups->components = lock_table(groups->components, RowExclusiveLock);
	obstacle = read_catalogs(groups, &is_tracked);
	if (obstacle >= 0 && groups->refresh == 1)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("changes of \"%s\" cannot be tracked", get_rel_name(groups->relation)),
				 errdetail_internal("%s", obstacles[obstacle].detail),
				 errhint("Leave out the argument \"track\" of minhash_groups_create, or meet the condition.")));
	if (obstacle >= 0)
	{
		groups->state[GROUPS_STATE_CATALOGS] = 0;
		return obstacles[obstacle].method;
	}
	if (!is_tracked || !OidIsValid(groups->changes) || !OidIsValid(groups->components) ||
		old_rows < 0 || old_columns != groups->state[GROUPS_STATE_COLUMNS])
	{
		make_tracking(groups);
		(void) read_catalogs(groups, &is_tracked);
		old_rows = -1;
	}
	is_tracked = old_catalogs == groups->state[GROUPS_STATE_CATALOGS];
	if (may_miss_changes(groups))
		groups->state[GROUPS_STATE_CATALOGS] = 0;
	if (old_rows < 0)
		return "full: new";
	return is_tracked ? NULL : "full: definition or tables";
}
