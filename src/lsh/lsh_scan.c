/*-------------------------------------------------------------------------
 *
 * lsh_scan.c
 *	  The access method's functions for index scans.
 *
 * A scan starts with its first row.  Rows that the search returns
 * (lsh_search.c) are similar and need not be rechecked, except
 * - for passages, since the index does not have the texts;
 * - for a snapshot that is not MVCC: VACUUM may have given the TID of a heap
 *   tuple to another one before the executor fetches it;
 * - if a value is of another kind than the index: all rows are returned, and
 *   the operator fails at the first that is visible, as in a sequential scan;
 * - if the setting has changed since the scan started: a condition may follow
 *   it, and in a sequential scan each row obeys that of the moment.  A bitmap is
 *   complete before its first row is fetched, so its rows are always rechecked.
 *
 * An ordered scan returns the batches of lsh_nearest.c, each of which takes a
 * pass over all candidates or records, and then the rows that are NULL.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relscan.h"
#include "nodes/tidbitmap.h"
#include "pgstat.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "lsh_am.h"
#include "lsh_search.h"
#include "support/settings.h"

typedef struct LshScan
{
	MemoryContext context;		/* reset by rescans */
	bool		started;
	double		threshold;		/* the setting when it started */
	LshSearch	search;
	int			next;			/* row of search.tids to return */
} LshScan;

/* Prepare a scan. */
IndexScanDesc
lsh_begin_scan(Relation index, int nkeys, int norderbys)
{
	IndexScanDesc scan = RelationGetIndexScan(index, nkeys, norderbys);
	LshScan    *lsh = palloc0(sizeof(LshScan));

	lsh->context = AllocSetContextCreate(CurrentMemoryContext, "lsh scan",
										 ALLOCSET_DEFAULT_SIZES);
	if (norderbys > 0)
	{
		scan->xs_orderbyvals = palloc0(sizeof(Datum) * norderbys);
		scan->xs_orderbynulls = palloc(sizeof(bool) * norderbys);
		memset(scan->xs_orderbynulls, true, sizeof(bool) * norderbys);
	}
	scan->opaque = lsh;
	return scan;
}

/* Discard the search of a scan, if it has started. */
static void
reset(LshScan *lsh)
{
	if (lsh->search.nearest != NULL)
		lsh_nearest_free(lsh->search.nearest);
	lsh->search.nearest = NULL;
	MemoryContextReset(lsh->context);
	lsh->started = false;
}

/* Begin a scan, or begin it again with other conditions. */
void
lsh_rescan(IndexScanDesc scan, ScanKey keys, int nkeys, ScanKey orderbys,
		   int norderbys)
{
	if (keys != NULL && scan->numberOfKeys > 0)
		memmove(scan->keyData, keys, sizeof(ScanKeyData) * scan->numberOfKeys);
	if (orderbys != NULL && scan->numberOfOrderBys > 0)
		memmove(scan->orderByData, orderbys,
				sizeof(ScanKeyData) * scan->numberOfOrderBys);
	reset(scan->opaque);
}

/*
 * Refuse a scan that has neither condition nor order: its cost is infinite,
 * so only settings can bring it about (in PostgreSQL 18, if enable_seqscan is
 * off, for an OR of conditions one of which a partial index implies).
 */
static void
check_purpose(IndexScanDesc scan)
{
	if (scan->numberOfKeys == 0 && scan->numberOfOrderBys == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("index \"%s\" cannot be scanned without a condition or an order",
						RelationGetRelationName(scan->indexRelation)),
				 errdetail("An index of method lsh finds signatures that are similar to others."),
				 errhint("Set enable_seqscan to on.")));
}

/* Start a scan. */
static void
start(IndexScanDesc scan)
{
	LshScan    *lsh = scan->opaque;
	MemoryContext old = MemoryContextSwitchTo(lsh->context);

	check_purpose(scan);
	lsh->threshold = lshsim_similarity_threshold;
	lsh->next = 0;
	lsh_search_start(&lsh->search, scan->indexRelation, scan->xs_snapshot,
					 scan->keyData, scan->numberOfKeys, scan->orderByData,
					 scan->numberOfOrderBys);
	lsh->started = true;
	pgstat_count_index_scan(scan->indexRelation);
	lsh_count_search(scan);
	MemoryContextSwitchTo(old);
}

/* Return true if the rows that are returned must be rechecked. */
static bool
needs_recheck(IndexScanDesc scan)
{
	LshScan    *lsh = scan->opaque;

	return lsh->search.unverified || scan->xs_snapshot == NULL ||
		!IsMVCCSnapshot(scan->xs_snapshot) ||
		lsh->threshold != lshsim_similarity_threshold;
}

/* Find the next page with rows; false at the end. */
static bool
find_rows(LshScan *lsh)
{
	while (lsh->next == lsh->search.count)
	{
		lsh->next = 0;
		if (!lsh_search_page(&lsh->search) && !lsh_search_nulls(&lsh->search))
			return false;
	}
	return true;
}

/* Pass the records to the next batch of an ordered scan. */
static void
load_batch(LshSearch *search)
{
	lsh_nearest_begin_batch(search->nearest);
	lsh_search_restart(search);
	while (lsh_search_page(search))
		;
	lsh_nearest_end_batch(search->nearest);
}

/* Return the next row whose distance is not NULL; false at the end. */
static bool
next_nearest(LshSearch *search, ItemPointer tid)
{
	while (!lsh_nearest_next(search->nearest, tid))
	{
		if (lsh_nearest_is_complete(search->nearest))
			return false;
		load_batch(search);
	}
	return true;
}

/* Return the next row. */
bool
lsh_get_tuple(IndexScanDesc scan, ScanDirection direction)
{
	LshScan    *lsh = scan->opaque;

	Assert(ScanDirectionIsForward(direction));
	if (!lsh->started)
		start(scan);
	scan->xs_recheck = needs_recheck(scan);
	/* In a scan for another kind, the operator must see each row, and fail. */
	scan->xs_recheckorderby = lsh->search.unverified;
	if (lsh->search.nearest != NULL &&
		next_nearest(&lsh->search, &scan->xs_heaptid))
		return true;
	if (!find_rows(lsh))
		return false;
	scan->xs_heaptid = lsh->search.tids[lsh->next++];
	return true;
}

/* Add all rows to a bitmap, and return their number. */
int64
lsh_get_bitmap(IndexScanDesc scan, TIDBitmap *bitmap)
{
	LshScan    *lsh = scan->opaque;
	int64		rows = 0;

	if (!lsh->started)
		start(scan);
	while (find_rows(lsh))
	{
		tbm_add_tuples(bitmap, lsh->search.tids, lsh->search.count, true);
		rows += lsh->search.count;
		lsh->next = lsh->search.count;
	}
	return rows;
}

/* End a scan. */
void
lsh_end_scan(IndexScanDesc scan)
{
	LshScan    *lsh = scan->opaque;

	reset(lsh);
	MemoryContextDelete(lsh->context);
	pfree(lsh);
}
