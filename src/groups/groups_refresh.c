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
 * of each row, 1 for the first of a scope, and the signature, sorted by scope and key.
 * The statement does nothing else, so that the relation can also be a foreign table, or
 * one that an extension distributes over servers.  Of tracked groups it reads only the
 * rows that changes affect (groups_track.c), with their places in the table of groups, and
 * behind them the keys of rows that are gone.  groups_components.c then finds the
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
#include "support/settings.h"

/*** Reading the relation ***/

/* All rows. */
static const char all_rows[] =
"SELECT {t.key}, row_number() OVER (PARTITION BY {t.scope} ORDER BY {t.key}) AS place, "
"t.{sig}::{extension}.minhash AS sig, NULL::tid AS tid, NULL::int8 AS old_grp "
"FROM {source} ORDER BY {t.scope}, {t.key}";

/*
 * Those that changes affect, which groups_track.c defines, and the keys of rows that
 * are gone.  The changes are taken.
 *
 * OFFSET 0 keeps the planner from joining in another order: each row of the left side
 * is looked up in an index.  If there are too many rows, few is empty, or the limits
 * end the search, and many is true.  Similar rows of other scopes count for the limit,
 * because the search finds them, too.
 */
static const char changed_rows[] =
/* The keys that were noted. */
"WITH taken({k}) AS (DELETE FROM ONLY {changes} AS t RETURNING {t.key}), "

/* The same, each once. */
"seeds AS MATERIALIZED (SELECT DISTINCT * FROM taken LIMIT {most} + 1), "

/* One row, or none if the seeds are too many. */
"few AS MATERIALIZED (SELECT FROM seeds HAVING count(*) <= {most}), "

/* The scopes and signatures of the seeds' rows. */
"queries({s}, sig) AS MATERIALIZED (SELECT DISTINCT n.* FROM few, seeds AS s, LATERAL ("
"SELECT {t.scope}, t.{sig}::{extension}.minhash FROM {source} WHERE {t.key = s.k} OFFSET 0) AS n), "

/* The keys of rows similar to these, and whether they are in the scope. */
"near({k}, in_scope) AS MATERIALIZED (SELECT m.* FROM queries AS n, LATERAL ("
"SELECT {t.key}, {t.scope = n.s} FROM {source} "
"WHERE {extension}.minhash_similar(t.{sig}::{extension}.minhash, n.sig, {threshold}, {recall}) OFFSET 0) AS m "
"LIMIT 4 * {most} + 1), "

/*
 * The components in which seeds, near rows, and rows judged the same as a seed were at
 * the last refresh.
 */
"touched AS MATERIALIZED (SELECT DISTINCT coalesce(c.component, g.grp) AS component FROM few, ("
"SELECT * FROM seeds UNION SELECT {k} FROM near WHERE in_scope "
"UNION SELECT j.* FROM few, seeds AS s, LATERAL ("
"SELECT {j.b} FROM ONLY {judged} AS j WHERE {j.a = s.k} AND j.same::bool OFFSET 0) AS j "
"UNION SELECT j.* FROM few, seeds AS s, LATERAL ("
"SELECT {j.a} FROM ONLY {judged} AS j WHERE {j.b = s.k} AND j.same::bool OFFSET 0) AS j) AS s, LATERAL ("
"SELECT t.grp::int8 AS grp FROM ONLY {groups} AS t WHERE {t.key = s.k} OFFSET 0) AS g LEFT JOIN LATERAL ("
"SELECT e.component::int8 AS component FROM ONLY {components} AS e WHERE e.grp::int8 = g.grp OFFSET 0) AS c ON true), "

/* The groups of these components. */
"old_groups(grp) AS MATERIALIZED (SELECT component FROM touched UNION SELECT e.grp FROM touched AS c, LATERAL ("
"SELECT e.grp::int8 FROM ONLY {components} AS e WHERE e.component::int8 = c.component OFFSET 0) AS e), "

