/*-------------------------------------------------------------------------
 *
 * groups_update.c
 *	  Bring groups up to date, from their queue or from the whole table.
 *
 * Updates of the same groups wait for each other: each begins by updating the
 * row of the definition.  At REPEATABLE READ and SERIALIZABLE, one that has
 * waited fails with a serialization error, because its snapshot is too old.
 * SELECT FOR UPDATE or an advisory lock would not have this effect.
 *
 * After that, one snapshot is taken and all statements that read use it, so the
 * groups are those of one moment at every isolation level.  Rows of the queue
 * are deleted as this snapshot sees them: later ones belong to later updates.
 *
 * If the queue has all changes of the table since the last update, and these are
 * few, only what they touch is read.  Otherwise the whole table is read.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "optimizer/plancat.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "groups.h"
#include "groups_names.h"
#include "groups_write.h"
#include "support/arguments.h"
#include "support/names.h"
#include "support/server_memory.h"

/*
 * Reading the whole table is cheaper if more than MAX_CHANGES rows have changed,
 * or more than FEW_CHANGES and more than MAX_SHARE of all rows.
 */
#define MAX_CHANGES 1000
#define MAX_SHARE 0.02
#define FEW_CHANGES 20

/*** Reading the definition ***/

/* Return a column of the row that SPI returned last; NULL is an error. */
static Datum
result_value(int column)
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

/*
 * Return the name of a column of the table, quoted, and note its number.  A
 * queue that lacks such a column, as after a rename, does not fit the definition.
 */
static char *
quote_column(Groups *groups, const char *name)
{
	AttrNumber	number = get_attnum(groups->relation_oid, name);

	if (number <= 0)
		report_no_column(groups->relation_oid, name, RENAMED_HINT);
	groups->queue_fits &= get_attnum(groups->queue_oid, name) > 0;
	groups->columns = lappend_int(groups->columns, number);
	return pstrdup(quote_identifier(name));
}

/* List the names of an array, quoted, as columns of the table. */
static List *
quote_columns(Groups *groups, ArrayType *names)
{
	List	   *columns = NIL;
	Datum	   *values;
	int			count;

	deconstruct_array(names, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR,
					  &values, NULL, &count);
	for (int i = 0; i < count; i++)
		columns = lappend(columns, quote_column(groups, NameStr(*DatumGetName(values[i]))));
	return columns;
}

/* Read the names of the table and of its columns. */
static void
read_names(FunctionCallInfo fcinfo, Groups *groups)
{
	const char *sig = NameStr(*DatumGetName(result_value(2)));

	groups->relation_oid = DatumGetObjectId(result_value(1));
	if (get_rel_name(groups->relation_oid) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the table grouped by %s no longer exists",
						groups->table),
				 errhint("Drop its groups with minhash_groups_drop.")));
	LockRelationOid(groups->relation_oid, AccessShareLock);
	groups->relation = qualified_name(groups->relation_oid);
	groups->queue_oid = (Oid) groups_result(0, 7);
	groups->queue_fits = get_rel_name(groups->queue_oid) != NULL;
	if (groups->queue_fits)
		groups->queue = qualified_name(groups->queue_oid);
	check_signatures(fcinfo, groups->relation_oid, sig, RENAMED_HINT);
	groups->sig = quote_column(groups, sig);
	groups->key = quote_columns(groups, DatumGetArrayTypeP(result_value(3)));
}

/*
 * Count this refresh, and read the definition.  The casts are needed because
 * the owner can alter the columns, and the code below relies on their types.
 */
static Groups
begin_refresh(FunctionCallInfo fcinfo, Oid oid)
{
	Groups		groups = {
		.oid = oid,
		.at_commit = CALLED_AS_TRIGGER(fcinfo),
		.by_row = true
	};

	groups.table = qualified_name(oid);
	groups.log = related_name(oid, "log");
	groups.definition = related_name(oid, "definition");
	groups.extension = extension_schema(fcinfo);
	groups_write(&groups, "UPDATE {definition} SET refreshes = refreshes + 1, "
				 "refreshed_at = statement_timestamp() "
				 "RETURNING relation::regclass, sig::name, key::name[], "
				 "threshold::float8, recall::float8, refreshes::int8, "
				 "queue::oid::int8, state::int8", NULL);
	if (SPI_processed != 1)
		ereport(ERROR,
				(errcode(ERRCODE_CARDINALITY_VIOLATION),
				 errmsg("%s must have one row, but has %llu", groups.definition,
						(unsigned long long) SPI_processed)));
	groups.threshold = check_unit_interval(DatumGetFloat8(result_value(4)),
										   "threshold");
	groups.recall = check_unit_interval(DatumGetFloat8(result_value(5)), "recall");
	groups.refresh = DatumGetInt64(result_value(6));
	groups.state = groups_result(0, 8);
	read_names(fcinfo, &groups);
	return groups;
}

