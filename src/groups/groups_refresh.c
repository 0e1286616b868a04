/*-------------------------------------------------------------------------
 *
 * groups_refresh.c
 *	  Bring groups up to date with their table.
 *
 * groups_begin_refresh() has updated the row of the definition.  So refreshes of
 * the same groups wait for each other, and at REPEATABLE READ and SERIALIZABLE
 * one that has waited fails with a serialization error, because its snapshot is
 * too old; SELECT FOR UPDATE or an advisory lock would not have this effect.  It
 * has then locked the table of groups against other writers, because the rows are
 * written by their TID, and a row that a concurrent change has moved would be
 * skipped.
 *
 * A single statement does the rest, in one snapshot:
 *
 *	members		each key: its row in the table of groups, if there is one, and the
 *				component that minhash_cluster() finds, if the row exists
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
 * The statement runs as the owner of the tables, so no other user may be able to
 * plant code in it.  Keys are compared by GROUP BY, with the default operator
 * class of their type; no operator for keys and no cast of them is looked up by
 * name.  All other operators and functions are those of pg_catalog, which is
 * alone in the search path, and have operands of exactly their types.
 *
 * Rows of tables that inherit from the table are left out, because their keys can
 * repeat those of the table; the key of a partitioned table is unique.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "groups.h"
#include "support/names.h"

/*
 * Return the expression for a row's component: a number from 1 on.  Within a
 * scope, minhash_cluster() numbers rows from 1, and rank() - 1 is the number of
 * rows in the scopes before.
 */
static char *
component_expression(FunctionCallInfo fcinfo, const Groups *groups)
{
	const char *extension = extension_schema(fcinfo);
	char	   *scope = groups_columns(groups->scope, "t.");
	char	   *cluster = psprintf("%s.minhash_cluster(t.%s::%s.minhash, '%.17g'::float8, '%.17g'::float8)",
								   extension, quote_identifier(groups->sig),
								   extension, groups->threshold, groups->recall);

	if (groups->scope == NIL)
		return psprintf("%s OVER ()", cluster);
	return psprintf("rank() OVER (ORDER BY %s) - 1 + %s OVER (PARTITION BY %s)",
					scope, cluster, scope);
}

/* Return the names k1, k2, ... for the columns of the key. */
static char *
key_aliases(const Groups *groups)
{
	List	   *names = NIL;

	for (int i = 1; i <= list_length(groups->key); i++)
		names = lappend(names, psprintf("k%d", i));
	return groups_columns(names, "");
}

/* The parts of the statement that differ from groups to groups. */
#define ALIASES		"%1$s"		/* k1, k2, ...: the key */
#define KEY			"%2$s"		/* its columns */
#define KEY_OF_T	"%3$s"
#define COMPONENT	"%4$s"		/* of a row t of the table */
#define SOURCE		"%5$s"		/* the table */
#define GROUP_TABLE	"%6$s"
#define LOG_TABLE	"%7$s"
#define DEFINITION	"%8$s"
#define EXTENSION	"%9$s"		/* schema */
#define LAST_GRP	"%10$lld"
#define REFRESH		"%11$lld"

/*
 * OFFSET 0 keeps the planner from copying the array of ids for each use of grp.
 */
static const char statement[] =
"WITH members(" ALIASES ", tid, old_grp, component) AS MATERIALIZED ("
"SELECT " ALIASES ", max(tid), max(old_grp), max(component) FROM ("
"SELECT " KEY_OF_T ", NULL::tid, NULL::int8, " COMPONENT " FROM " SOURCE " AS t "
"UNION ALL SELECT " KEY_OF_T ", t.ctid, t.grp::int8, NULL FROM ONLY " GROUP_TABLE " AS t"
") AS u(" ALIASES ", tid, old_grp, component) GROUP BY " ALIASES "), "
"matched AS MATERIALIZED (SELECT count(*) AS num_rows, " EXTENSION ".minhash_groups_match("
"array_agg(coalesce(old_grp, 0)), array_agg(component), " LAST_GRP ") AS ids "
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

/* Return the statement of a refresh, which returns a row of three numbers. */
static char *
refresh_statement(FunctionCallInfo fcinfo, const Groups *groups)
{
	bool		is_partitioned =
		get_rel_relkind(groups->relation) == RELKIND_PARTITIONED_TABLE;

	return psprintf(statement,
					key_aliases(groups),
					groups_columns(groups->key, ""),
					groups_columns(groups->key, "t."),
					component_expression(fcinfo, groups),
					psprintf("%s%s", is_partitioned ? "" : "ONLY ",
							 qualified_name(groups->relation)),
					groups->table, groups->log, groups->definition,
					extension_schema(fcinfo),
					(long long) groups->last_grp, (long long) groups->refresh);
}

/*
 * Bring groups up to date.  Nested loops are switched off because the estimate
 * for a table that was empty when it was last vacuumed can be a single row.
 */
void
groups_refresh(FunctionCallInfo fcinfo, const Groups *groups)
{
	int			guc_level = NewGUCNestLevel();

	(void) set_config_option("enable_nestloop", "off", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	groups_run(refresh_statement(fcinfo, groups), SPI_OK_SELECT);
	AtEOXact_GUC(false, guc_level);
}