/* Remove them from the table of components. */
"cleared AS (DELETE FROM ONLY {components} AS e USING old_groups AS o WHERE e.grp::int8 = o.grp), "

/* The keys of these groups, with their rows in the table of groups, and the seeds. */
"affected({k}, tid, old_grp) AS MATERIALIZED (SELECT {k}, max(tid), max(old_grp) FROM (("
"SELECT g.* FROM old_groups AS o, LATERAL (SELECT {t.key}, t.ctid, t.grp::int8 FROM ONLY {groups} AS t "
"WHERE t.grp::int8 = o.grp OFFSET 0) AS g LIMIT {most} + 1) "
"UNION ALL SELECT *, NULL, NULL FROM seeds) AS u({k}, tid, old_grp) GROUP BY {k} LIMIT {most} + 1) "

"SELECT {k}, row_number() OVER (PARTITION BY is_there, {s} ORDER BY {k}) AS place, sig, tid, old_grp, is_there, "
"(SELECT count(*) FROM affected) > {most} OR (SELECT count(*) FROM near) > 4 * {most} AS many "
"FROM affected AS s LEFT JOIN LATERAL ("
"SELECT {t.scope}, t.{sig}::{extension}.minhash, true FROM {source} WHERE {t.key = s.k} OFFSET 0) "
"AS n({s}, sig, is_there) ON true ORDER BY is_there, {s}, {k}";

