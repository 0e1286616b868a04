/*-------------------------------------------------------------------------
 *
 * groups_state.c
 *	  Notice changes of a table that its queue of changes misses.
 *
 * Rows come and go without a row trigger when a partition is attached, detached
 * or dropped, when the table is rewritten or truncated, and when its triggers
 * are disabled.  Each of these leaves a trace in the catalogs: another list of
 * partitions, another relfilenode, or another xmin or TID of the trigger's row in
 * pg_trigger.  So a hash of these is compared, together with the numbers of the
 * columns, because another column can get the name of one that was dropped.
 *
 * The hash is 0 where this does not suffice:
 *	- A trigger is missing, disabled, or not ENABLE ALWAYS: then it misses the
 *	  changes of a subscription or of session_replication_role = replica.
 *	- The table is unlogged: a crash empties it and leaves the file in place.
 *	- This transaction created the file, so TRUNCATE empties it in place.
 *	- This transaction wrote the trigger, and its snapshot is older.
 *	- A query in progress has changed rows, and has not queued all of them.
 *
 * The catalogs are read in the active snapshot, as the rows are, and not in the
 * most recent one.  At REPEATABLE READ, the most recent catalogs can have a
 * partition of which the active snapshot does not see all rows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "tcop/pquery.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "groups.h"
#include "groups_rows.h"

/* Mix bytes into a hash. */
static uint64
mix(uint64 hash, const void *bytes, size_t size)
{
	return hash_combine64(hash, hash_bytes_extended(bytes, (int) size, 0));
}

/* Hash the definition. */
static uint64
hash_definition(const Groups *groups)
{
	uint64		hash = mix(0, &groups->relation_oid, sizeof(Oid));
	ListCell   *cell;

	hash = mix(hash, &groups->threshold, sizeof(double));
	hash = mix(hash, &groups->recall, sizeof(double));
	foreach(cell, groups->columns)
		hash = mix(hash, &lfirst_int(cell), sizeof(int));
	return hash;
}

/*
 * Read the table, its partitions and their triggers from the catalogs.  Only the
 * trigger of the table depends on the queue; its clones have the same name.
 */
static void
read_parts(const Groups *groups)
{
	bool		is_partitioned =
		get_rel_relkind(groups->relation_oid) == RELKIND_PARTITIONED_TABLE;
	GroupsArguments arguments = {.count = 2,.types = {OIDOID, OIDOID}};

	arguments.values[0] = ObjectIdGetDatum(groups->relation_oid);
	arguments.values[1] = ObjectIdGetDatum(groups->queue_oid);
	groups_read(groups,
				psprintf("%s SELECT c.oid::int8, c.relfilenode::int8, "
						 "CASE WHEN c.relpersistence = 'p' AND t.tgenabled = 'A' "
						 "THEN t.xmin::text::int8 END, hashtid(t.ctid)::int8 "
						 "FROM parts AS p JOIN pg_class AS c ON c.oid = p.oid "
						 "LEFT JOIN pg_trigger AS t ON t.tgrelid = c.oid AND t.tgname = (SELECT r.tgname "
						 "FROM pg_depend AS d JOIN pg_trigger AS r ON r.oid = d.objid "
						 "WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = $2 "
						 "AND d.classid = 'pg_trigger'::regclass AND r.tgrelid = $1) "
						 "ORDER BY c.oid",
						 is_partitioned ?
						 "WITH RECURSIVE parts(oid) AS (SELECT $1 UNION ALL "
						 "SELECT i.inhrelid FROM parts AS p JOIN pg_inherits AS i "
						 "ON i.inhparent = p.oid AND NOT i.inhdetachpending)" :
						 "WITH parts(oid) AS (SELECT $1)"), &arguments);
}

/*
 * Return true if a query in progress can have changes of a table that it has
 * not queued.  At the end of a transaction no query is in progress, so changes
 * that are pending then are left to deferred triggers.  The apply worker of a
 * subscription has no portal, but queries in which users refresh have one.
 */
static bool
is_changing(const Groups *groups, Oid table)
{
	return (ActivePortal != NULL || !groups->at_commit) &&
		AfterTriggerPendingOnRel(table);
}

/*
 * Return true if a table can have changed, or can change, without a trace in
 * the catalogs.  trigger is the xmin of its trigger, invalid if that is missing
 * or disabled.
 */
static bool
is_uncertain(const Groups *groups, Oid table, TransactionId trigger)
{
	Relation	relation = try_relation_open(table, AccessShareLock);
	bool		uncertain = relation == NULL || !TransactionIdIsValid(trigger) ||
		lsh_has_new_file(relation) ||
		(IsolationUsesXactSnapshot() && TransactionIdIsCurrentTransactionId(trigger)) ||
		is_changing(groups, table);

	if (relation != NULL)
		relation_close(relation, AccessShareLock);
	return uncertain;
}

/* Return a hash of the definition and of the state of the table, or 0. */
int64
groups_state(const Groups *groups)
{
	uint64		hash = hash_definition(groups);

	read_parts(groups);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		if (is_uncertain(groups, (Oid) groups_result(i, 1),
						 (TransactionId) groups_result(i, 3)))
			return 0;
		for (int column = 1; column <= 4; column++)
		{
			int64		value = groups_result(i, column);

			hash = mix(hash, &value, sizeof(value));
		}
	}
	return (int64) hash;
}
