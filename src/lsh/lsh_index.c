/*-------------------------------------------------------------------------
 *
 * lsh_index.c
 *	  lsh_index_stats() and lsh_index_buckets(): contents of an index.
 *
 * Both read the buckets of lsh indexes (lsh_buckets.c) and of GIN indexes
 * (search/gin_buckets.c).  Their results include rows that are deleted but not
 * vacuumed, so only users who may read the whole table can call them.
 *
 * For a partitioned index they read the indexes of all partitions, and each
 * result row names the table it belongs to.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/index.h"
#include "catalog/pg_am.h"
#include "catalog/pg_inherits.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "core/bands.h"
#include "lsh_am.h"
#include "lsh_buckets.h"
#include "lsh_index.h"
#include "lsh_meta.h"
#include "lsh_node.h"
#include "search/gin_buckets.h"
#include "support/arguments.h"
#include "support/row.h"

#define MAX_BUCKETS 10000		/* limit of lsh_index_buckets() */

/* Return true if the access method of an index is lsh. */
bool
lsh_is_lsh_index(Relation index)
{
	return index->rd_indam->ambuild == lsh_build;
}

/* Return the column of an index that holds signatures, or 0. */
static AttrNumber
signature_column(Relation index)
{
	if (index->rd_rel->relkind != RELKIND_INDEX &&
		index->rd_rel->relkind != RELKIND_PARTITIONED_INDEX)
		return 0;
	if (lsh_is_lsh_index(index))
		return 1;
	return index->rd_rel->relam == GIN_AM_OID ? gin_signature_column(index) : 0;
}

/* Call a visitor for each bucket of an index. */
static void
visit_buckets(Relation index, AttrNumber column, BucketVisitor visit, void *arg)
{
	if (lsh_is_lsh_index(index))
		lsh_visit_buckets(index, visit, arg);
	else
		gin_visit_buckets(index, column, visit, arg);
}

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

/* Raise an error for an index of passages. */
void
lsh_refuse_passages(Relation index)
{
	if (lsh_is_lsh_index(index) && lsh_holds_passages(index))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("index \"%s\" holds passages, not signatures",
						RelationGetRelationName(index)),
				 errhint("Use shares_passage() in a query or a join.")));
}

/* Raise an error for an index that is invalid or of another session. */
void
lsh_refuse_unusable(Relation index)
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

/*
 * Open an index of signatures whose table the user may read.
 *
 * Lock the table first, like every other command, until the transaction ends.
 * Privileges may change while we wait for the lock, so check them again.
 */
Relation
lsh_open_index(Oid index_oid, AttrNumber *column)
{
	Oid			table = IndexGetRelation(index_oid, true);
	Relation	index;

	*column = 0;
	if (OidIsValid(table))
	{
		check_table_access(table);
		LockRelationOid(table, AccessShareLock);
	}
	index = try_relation_open(index_oid, AccessShareLock);
	if (index == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("index with OID %u does not exist", index_oid)));
	if (OidIsValid(table))
	{
		check_table_access(table);
		*column = signature_column(index);
	}
	if (*column == 0)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not an index of minhash signatures",
						RelationGetRelationName(index)),
				 errhint("Create one with CREATE INDEX ... USING lsh (signature).")));
	lsh_refuse_unusable(index);
	return index;
}

/* List the indexes of all partitions of an index, or only the index itself. */
List *
lsh_index_leaves(Oid index_oid)
{
	List	   *leaves = NIL;
	ListCell   *cell;

	foreach(cell, find_all_inheritors(index_oid, NoLock, NULL))
	{
		if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_INDEX)
			leaves = lappend_oid(leaves, lfirst_oid(cell));
	}
	return leaves;
}

/* Do the same for an index whose table the user may read. */
List *
lsh_index_parts(Oid index_oid)
{
	AttrNumber	column;
	Relation	index = lsh_open_index(index_oid, &column);
	List	   *parts = lsh_index_leaves(index_oid);

	relation_close(index, AccessShareLock);
	return parts;
}

/* Result of lsh_index_stats(). */
typedef struct IndexTotals
{
	int64		keys;
	int64		entries;
	int64		largest;
} IndexTotals;

/* Count a bucket. */
static void
count_bucket(const KeyBucket *bucket, void *arg)
{
	IndexTotals *totals = arg;

	totals->keys++;
	totals->entries += bucket->entries;
	totals->largest = Max(totals->largest, bucket->entries);
}

/* Return the number of common k-grams that an index of passages lists. */
static int64
count_listed(Relation index)
{
	LshLayout	layout;

	lsh_meta_read(index, NULL, &layout);
	return layout.common.count;
}

