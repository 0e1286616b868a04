/*-------------------------------------------------------------------------
 *
 * lsh_index.c
 *	  Tell what a GIN index of signatures holds.
 *
 * The leaf pages of the entry tree are read from left to right; they name
 * every key once, with a list of its rows or the root of a tree of them.
 * Rows on the pending list are only counted.
 *
 * The numbers tell of rows, also of rows that are deleted but not vacuumed,
 * so they are for those who may read the whole table.
 *
 * Of a partitioned index, those of the partitions are read one by one, and
 * every row that is returned names the table that it tells of.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/gin_private.h"
#include "access/relation.h"
#include "catalog/index.h"
#include "catalog/pg_am.h"
#include "catalog/pg_inherits.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/tuplestore.h"

#include "core/bands.h"
#include "lsh_index.h"
#include "minhash_gin.h"
#include "support/arguments.h"

#define MAX_BUCKETS 10000		/* more than anybody reads */

/* A key of the index, and who has it. */
typedef struct Bucket
{
	uint64		key;
	int64		entries;
	Oid			table;
	ItemPointerData sample;		/* one of its rows */
} Bucket;

/* What is done with a bucket. */
typedef void (*BucketVisitor) (const Bucket *bucket, void *arg);

/* Find the column of an index that holds signatures; 0 if there is none. */
static AttrNumber
signature_column(Relation index)
{
	if ((index->rd_rel->relkind != RELKIND_INDEX &&
		 index->rd_rel->relkind != RELKIND_PARTITIONED_INDEX) ||
		index->rd_rel->relam != GIN_AM_OID)
		return 0;
	for (AttrNumber column = 1; column <= index->rd_att->natts; column++)
		if (index_getprocinfo(index, column, GIN_EXTRACTVALUE_PROC)->fn_addr ==
			minhash_gin_extract_value)
			return column;
	return 0;
}

/* Refuse those who may not read the whole table of an index. */
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

/*
 * Open an index of signatures that the user may look into.
 *
 * The table is locked first, as by everybody else, until the transaction ends.
 * What the user may do may have changed when the lock has been waited for.
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
				 errmsg("\"%s\" is not a GIN index of minhash signatures",
						RelationGetRelationName(index)),
				 errhint("Create one with CREATE INDEX ... USING gin (signature).")));
	if (!index->rd_index->indisvalid)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("index \"%s\" is not valid",
						RelationGetRelationName(index)),
				 errhint("Build it with REINDEX INDEX.")));
	if (RELATION_IS_OTHER_TEMP(index))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot access temporary indexes of other sessions")));
	return index;
}

/*
 * List the indexes of the partitions below an index of signatures, or only
 * itself if it is not partitioned.
 */
List *
lsh_index_parts(Oid index_oid)
{
	AttrNumber	column;
	Relation	index = lsh_open_index(index_oid, &column);
	List	   *parts = NIL;
	ListCell   *cell;

	foreach(cell, find_all_inheritors(index_oid, NoLock, NULL))
	{
		if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_INDEX)
			parts = lappend_oid(parts, lfirst_oid(cell));
	}
	relation_close(index, AccessShareLock);
	return parts;
}

/* Copy a page of an index. */
static void
copy_page(Relation index, BlockNumber block, char *copy)
{
	Buffer		buffer = ReadBuffer(index, block);

	CHECK_FOR_INTERRUPTS();
	LockBuffer(buffer, GIN_SHARE);
	memcpy(copy, BufferGetPage(buffer), BLCKSZ);
	UnlockReleaseBuffer(buffer);
}

/* Read the leftmost leaf of a posting tree, locked. */
static Buffer
first_posting_leaf(Relation index, BlockNumber root)
{
	BlockNumber block = root;

	for (;;)
	{
		Buffer		buffer = ReadBuffer(index, block);
		Page		page;

		LockBuffer(buffer, GIN_SHARE);
		page = BufferGetPage(buffer);
		if (GinPageIsLeaf(page))
			return buffer;
		block = PostingItemGetBlockNumber(GinDataPageGetPostingItem(page,
																	FirstOffsetNumber));
		UnlockReleaseBuffer(buffer);
	}
}