/*** Reading the queue or the table ***/

/* Return true if reading the whole table is cheaper for a number of changes. */
static bool
are_many(const Groups *groups, int64 changes)
{
	Relation	relation;
	BlockNumber pages;
	double		rows;
	double		allvisible;

	if (changes <= FEW_CHANGES || changes > MAX_CHANGES)
		return changes > MAX_CHANGES;
	relation = table_open(groups->oid, AccessShareLock);
	estimate_rel_size(relation, NULL, &pages, &rows, &allvisible);
	table_close(relation, AccessShareLock);
	return (double) changes > MAX_SHARE * rows;
}

/*
 * Return true if the queue has a row for changes that cannot be named, or a row
 * with a NULL in its key.
 */
static bool
has_unnamed(const Groups *groups)
{
	groups_read(groups, "SELECT FROM (SELECT {key q} FROM {queue} AS q) AS q "
				"WHERE NOT (q IS NOT NULL) LIMIT 1", NULL);
	return SPI_processed > 0;
}

/* Return all rows, and count those that have a component. */
static GroupRow *
load_rows(GroupRows *rows, int64 *present)
{
	GroupRow   *all = alloc_array((uint64) rows->count + 1, sizeof(GroupRow));
	int64		count = 0;

	*present = 0;
	while (groups_next(rows, &all[count]))
		*present += all[count++].component != 0;
	return all;
}

/*
 * Compare the groups with the components of the table in the active snapshot,
 * and write the changes.
 *
 * One statement reads the table: minhash_cluster() numbers its components, and
 * a full join with the groups adds the old group of each row.  The key is unique
 * in a table and its partitions, but not in tables that inherit from it, so
 * their rows are left out.
 */
static GroupsResult
read_table(const Groups *groups)
{
	GroupRows	rows = groups_read_rows(groups,
										"SELECT {either s g}, s.component AS new_grp, "
										"g.grp::int8 AS old_grp, "
										"NULL::text AS event "
										"FROM (SELECT {k t}, {cluster t} OVER () AS component "
										"FROM (SELECT {key t}, {sig t} AS sig FROM {docs} AS t) AS t) AS s "
										"FULL JOIN {groups} AS g ON {same g s}", NULL);
	GroupsResult result;
	GroupRow   *all = load_rows(&rows, &result.rows);
	GroupIds	ids = groups_match(groups, all, rows.count);
	GroupRows	changes = groups_collect(&rows, &ids);

	groups_write_changes(groups, &changes);
	tuplestore_end(changes.store);
	result.groups = ids.components;
	result.changed_rows = changes.count;
	return result;
}

/* Bring groups with a queue up to date in the active snapshot. */
static GroupsResult
update_from_queue(Groups *groups)
{
	GroupsResult result = {0, 0, 0};
	int64		changes;
	int64		state;

	groups_use_indexes(groups);
	state = groups_state(groups);
	changes = groups_delete(groups, "DELETE FROM {queue}");
	if (state != 0 && state == groups->state && groups->queue_fits &&
		!are_many(groups, changes) && !has_unnamed(groups))
	{
		if (changes > 0)
			result = groups_drain(groups);
		groups_use_any(groups);
		return result;
	}
	groups_use_any(groups);
	result = read_table(groups);
	if (state != groups->state)
		groups_run(psprintf("UPDATE %s SET state = NULLIF(" INT64_FORMAT ", 0)",
							groups->definition, state), SPI_OK_UPDATE);
	return result;
}

/* Bring groups up to date. */
GroupsResult
groups_update(FunctionCallInfo fcinfo, Oid oid)
{
	GroupsResult result;
	Groups		groups;

	SPI_connect();
	groups = begin_refresh(fcinfo, oid);
	PushCopiedSnapshot(GetTransactionSnapshot());
	UpdateActiveSnapshotCommandId();
	if (groups.queue != NULL)
		result = update_from_queue(&groups);
	else
	{
		groups.by_row = false;
		result = read_table(&groups);
	}
	PopActiveSnapshot();
	SPI_finish();
	return result;
}
