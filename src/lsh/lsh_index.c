/*-------------------------------------------------------------------------
 *
 * lsh_index.c
 *	  Opening an index for the functions lsh_index_...(), and lsh_index_stats().
 *
 * The counts include rows that are deleted but not vacuumed, so only users who
 * may read the whole table can see them.
 *
 * For a partitioned index the statistics are those of the indexes of all
 * partitions, and each result row names the table that it belongs to.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relation.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "catalog/index.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_namespace.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/tuplestore.h"

#include "lsh.h"
#include "support/arguments.h"

/* Raise an error if the user may not read the whole table. */
static void
check_table_access(Oid table)
{
	if (pg_class_aclcheck(table, GetUserId(), ACL_SELECT) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(table));
	if (check_enable_rls(table, InvalidOid, true) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for index of table \"%s\"",
						get_rel_name(table)),
				 errdetail("Row-level security hides rows of the table.")));
}

/* Raise an error for an index that is invalid or of another session. */
static void
refuse_unusable(Relation index)
{
	bool		partitioned = index->rd_rel->relkind == RELKIND_PARTITIONED_INDEX;

	if (!index->rd_index->indisvalid)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("index \"%s\" is not valid",
						RelationGetRelationName(index)),
				 partitioned ?
				 errhint("Attach an index of every partition to it with ALTER INDEX ... ATTACH PARTITION.") :
				 errhint("Build it with REINDEX INDEX.")));
	if (RELATION_IS_OTHER_TEMP(index))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot access temporary indexes of other sessions")));
}

/* Raise an error for anything but an index of the access method lsh. */
static void
refuse_others(Relation index)
{
	if ((index->rd_rel->relkind != RELKIND_INDEX &&
		 index->rd_rel->relkind != RELKIND_PARTITIONED_INDEX) ||
		index->rd_indam->ambuild != lsh_build)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not an lsh index",
						RelationGetRelationName(index)),
				 errhint("Create one with CREATE INDEX ... USING lsh (signature).")));
}

/*
 * Raise an error for the index of a table that Citus distributes, which is
 * empty here, whether on the coordinator or on a worker.  Citus lists such
 * tables in pg_catalog, where only superusers can create a table.
 */
static void
refuse_distributed(Relation index)
{
	Oid			list_oid = get_relname_relid("pg_dist_partition",
											 PG_CATALOG_NAMESPACE);
	AttrNumber	column = OidIsValid(list_oid) ?
		get_attnum(list_oid, "logicalrelid") : InvalidAttrNumber;
	Relation	list;
	ScanKeyData key;
	SysScanDesc scan;

	if (column == InvalidAttrNumber)
		return;
	list = table_open(list_oid, AccessShareLock);
	ScanKeyInit(&key, column, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(index->rd_index->indrelid));
	scan = systable_beginscan(list, InvalidOid, false, NULL, 1, &key);
	if (HeapTupleIsValid(systable_getnext(scan)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot read index \"%s\" of a distributed table",
						RelationGetRelationName(index)),
				 errdetail("The rows are in the shards of the table, and each shard has an index of its own."),
				 errhint("Call the function on the shards with run_command_on_shards.")));
	systable_endscan(scan);
	table_close(list, AccessShareLock);
}

/* Open an lsh index; lock the table first, like every other command. */
Relation
lsh_open_index(Oid index_oid, LOCKMODE lock)
{
	Oid			table = IndexGetRelation(index_oid, true);
	Relation	index;

	if (OidIsValid(table))
		LockRelationOid(table, lock);
	index = try_relation_open(index_oid, lock);
	if (index == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("index with OID %u does not exist", index_oid)));
	refuse_others(index);
	refuse_distributed(index);
	refuse_unusable(index);
	return index;
}

/* Open an lsh index whose table the user may read. */
Relation
lsh_open_readable_index(Oid index_oid)
{
	Oid			table = IndexGetRelation(index_oid, true);
	Relation	index;

	if (OidIsValid(table))
		check_table_access(table);
	index = lsh_open_index(index_oid, AccessShareLock);
	/* Privileges may have changed while we waited for the lock. */
	check_table_access(index->rd_index->indrelid);
	return index;
}

/* Number of entries and keys of an index. */
typedef struct IndexTotals
{
	int64		keys;
	int64		entries;
	int64		largest;		/* entries of a key */
} IndexTotals;

/*
 * Count the entries and keys on the leaves of an index.  Keys that the
 * fragments of a leaf do not tell apart count as one.
 */
static IndexTotals
count_leaves(Relation index)
{
	LshEntry   *entries = palloc(sizeof(LshEntry) * LSH_LEAF_MAX);
	Size		leaf_count;
	LshEntry   *leaves = lsh_tree_leaves(index, MaxBlockNumber, &leaf_count);
	IndexTotals totals = {0};
	int64		bucket = 0;		/* entries of the last key */
	uint64		last = 0;

	for (Size leaf = 0; leaf < leaf_count; leaf++)
	{
		Buffer		buffer = lsh_read(index, leaves[leaf].number,
									  BUFFER_LOCK_SHARE, LSH_TREE, NULL);
		Page		page = BufferGetPage(buffer);

		/* It may have been merged into another since. */
		int			count = lsh_leaf_is_for(page, leaves[leaf].key, false) ?
			lsh_tree_entries(page, entries) : 0;

		UnlockReleaseBuffer(buffer);
		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < count; i++)
		{
			if (totals.entries++ == 0 || entries[i].key != last)
			{
				totals.keys++;
				bucket = 0;
			}
			last = entries[i].key;
			bucket++;
			totals.largest = Max(totals.largest, bucket);
		}
	}
	pfree(leaves);
	pfree(entries);
	return totals;
}

/* Put the result row for an index, without counts if its version is another. */
static void
put_stats(Tuplestorestate *rows, TupleDesc desc, Oid index_oid)
{
	Relation	index = lsh_open_readable_index(index_oid);
	LshMeta		meta;
	Datum		values[6];
	bool		nulls[6] = {false, true, true, true, true, false};

	UnlockReleaseBuffer(lsh_meta_lock(index, BUFFER_LOCK_SHARE, &meta));
	values[0] = ObjectIdGetDatum(index->rd_index->indrelid);
	values[5] = Int32GetDatum((int32) meta.version);
	if (meta.version == LSH_VERSION)
	{
		IndexTotals totals = count_leaves(index);

		values[1] = Int64GetDatum(totals.keys);
		values[2] = Int64GetDatum(totals.entries);
		values[3] = Int64GetDatum(totals.largest);
		values[4] = Int64GetDatum(meta.common.count);
		nulls[1] = nulls[2] = nulls[3] = false;
		nulls[4] = meta.content != LSH_PASSAGES;
	}
	relation_close(index, AccessShareLock);
	tuplestore_putvalues(rows, desc, values, nulls);
}

/* SQL function: the numbers of keys and entries of an index. */
PG_FUNCTION_INFO_V1(lsh_index_stats);
Datum
lsh_index_stats(PG_FUNCTION_ARGS)
{
	Oid			index = PG_GETARG_OID(0);
	TupleDesc	desc;
	Tuplestorestate *rows;
	ListCell   *cell;

	relation_close(lsh_open_readable_index(index), AccessShareLock);
	rows = row_begin(fcinfo, &desc);
	/* the indexes of all partitions, or only the index itself */
	foreach(cell, find_all_inheritors(index, NoLock, NULL))
	{
		if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_INDEX)
			put_stats(rows, desc, lfirst_oid(cell));
	}
	return (Datum) 0;
}