/* Count the rows of a posting tree. */
static void
count_posting_tree(Relation index, BlockNumber root, Bucket *bucket)
{
	Buffer		buffer = first_posting_leaf(index, root);

	for (;;)
	{
		Page		page = BufferGetPage(buffer);
		ItemPointerData from_start;
		ItemPointer rows;
		int			count = 0;

		ItemPointerSetMin(&from_start);
		if (!GinPageIsDeleted(page))
		{
			rows = GinDataLeafPageGetItems(page, &count, from_start);
			if (count > 0 && bucket->entries == 0)
				bucket->sample = rows[0];
			bucket->entries += count;
			if (rows != NULL)	/* VACUUM can leave an empty page */
				pfree(rows);
		}
		if (GinPageRightMost(page))
			break;
		buffer = ginStepRight(buffer, index, GIN_SHARE);
		/* Interrupts are held off while a page is locked. */
		LockBuffer(buffer, GIN_UNLOCK);
		CHECK_FOR_INTERRUPTS();
		LockBuffer(buffer, GIN_SHARE);
	}
	UnlockReleaseBuffer(buffer);
}

/* Read a bucket from its tuple in the entry tree. */
static void
read_bucket(Relation index, GinState *state, AttrNumber column,
			IndexTuple tuple, Bucket *bucket)
{
	if (GinIsPostingTree(tuple))
		count_posting_tree(index, GinGetPostingTree(tuple), bucket);
	else
	{
		int			count;
		ItemPointer rows = ginReadTuple(state, column, tuple, &count);

		bucket->entries = count;
		if (count > 0)
			bucket->sample = rows[0];
		pfree(rows);
	}
}

/* Show the buckets on a leaf page of the entry tree to a visitor. */
static void
visit_leaf(Relation index, GinState *state, AttrNumber column, Page page,
		   BucketVisitor visit, void *arg)
{
	OffsetNumber last = PageGetMaxOffsetNumber(page);

	for (OffsetNumber i = FirstOffsetNumber; i <= last; i++)
	{
		IndexTuple	tuple = (IndexTuple) PageGetItem(page,
													 PageGetItemId(page, i));
		Bucket		bucket = {.table = index->rd_index->indrelid};
		GinNullCategory category;
		Datum		key;

		if (gintuple_get_attrnum(state, tuple) != column)
			continue;
		key = gintuple_get_key(state, tuple, &category);
		bucket.key = category == GIN_CAT_NORM_KEY ?
			(uint64) DatumGetInt64(key) : 0;
		if (category != GIN_CAT_NORM_KEY ||
			band_of_key(bucket.key) >= BAND_MAX)
			continue;			/* NULL, or a kind */
		read_bucket(index, state, column, tuple, &bucket);
		if (bucket.entries > 0)
			visit(&bucket, arg);
	}
}

/* Show all buckets of an index to a visitor, in the order of their keys. */
static void
visit_buckets(Relation index, AttrNumber column, BucketVisitor visit, void *arg)
{
	PGAlignedBlock copy;
	Page		page = (Page) copy.data;
	BlockNumber block = GIN_ROOT_BLKNO;
	GinState	state;

	initGinState(&state, index);
	copy_page(index, block, copy.data);
	while (!GinPageIsLeaf(page))
	{
		IndexTuple	tuple = (IndexTuple) PageGetItem(page,
													 PageGetItemId(page, FirstOffsetNumber));

		block = GinGetDownlink(tuple);
		copy_page(index, block, copy.data);
	}
	for (;;)
	{
		visit_leaf(index, &state, column, page, visit, arg);
		block = GinPageGetOpaque(page)->rightlink;
		if (block == InvalidBlockNumber)
			break;
		copy_page(index, block, copy.data);
	}
}

/* The numbers that lsh_index_stats returns. */
typedef struct IndexTotals
{
	int64		keys;
	int64		entries;
	int64		largest;
} IndexTotals;

/* Count a bucket. */
static void
count_bucket(const Bucket *bucket, void *arg)
{
	IndexTotals *totals = arg;

	totals->keys++;
	totals->entries += bucket->entries;
	totals->largest = Max(totals->largest, bucket->entries);
}

/* Count the rows on the pending list. */
static int64
count_pending(Relation index)
{
	PGAlignedBlock copy;

	copy_page(index, GIN_METAPAGE_BLKNO, copy.data);
	return GinPageGetMeta((Page) copy.data)->nPendingHeapTuples;
}

