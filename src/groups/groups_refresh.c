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

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"

#include "groups.h"
#include "support/names.h"

/*** Reading the relation ***/

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
					key, scope, quote_identifier(groups->sig), extension, groups_source(groups), order);
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
#define PARTS		"%3$s"		/* statements for the table of components */
#define ROWS		"%4$s"		/* key, TID, group and component, in two rows
								 * or one */
#define GROUP_TABLE	"%5$s"
#define LOG_TABLE	"%6$s"
#define DEFINITION	"%7$s"
#define EXTENSION	"%8$s"		/* schema */
#define LAST_GRP	"%9$lld"
#define REFRESH		"%10$lld"
#define NUM_ROWS	"%11$lld"	/* of lshsim_rows, without those that are gone */
#define METHOD		"%12$s"
#define ALL_ROWS	"%13$lld"	/* at the last refresh, and their groups; 0:
								 * read now */
#define ALL_GROUPS	"%14$lld"
#define STATE		"%15$s"		/* of tracked groups */

/*
 * OFFSET 0 keeps the planner from copying the array of ids for each use of grp.
 * If a key repeats or is NULL, num_rows is too small, and there are no ids.
 */
static const char refresh[] =
"WITH members(" ALIASES ", tid, old_grp, component) AS MATERIALIZED ("
"SELECT " ALIASES ", max(tid), max(old_grp), max(component) FROM ("
ROWS ") AS u(" ALIASES ", tid, old_grp, component) GROUP BY " ALIASES "), "
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
PARTS
"totals AS MATERIALIZED (SELECT num_rows, num_rows + CASE WHEN " ALL_ROWS " > 0 THEN "
ALL_ROWS " - (SELECT count(old_grp) FROM members) ELSE 0 END AS rows, "
"(SELECT count(*) FROM remaining) + CASE WHEN " ALL_ROWS " > 0 THEN "
ALL_GROUPS " - (SELECT count(DISTINCT old_grp) FROM members) ELSE 0 END AS groups_found FROM matched), "
"counted AS (UPDATE ONLY " DEFINITION " "
"SET last_grp = greatest(last_grp, (SELECT max(grp) FROM remaining)), "
"state = (SELECT " STATE " FROM totals)) "
"SELECT rows, groups_found, (SELECT count(*) FROM changes) AS changed_rows, "
"CASE WHEN num_rows = " NUM_ROWS " THEN " METHOD " END AS method FROM totals";

/* A statement for the table of components, which tracked groups have. */
static const char new_parts[] =
"divided AS (INSERT INTO %s (grp, component) "
"SELECT (SELECT ids FROM matched)[$2[i]], (SELECT ids FROM matched)[$2[i + 1]] "
"FROM generate_series(1, cardinality($2), 2) AS i), ";

/*
 * Return the statement for a number of rows in lshsim_rows.  $1 has the component
 * of each, $2 the parts of divided components.
 */
static char *
refresh_statement(const char *extension, const Groups *groups, const char *method,
				  double num_rows)
{
	char	   *aliases = groups_key_aliases(groups, "k");
	char	   *parts = OidIsValid(groups->components) ?
		psprintf(new_parts, name_qualified(groups->components)) : "";
	char	   *state = groups->track ?
		psprintf("ARRAY[rows, groups_found, '%lld', '%lld']::int8[]", (long long) groups->state[STATE_CATALOGS],
				 (long long) groups->state[STATE_COLUMNS]) : "NULL::int8[]";
	char	   *rows = psprintf("SELECT %1$s, tid, old_grp, ($1)[row_number() OVER ()] "
								"FROM lshsim_rows AS r(%1$s)", aliases);

	if (method != NULL)
		rows = psprintf("SELECT %1$s, NULL::tid, NULL::int8, ($1)[row_number() OVER ()] FROM lshsim_rows AS r(%1$s) "
						"UNION ALL SELECT %2$s, t.ctid, t.grp::int8, NULL FROM ONLY %3$s AS t",
						aliases, groups_columns(groups->key, "t."), groups->tables[GROUPS_TABLE]);
	return psprintf(refresh, aliases, groups_columns(groups->key, ""), parts, rows,
					groups->tables[GROUPS_TABLE], groups->tables[GROUPS_LOG],
					groups->tables[GROUPS_DEFINITION], extension,
					(long long) groups->last_grp, (long long) groups->refresh,
					(long long) num_rows, quote_literal_cstr(method == NULL ? "changes" : method),
					(long long) (method == NULL ? groups->state[STATE_ROWS] : 0),
					(long long) groups->state[STATE_GROUPS], state);
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

/*
 * Read the rows to cluster: those that changes affect, if *method is NULL, or all, and
 * then set it, and return to the settings before a level.  The changes are taken in
 * either case, not later than the rows are read.
 */
static EphemeralNamedRelation
read_changed_rows(const char *extension, const Groups *groups, int level,
				  const char **method)
{
	EphemeralNamedRelation rows;

	if (*method == NULL)
	{
		rows = read_rows(groups_changes_statement(extension, groups));
		*method = groups_changes_method(groups, rows);
		if (*method == NULL)
			return rows;
		SPI_unregister_relation(rows->md.name);
		tuplestore_end(rows->reldata);
	}
	AtEOXact_GUC(false, level);
	if (OidIsValid(groups->changes) && OidIsValid(groups->components))
	{
		groups_run(psprintf("DELETE FROM ONLY %s", name_qualified(groups->changes)), SPI_OK_DELETE);
		groups_run(psprintf("DELETE FROM ONLY %s", name_qualified(groups->components)), SPI_OK_DELETE);
	}
	return read_rows(rows_statement(extension, groups));
}

/* Bring groups up to date.  What this does to their table is not noted as a change of it. */
void
groups_refresh(FunctionCallInfo fcinfo, Groups *groups)
{
	const char *extension = name_extension_schema(fcinfo);
	Oid			types[] = {INT8ARRAYOID, INT8ARRAYOID};
	int			level = groups_prefer_indexes();
	const char *method = groups_begin_tracking(extension, groups);
	EphemeralNamedRelation rows = read_changed_rows(extension, groups, level, &method);
	Datum		values[2];

	values[0] = groups_components(get_func_name(fcinfo->flinfo->fn_oid), groups, rows, &values[1]);
	groups_ignore_writes(get_relname_relid(groups->names[GROUPS_TABLE], groups->schema));
	if (SPI_execute_with_args(refresh_statement(extension, groups, method, rows->md.enrtuples),
							  lengthof(types), types, values, NULL, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not run the statement of a refresh");
	groups_ignore_writes(InvalidOid);
	if (SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 4) == NULL)
		report_key(groups);
	tuplestore_end(rows->reldata);
}
