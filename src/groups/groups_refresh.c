/*-------------------------------------------------------------------------
 *
 * groups_refresh.c
 *	  Bring groups up to date with their relation.
 *
 * groups_begin_refresh() has updated the row of the definition.  So refreshes of
 * the same groups wait for each other, and at REPEATABLE READ and SERIALIZABLE
 * one that has waited fails with a serialization error, because its snapshot is
 * too old; SELECT FOR UPDATE or an advisory lock would not have this effect.  It
 * has then locked the table of groups against other writers, because the rows
 * are written by their TID, and a row that a concurrent change has moved would
 * be skipped.
 *
 * A first statement reads the relation into a tuplestore, lshsim_rows: the key
 * and the signature of each row, sorted by scope and key.  The statement does
 * nothing else, so that the relation can also be a foreign table, or one that an
 * extension distributes over servers.  groups_components.c then finds the
 * components of the rows.
 *
 * The last statement does the rest on local tables:
 *
 *	members		each key: its row in the table of groups, if there is one, and
 *				its component, if the row exists
 *	matched		the id of each component, by minhash_groups_match()
 *	remaining	the ids that are in use now
 *	changes		the members whose group differs, and why
 *
 * Each changed row has one of these events:
 *
 *	new			it had no group, and its group is new
 *	join		it had no group, and its group existed before
 *	merge		its old group no longer exists, and it joined another one
 *	split		its old group still exists, but the row is in another one
 *	leave		it was deleted, and had a group
 *
 * The statements run as the owner of the tables, so no other user may be able to
 * plant code in them.  Keys are compared by GROUP BY, with the default operator
 * class of their type; no operator for keys and no cast of them is looked up by
 * name.  All other operators and functions are those of pg_catalog, which is
 * alone in the search path, and have operands of exactly their types.
 *
 * The SQL functions switch off nested loops, because the estimate for a table that
 * was empty when it was last vacuumed can be a single row.  Where only they are
 * possible, the planner adds so much to the cost that JIT would compile the
 * statement, which takes longer than the refresh.
 *
 * A key that repeats or is NULL is an error.  Rows of tables that inherit from
 * the table are left out, because their keys can repeat those of the table.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"

#include "groups.h"
#include "support/names.h"

/*** Reading the relation ***/

/* Return the relation with an alias, without tables that inherit from it. */
static char *
source(const Groups *groups)
{
	bool		has_children = get_rel_relkind(groups->relation) == RELKIND_RELATION &&
		has_subclass(groups->relation);

	return psprintf("%s%s AS t", has_children ? "ONLY " : "",
					name_qualified(groups->relation));
}

/*
 * Return a statement for the keys of rows, 1 for the first row of each scope, and
 * signatures, sorted by scope and key.
 */
static char *
rows_statement(const char *extension, const Groups *groups)
{
	char	   *key = groups_columns(groups->key, "t.");
	char	   *scope = groups->scope == NIL ? "" :
		psprintf("PARTITION BY %s ", groups_columns(groups->scope, "t."));
	char	   *order = groups->scope == NIL ? key :
		psprintf("%s, %s", groups_columns(groups->scope, "t."), key);

	return psprintf("SELECT %1$s, row_number() OVER (%2$sORDER BY %1$s), t.%3$s::%4$s.minhash "
					"FROM %5$s ORDER BY %6$s",
					key, scope, quote_identifier(groups->sig), extension, source(groups), order);
}

/* Run a statement, and make its result the relation lshsim_rows of SPI. */
static EphemeralNamedRelation
read_rows(const char *statement)
{
	SPIExecuteOptions options = {.read_only = false};
	SPIPlanPtr	plan = SPI_prepare(statement, 0, NULL);
	EphemeralNamedRelation rows = palloc0(sizeof(EphemeralNamedRelationData));
	Tuplestorestate *store = tuplestore_begin_heap(false, false, work_mem);

	if (plan == NULL)
		elog(ERROR, "could not prepare \"%s\"", statement);
	options.dest = CreateDestReceiver(DestTuplestore);
	SetTuplestoreDestReceiverParams(options.dest, store, CurrentMemoryContext, true, NULL, NULL);
	if (SPI_execute_plan_extended(plan, &options) != SPI_OK_SELECT)
		elog(ERROR, "could not run \"%s\"", statement);
	rows->md.name = "lshsim_rows";
	rows->md.tupdesc =
		((CachedPlanSource *) linitial(SPI_plan_get_plan_sources(plan)))->resultDesc;
	rows->md.enrtype = ENR_NAMED_TUPLESTORE;
	rows->md.enrtuples = (double) tuplestore_tuple_count(store);
	rows->reldata = store;
	SPI_register_relation(rows);
	return rows;
}

/*** Writing the groups ***/

/* The parts of the statement that differ from groups to groups. */
#define ALIASES		"%1$s"		/* k1, k2, ...: the key */
#define KEY			"%2$s"		/* its columns */
#define KEY_OF_T	"%3$s"
#define ROWS		"%4$s"		/* keys and components of the rows */
#define GROUP_TABLE	"%5$s"
#define LOG_TABLE	"%6$s"
#define DEFINITION	"%7$s"
#define EXTENSION	"%8$s"		/* schema */
#define LAST_GRP	"%9$lld"
#define REFRESH		"%10$lld"
#define NUM_ROWS	"%11$lld"	/* of lshsim_rows */

/*
 * OFFSET 0 keeps the planner from copying the array of ids for each use of grp.
 * If a key repeats or is NULL, num_rows is too small, and there are no ids.
 */