/* Put the result row for an index. */
static void
put_stats(Tuplestorestate *rows, TupleDesc desc, Oid index_oid)
{
	AttrNumber	column;
	Relation	index = lsh_open_index(index_oid, &column);
	IndexTotals totals = {0};
	Datum		values[6];
	bool		nulls[6] = {false};

	visit_buckets(index, column, count_bucket, &totals);
	values[0] = Int64GetDatum(totals.keys);
	values[1] = Int64GetDatum(totals.entries);
	values[2] = Int64GetDatum(totals.largest);
	values[3] = Int64GetDatum(lsh_is_lsh_index(index) ? 0 :
							  gin_count_pending(index));
	values[4] = ObjectIdGetDatum(index->rd_index->indrelid);
	nulls[5] = !lsh_is_lsh_index(index) || !lsh_holds_passages(index);
	values[5] = Int64GetDatum(nulls[5] ? 0 : count_listed(index));
	relation_close(index, AccessShareLock);
	tuplestore_putvalues(rows, desc, values, nulls);
}

/* SQL function: the numbers of keys and entries of an index. */
PG_FUNCTION_INFO_V1(lsh_index_stats);
Datum
lsh_index_stats(PG_FUNCTION_ARGS)
{
	List	   *parts = lsh_index_parts(PG_GETARG_OID(0));
	TupleDesc	desc;
	Tuplestorestate *rows = begin_rows(fcinfo, &desc);
	ListCell   *cell;

	foreach(cell, parts)
		put_stats(rows, desc, lfirst_oid(cell));
	return (Datum) 0;
}

/* The largest buckets so far, in descending order of size. */
typedef struct LargestBuckets
{
	int			count;
	int			max;
	bool		passages;		/* not of signatures */
	KeyBucket  *buckets;
} LargestBuckets;

/* Insert a bucket if it is among the largest. */
static void
keep_largest(const KeyBucket *bucket, void *arg)
{
	LargestBuckets *largest = arg;
	int			i = largest->count;

	if (i == largest->max)
	{
		if (bucket->entries <= largest->buckets[i - 1].entries)
			return;
		i--;
	}
	else
		largest->count++;
	for (; i > 0 && largest->buckets[i - 1].entries < bucket->entries; i--)
		largest->buckets[i] = largest->buckets[i - 1];
	largest->buckets[i] = *bucket;
}

/* Replace the TID of a row by that of its visible version. */
bool
lsh_find_visible(IndexFetchTableData *fetch, Snapshot snapshot,
				 TupleTableSlot *slot, ItemPointer row)
{
	ItemPointerData tid = *row;
	bool		again = false;
	bool		all_dead;

	if (!table_index_fetch_tuple(fetch, &tid, snapshot, slot, &again,
								 &all_dead))
		return false;
	*row = slot->tts_tid;
	return true;
}

/* Find a visible row among the samples of a bucket. */
static bool
find_sample(const KeyBucket *bucket, ItemPointer sample)
{
	Relation	table = table_open(bucket->table, AccessShareLock);
	TupleTableSlot *slot = table_slot_create(table, NULL);
	IndexFetchTableData *fetch = lsh_index_fetch_begin(table);
	bool		found = false;

	for (int i = 0; i < bucket->num_samples && !found; i++)
	{
		*sample = bucket->samples[i];
		found = lsh_find_visible(fetch, GetActiveSnapshot(), slot, sample);
	}
	table_index_fetch_end(fetch);
	ExecDropSingleTupleTableSlot(slot);
	table_close(table, AccessShareLock);
	return found;
}

/* Put a result row for each of the largest buckets. */
static void
put_buckets(Tuplestorestate *rows, TupleDesc desc, const LargestBuckets *largest)
{
	for (int i = 0; i < largest->count; i++)
	{
		KeyBucket  *bucket = &largest->buckets[i];
		ItemPointerData sample;
		Datum		values[5];
		bool		nulls[5] = {false};

		CHECK_FOR_INTERRUPTS();
		nulls[0] = largest->passages;
		nulls[3] = !find_sample(bucket, &sample);
		values[0] = Int32GetDatum(band_of_key(bucket->key));
		values[1] = Int64GetDatum(largest->passages ?
								  lsh_passage_of_key(bucket->key) :
								  (int64) bucket->key);
		values[2] = Int64GetDatum(bucket->entries);
		values[3] = PointerGetDatum(&sample);
		values[4] = ObjectIdGetDatum(bucket->table);
		tuplestore_putvalues(rows, desc, values, nulls);
	}
}

/* SQL function: the largest buckets of an index. */
PG_FUNCTION_INFO_V1(lsh_index_buckets);
Datum
lsh_index_buckets(PG_FUNCTION_ARGS)
{
	List	   *parts = lsh_index_parts(PG_GETARG_OID(0));
	int			max = PG_GETARG_INT32(1);
	LargestBuckets largest = {.max = max};
	TupleDesc	desc;
	Tuplestorestate *rows = begin_rows(fcinfo, &desc);
	ListCell   *cell;

	check_count(max, MAX_BUCKETS, "max_buckets");
	largest.buckets = palloc(sizeof(KeyBucket) * max);
	foreach(cell, parts)
	{
		AttrNumber	column;
		Relation	index = lsh_open_index(lfirst_oid(cell), &column);

		largest.passages = lsh_is_lsh_index(index) && lsh_holds_passages(index);
		visit_buckets(index, column, keep_largest, &largest);
		relation_close(index, AccessShareLock);
	}
	put_buckets(rows, desc, &largest);
	return (Datum) 0;
}