/* Run a statement, and make its result the relation lshsim_rows of SPI. */
static EphemeralNamedRelation
store_rows(const Groups *groups, const char *text)
{
	char	   *statement = groups_sql(groups, text);
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

/*
 * Return NULL if the rows that changes affect are those to cluster, and set their number,
 * without those that are gone; or else the method of a refresh that reads all rows.
 */
static const char *
check_rows(const Groups *groups, EphemeralNamedRelation rows)
{
	groups_run(groups, "SELECT count(is_there), coalesce(bool_or(many), false), "
			   "coalesce(bool_or(NOT (ROW({k}) IS NOT NULL)), false) FROM lshsim_rows AS r({k})", SPI_OK_SELECT);
	rows->md.enrtuples = (double) DatumGetInt64(groups_result(0, 1));
	if (DatumGetBool(groups_result(0, 2)))
		return "full: many rows";
	return DatumGetBool(groups_result(0, 3)) ? "full: unknown rows" : NULL;
}

/* Let the planner look rows up one by one; return the level for AtEOXact_GUC(). */
static int
prefer_indexes(void)
{
	static const char *const settings[][2] = {
		{"enable_seqscan", "off"}, {"enable_nestloop", "on"}, {"enable_indexscan", "on"},
		{"enable_bitmapscan", "on"}, {"enable_tidscan", "on"}
	};

	return settings_override(settings, lengthof(settings));
}

/*
 * Read the rows to cluster: those that changes affect, if *method is NULL, or all, and
 * then set it, and return to the settings before a level.  The changes are taken in
 * either case, not later than the rows are read.
 */
static EphemeralNamedRelation
read_changed_rows(const Groups *groups, int level, const char **method)
{
	EphemeralNamedRelation rows;

	if (*method == NULL)
	{
		rows = store_rows(groups, changed_rows);
		*method = check_rows(groups, rows);
		if (*method == NULL)
			return rows;
		SPI_unregister_relation(rows->md.name);
		tuplestore_end(rows->reldata);
	}
	AtEOXact_GUC(false, level);
	if (OidIsValid(groups->changes) && OidIsValid(groups->components))
	{
		groups_run(groups, "DELETE FROM ONLY {changes}", SPI_OK_DELETE);
		groups_run(groups, "DELETE FROM ONLY {components}", SPI_OK_DELETE);
	}
	return store_rows(groups, all_rows);
}

/*** Writing the groups ***/

/*
 * OFFSET 0 keeps the planner from copying the array of ids for each use of grp.
 * If a key repeats or is NULL, num_rows is too small, and there are no ids.
 *
 * $1 are the components of the rows of lshsim_rows, $2 the parts of divided ones, $3 is
 * the number of rows, $4 last_grp, $5 the number of the refresh, and $6 the method.  $7 and
 * $8 are the hashes of the state, or NULL.  $9 and $10 are the numbers of rows and groups
 * at the last refresh if lshsim_rows has a part of them, or NULL if it has all.  %s is for
 * new_parts.
 */
static const char refresh[] =
/*
 * The rows with their new components; if they are all rows, those of the table of
 * groups, too.
 */
"WITH members({k}, tid, old_grp, component) AS MATERIALIZED ("
"SELECT {k}, max(tid), max(old_grp), max(component) FROM ("
"SELECT {k}, tid, old_grp, ($1)[row_number() OVER ()] FROM lshsim_rows AS r({k}) "
"UNION ALL SELECT {t.key}, t.ctid, t.grp::int8, NULL FROM ONLY {groups} AS t WHERE $9 IS NULL"
") AS u({k}, tid, old_grp, component) GROUP BY {k}), "

/* Their number, and the id of each component; NULL if a key repeats or is NULL. */
"matched AS MATERIALIZED (SELECT count(*) FILTER (WHERE ROW({k}) IS NOT NULL) AS num_rows, "
"CASE WHEN count(*) FILTER (WHERE ROW({k}) IS NOT NULL) = $3 THEN {extension}.minhash_groups_match("
"array_agg(coalesce(old_grp, 0)), array_agg(component), $4) END AS ids "
"FROM members WHERE component IS NOT NULL), "

/* The ids of the groups that are there now. */
"remaining AS MATERIALIZED ("
"SELECT grp FROM (SELECT unnest(ids) AS grp FROM matched) AS u WHERE grp <> 0), "

/* The rows whose group differs, with the event. */
"changes AS MATERIALIZED (SELECT {k}, tid, m.old_grp, m.grp, CASE "
"WHEN m.grp IS NULL THEN 'leave' "
"WHEN m.old_grp IS NULL AND m.grp > $4 THEN 'new' "
"WHEN m.old_grp IS NULL THEN 'join' "
"WHEN r.grp IS NULL THEN 'merge' ELSE 'split' END AS event "
"FROM (SELECT *, (SELECT ids FROM matched)[component] AS grp FROM members OFFSET 0) AS m "
"LEFT JOIN remaining AS r ON r.grp = m.old_grp "
"WHERE m.grp IS DISTINCT FROM m.old_grp), "

/* Write them to the table of groups, and to its log. */
"removed AS (DELETE FROM ONLY {groups} AS g USING changes AS c "
"WHERE g.ctid = c.tid AND c.grp IS NULL), "
"moved AS (UPDATE ONLY {groups} AS g SET grp = c.grp FROM changes AS c "
"WHERE g.ctid = c.tid AND c.grp IS NOT NULL), "
"added AS (INSERT INTO {groups} ({key}, grp) SELECT {k}, grp FROM changes WHERE tid IS NULL), "
"logged AS (INSERT INTO {log} (refresh, changed_at, event, {key}, old_grp, new_grp) "
"SELECT $5, statement_timestamp(), event, {k}, old_grp, grp FROM changes), "
"%s"

/* The numbers of rows and groups after the refresh. */
"totals AS MATERIALIZED (SELECT num_rows, "
"num_rows + coalesce($9 - (SELECT count(old_grp) FROM members), 0) AS rows, "
"(SELECT count(*) FROM remaining) + coalesce($10 - (SELECT count(DISTINCT old_grp) FROM members), 0) AS groups_found "
"FROM matched), "

/* The last id, and the state. */
"counted AS (UPDATE ONLY {definition} "
"SET last_grp = greatest(last_grp, (SELECT max(grp) FROM remaining)), "
"state = (SELECT CASE WHEN $7 IS NOT NULL THEN ARRAY[rows, groups_found, $7, $8] END FROM totals)) "
"SELECT rows, groups_found, (SELECT count(*) FROM changes) AS changed_rows, "
"CASE WHEN num_rows = $3 THEN $6 END AS method FROM totals";

static const char new_parts[] =
"divided AS (INSERT INTO {components} (grp, component) "
"SELECT (SELECT ids FROM matched)[$2[i]], (SELECT ids FROM matched)[$2[i + 1]] "
"FROM generate_series(1, cardinality($2), 2) AS i), ";

/* Run the statement; the method is NULL if lshsim_rows has a part of the rows. */
static void
write_groups(const Groups *groups, Datum components, Datum parts, int64 num_rows,
			 const char *method)
{
	Oid			types[] = {
		INT8ARRAYOID, INT8ARRAYOID, INT8OID, INT8OID, INT8OID, TEXTOID, INT8OID, INT8OID, INT8OID, INT8OID
	};
	Datum		values[] = {
		components, parts, Int64GetDatum(num_rows), Int64GetDatum(groups->last_grp),
		Int64GetDatum(groups->refresh), CStringGetTextDatum(method == NULL ? "changes" : method),
		Int64GetDatum(groups->state[GROUPS_STATE_CATALOGS]), Int64GetDatum(groups->state[GROUPS_STATE_COLUMNS]),
		Int64GetDatum(groups->state[GROUPS_STATE_ROWS]), Int64GetDatum(groups->state[GROUPS_STATE_GROUPS])
	};
	char	   *text = psprintf(refresh, OidIsValid(groups->components) ? new_parts : "");
	char		nulls[lengthof(types)];

	memset(nulls, ' ', sizeof(nulls));
	if (!groups->track)
		nulls[6] = 'n';
	if (method != NULL)
		nulls[8] = nulls[9] = 'n';
	if (SPI_execute_with_args(groups_sql(groups, text), lengthof(types), types, values, nulls,
							  false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not run the statement of a refresh");
}

/* Report a key that repeats or is NULL. */
static void
report_key(const Groups *groups)
{
	bool		repeats;

	groups_run(groups, "SELECT count(*) > 1, ROW({k})::text FROM lshsim_rows AS r({k}) GROUP BY {k} "
			   "HAVING count(*) > 1 OR NOT (ROW({k}) IS NOT NULL) LIMIT 1", SPI_OK_SELECT);
	repeats = DatumGetBool(groups_result(0, 1));
	ereport(ERROR,
			(errcode(repeats ? ERRCODE_UNIQUE_VIOLATION : ERRCODE_NOT_NULL_VIOLATION),
			 repeats ?
			 errmsg("key of \"%s\" is not unique", get_rel_name(groups->relation)) :
			 errmsg("key of \"%s\" contains a null value", get_rel_name(groups->relation)),
			 errdetail("Key (%s)=%s.", groups_sql(groups, "{key}"),
					   TextDatumGetCString(groups_result(0, 2))),
			 errhint("Correct the row, or name the columns of another key in the argument \"key\" of minhash_groups_create.")));
}

/* Bring groups up to date.  What this does to their table is not noted as a change of it. */
void
groups_refresh(FunctionCallInfo fcinfo, Groups *groups)
{
	int			level = prefer_indexes();
	const char *method = groups_begin_tracking(groups);
	EphemeralNamedRelation rows = read_changed_rows(groups, level, &method);
	Datum		parts;
	Datum		components = groups_components(get_func_name(fcinfo->flinfo->fn_oid), groups, rows, &parts);

	groups_ignore_writes(get_relname_relid(groups->names[GROUPS_TABLE], groups->schema));
	write_groups(groups, components, parts, (int64) rows->md.enrtuples, method);
	groups_ignore_writes(InvalidOid);
	if (SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 4) == NULL)
		report_key(groups);
	tuplestore_end(rows->reldata);
}