static const char refresh[] =
"WITH members(" ALIASES ", tid, old_grp, component) AS MATERIALIZED ("
"SELECT " ALIASES ", max(tid), max(old_grp), max(component) FROM ("
ROWS " UNION ALL SELECT " KEY_OF_T ", t.ctid, t.grp::int8, NULL FROM ONLY " GROUP_TABLE " AS t"
") AS u(" ALIASES ", tid, old_grp, component) GROUP BY " ALIASES "), "
"matched AS MATERIALIZED (SELECT count(*) FILTER (WHERE ROW(" ALIASES ") IS NOT NULL) AS num_rows, "
"CASE WHEN count(*) FILTER (WHERE ROW(" ALIASES ") IS NOT NULL) = " NUM_ROWS " THEN " EXTENSION ".minhash_groups_match("
"array_agg(coalesce(old_grp, 0)), array_agg(component), " LAST_GRP ") END AS ids "
"FROM members WHERE component IS NOT NULL), "
"remaining AS MATERIALIZED ("
"SELECT grp FROM (SELECT unnest(ids) AS grp FROM matched) AS u WHERE grp <> 0), "
"changes AS MATERIALIZED (SELECT " ALIASES ", tid, m.old_grp, m.grp, CASE "
"WHEN m.grp IS NULL THEN 'leave' "
"WHEN m.old_grp IS NULL AND m.grp > " LAST_GRP " THEN 'new' "
"WHEN m.old_grp IS NULL THEN 'join' "
"WHEN r.grp IS NULL THEN 'merge' ELSE 'split' END AS event "
"FROM (SELECT *, (SELECT ids FROM matched)[component] AS grp FROM members OFFSET 0) AS m "
"LEFT JOIN remaining AS r ON r.grp = m.old_grp "
"WHERE m.grp IS DISTINCT FROM m.old_grp), "
"removed AS (DELETE FROM ONLY " GROUP_TABLE " AS g USING changes AS c "
"WHERE g.ctid = c.tid AND c.grp IS NULL), "
"moved AS (UPDATE ONLY " GROUP_TABLE " AS g SET grp = c.grp FROM changes AS c "
"WHERE g.ctid = c.tid AND c.grp IS NOT NULL), "
"added AS (INSERT INTO " GROUP_TABLE " (" KEY ", grp) "
"SELECT " ALIASES ", grp FROM changes WHERE tid IS NULL), "
"logged AS (INSERT INTO " LOG_TABLE " (refresh, changed_at, event, " KEY ", old_grp, new_grp) "
"SELECT " REFRESH ", statement_timestamp(), event, " ALIASES ", old_grp, grp FROM changes), "
"counted AS (UPDATE ONLY " DEFINITION " "
"SET last_grp = greatest(last_grp, (SELECT max(grp) FROM remaining))) "
"SELECT num_rows AS rows, (SELECT count(*) FROM remaining) AS groups_found, "
"(SELECT count(*) FROM changes) AS changed_rows FROM matched";

/*
 * Return the statement for a number of rows in lshsim_rows.  $1 has the component
 * of each.
 */
static char *
refresh_statement(const char *extension, const Groups *groups, int64 num_rows)
{
	char	   *aliases = groups_key_aliases(groups, "k");
	char	   *rows = psprintf("SELECT %1$s, NULL::tid, NULL::int8, ($1)[row_number() OVER ()] "
								"FROM lshsim_rows AS r(%1$s)", aliases);

	return psprintf(refresh, aliases, groups_columns(groups->key, ""),
					groups_columns(groups->key, "t."), rows,
					groups->tables[GROUPS_TABLE], groups->tables[GROUPS_LOG],
					groups->tables[GROUPS_DEFINITION], extension,
					(long long) groups->last_grp, (long long) groups->refresh,
					(long long) num_rows);
}

/* Report a key that repeats or is NULL. */
static void
report_key(const Groups *groups)
{
	char	   *aliases = groups_key_aliases(groups, "k");
	bool		repeats;

	groups_run(psprintf("SELECT count(*) > 1, ROW(%1$s)::text FROM lshsim_rows AS r(%1$s) GROUP BY %1$s "
						"HAVING count(*) > 1 OR NOT (ROW(%1$s) IS NOT NULL) LIMIT 1",
						aliases), SPI_OK_SELECT);
	repeats = DatumGetBool(groups_result(0, 1));
	ereport(ERROR,
			(errcode(repeats ? ERRCODE_UNIQUE_VIOLATION : ERRCODE_NOT_NULL_VIOLATION),
			 repeats ?
			 errmsg("key of \"%s\" is not unique", get_rel_name(groups->relation)) :
			 errmsg("key of \"%s\" contains a null value", get_rel_name(groups->relation)),
			 errdetail("Key (%s)=%s.", groups_columns(groups->key, ""),
					   TextDatumGetCString(groups_result(0, 2))),
			 errhint("Correct the row, or name the columns of another key in the argument \"key\" of minhash_groups_create.")));
}

/* Bring groups up to date. */
void
groups_refresh(FunctionCallInfo fcinfo, const Groups *groups)
{
	const char *extension = name_extension_schema(fcinfo);
	Oid			type = INT8ARRAYOID;
	Datum		components;
	EphemeralNamedRelation rows;
	int64		num_rows;

	rows = read_rows(rows_statement(extension, groups));
	num_rows = (int64) rows->md.enrtuples;
	components = groups_components(get_func_name(fcinfo->flinfo->fn_oid), groups, rows);
	if (SPI_execute_with_args(refresh_statement(extension, groups, num_rows),
							  1, &type, &components, NULL, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not run the statement of a refresh");
	if (DatumGetInt64(groups_result(0, 1)) != num_rows)
		report_key(groups);
	tuplestore_end(rows->reldata);
}