/* Prepare to return a set of rows all at once. */
Tuplestorestate *
lsh_begin_rows(FunctionCallInfo fcinfo, TupleDesc *desc)
{
	ReturnSetInfo *info = (ReturnSetInfo *) fcinfo->resultinfo;
	TupleDesc	type;
	MemoryContext old;

	if (info == NULL || !IsA(info, ReturnSetInfo) ||
		(info->allowedModes & SFRM_Materialize) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("set-valued function called in context that cannot accept a set")));
	if (get_call_result_type(fcinfo, NULL, &type) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	/* What else that leaves behind is not kept until the query ends. */
	old = MemoryContextSwitchTo(info->econtext->ecxt_per_query_memory);
	*desc = CreateTupleDescCopy(type);
	info->returnMode = SFRM_Materialize;
	info->setResult = tuplestore_begin_heap(true, false, work_mem);
	info->setDesc = *desc;
	MemoryContextSwitchTo(old);
	return info->setResult;
}

/* Return the row that tells how many keys and entries an index has. */
static void
put_stats(Tuplestorestate *rows, TupleDesc desc, Oid index_oid)
{
	AttrNumber	column;
	Relation	index = lsh_open_index(index_oid, &column);
	IndexTotals totals = {0};
	Datum		values[5];
	bool		nulls[5] = {false};

	visit_buckets(index, column, count_bucket, &totals);
	values[0] = Int64GetDatum(totals.keys);
	values[1] = Int64GetDatum(totals.entries);
	values[2] = Int64GetDatum(totals.largest);
	values[3] = Int64GetDatum(count_pending(index));
	values[4] = ObjectIdGetDatum(index->rd_index->indrelid);
	relation_close(index, AccessShareLock);
	tuplestore_putvalues(rows, desc, values, nulls);
}

/* Tell how many keys and entries an index of signatures has. */
PG_FUNCTION_INFO_V1(lsh_index_stats);
Datum
lsh_index_stats(PG_FUNCTION_ARGS)
{
	List	   *parts = lsh_index_parts(PG_GETARG_OID(0));
	TupleDesc	desc;
	Tuplestorestate *rows = lsh_begin_rows(fcinfo, &desc);
	ListCell   *cell;

	foreach(cell, parts)
		put_stats(rows, desc, lfirst_oid(cell));
	return (Datum) 0;
}

/* The largest buckets seen so far, the largest first. */
typedef struct LargestBuckets
{
	int			count;
	int			max;
	Bucket	   *buckets;
} LargestBuckets;

/* Keep a bucket if it is among the largest. */
static void
keep_largest(const Bucket *bucket, void *arg)
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

/* Return a row for each of the largest buckets. */
static void
put_buckets(Tuplestorestate *rows, TupleDesc desc, const LargestBuckets *largest)
{
	for (int i = 0; i < largest->count; i++)
	{
		Bucket	   *bucket = &largest->buckets[i];
		Datum		values[5];
		bool		nulls[5] = {false};

		values[0] = Int32GetDatum(band_of_key(bucket->key));
		values[1] = Int64GetDatum((int64) bucket->key);
		values[2] = Int64GetDatum(bucket->entries);
		values[3] = PointerGetDatum(&bucket->sample);
		values[4] = ObjectIdGetDatum(bucket->table);
		tuplestore_putvalues(rows, desc, values, nulls);
	}
}

/* Return the keys of an index that most rows have. */
PG_FUNCTION_INFO_V1(lsh_index_buckets);
Datum
lsh_index_buckets(PG_FUNCTION_ARGS)
{
	List	   *parts = lsh_index_parts(PG_GETARG_OID(0));
	int			max = PG_GETARG_INT32(1);
	LargestBuckets largest = {.max = max};
	TupleDesc	desc;
	Tuplestorestate *rows = lsh_begin_rows(fcinfo, &desc);
	ListCell   *cell;

	if (max < 1 || max > MAX_BUCKETS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid number of buckets: %d", max),
				 errdetail("The number of buckets must be between 1 and %d.",
						   MAX_BUCKETS)));
	largest.buckets = palloc(sizeof(Bucket) * max);
	foreach(cell, parts)
	{
		AttrNumber	column;
		Relation	index = lsh_open_index(lfirst_oid(cell), &column);

		visit_buckets(index, column, keep_largest, &largest);
		relation_close(index, AccessShareLock);
	}
	put_buckets(rows, desc, &largest);
	return (Datum) 0;
}
