/*-------------------------------------------------------------------------
 *
 * lsh_search.c
 *	  Index scans of an lsh index.
 *
 * A scan starts a search with its first row.  The search looks up the bands of
 * its plan, collects the numbers of the records that enough of them lead to,
 * and compares these candidates, page by page.  It makes a pass over all
 * records instead if the plan is to compare all, if no condition has bands, or
 * if the bands lead to more than MOST_ENTRIES entries for each page of the
 * index.  The result is the same, because conditions_filter() decides in both
 * cases (see core/bands/bands.c).  A search for passages looks up all keys of
 * its text.
 *
 * An ordered scan returns the batches of lsh_nearest.c, each of which takes a
 * pass over all candidates or records, and then the rows that are NULL.
 *
 * Rows that a search returns are similar and need not be rechecked, except
 * - for passages, since the index does not have the texts;
 * - for a snapshot that is not MVCC: VACUUM may have given the TID of a heap
 *   tuple to another one before the executor fetches it;
 * - if the value of a condition is of another kind than the index: all rows are
 *   returned, and the operator fails at the first that is visible, as in a
 *   sequential scan;
 * - if the setting has changed since the scan started: a condition may follow
 *   it, and in a sequential scan each row obeys that of the moment.  A bitmap
 *   is complete before its first row is fetched, so its rows are always
 *   rechecked.
 *
 * VACUUM may recycle a record number while a search holds it.  The search then
 * compares the new record, whose heap tuple its snapshot cannot see.
 *
 * Distances are never rechecked, not even by a value of another kind.  The
 * executor would recheck them before the filters of the scan, and <-> would fail
 * at rows that these remove.  So such a scan returns all rows, in any order and
 * without distances.  <-> fails where the plan computes it for its output, at the
 * first row that passes the filters, as in a sequential scan.
 *
 * A search holds no lock and no pin between calls.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relscan.h"
#include "nodes/tidbitmap.h"
#include "pgstat.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "core/passages/winnow.h"
#include "lsh.h"
#include "passages/passage_query.h"
#include "search/similar.h"
#include "support/settings.h"

#define MOST_ENTRIES 2			/* per page of the index, to read by bands */

/* A scan, and the search that it has started. */
typedef struct LshSearch
{
	MemoryContext context;		/* of the search; reset by rescans */
	bool		started;
	double		threshold;		/* the setting when it started */
	Relation	index;
	Snapshot	snapshot;		/* NULL, or the one for which pages are read */
	LshLayout	layout;
	int			condition_count;
	Condition  *conditions;		/* of signatures */
	bool		nothing;		/* no record meets the conditions, because one
								 * is NULL or the index has no record */
	bool		unverified;		/* the server must recheck the rows found */
	LshPass		pass;			/* over the candidates, or all records */
	BlockNumber next_nulls;		/* page of NULLs, or InvalidBlockNumber */

	LshNearest *nearest;		/* NULL if there is no order */
	int			count;			/* rows found on the page */
	int			next;			/* index in tids of the next row to return */
	ItemPointerData tids[BLCKSZ / sizeof(ItemPointerData)];
} LshSearch;

/*** Conditions ***/

/*
 * Read the conditions up to the first that is NULL, without copying the
 * signatures.
 */
static void
read_scan_conditions(LshSearch *search, ScanKey keys)
{
	search->conditions = palloc(sizeof(Condition) * search->condition_count);
	for (int i = 0; i < search->condition_count; i++)
	{
		const BandPlan *plan;
		const MinHash *sig;

		search->nothing |= (keys[i].sk_flags & SK_ISNULL) != 0;
		if (search->nothing)
			return;
		sig = minhash_scan_query(keys[i].sk_argument, keys[i].sk_strategy,
								 &plan);
		condition_init(&search->conditions[i],
					   palloc(plane_query_size(sig->num_hashes)), sig->slots,
					   sig->num_hashes, sig->method, plan);
		search->unverified |= !minhash_is_of_kind(sig, &search->layout.kind);
	}
}

/* Read the signature by whose distance the rows are ordered. */
static void
read_order(LshSearch *search, ScanKey order)
{
	const MinHash *target = (order->sk_flags & SK_ISNULL) ? NULL :
		DatumGetMinHash(order->sk_argument);

	search->unverified |= target != NULL &&
		!minhash_is_of_kind(target, &search->layout.kind);
	if (!search->unverified)
		search->nearest = lsh_nearest_create(&search->layout, target);
}

/*** Candidates ***/

/*
 * Collect the records that agree in enough bands with the condition that has the
 * deepest bands, since these lead to the fewest records.  Return false if all
 * records have to be compared, because no condition has bands, or because they
 * lead to too many entries.
 */
static bool
look_up_signatures(LshSearch *search, IndexScanDesc scan)
{
	const Condition *best = NULL;

	read_scan_conditions(search, scan->keyData);
	if (scan->numberOfOrderBys > 0)
		read_order(search, scan->orderByData);
	if (search->unverified || search->nothing)
		return false;
	for (int i = 0; i < search->condition_count; i++)
	{
		const Condition *condition = &search->conditions[i];

		if (!condition->plan.compare_all &&
			(best == NULL || condition->plan.rows > best->plan.rows))
			best = condition;
	}
	return best != NULL &&
		lsh_tree_collect(search->index, search->snapshot, best->keys,
						 best->key_count, best->rest, best->plan.agreeing,
						 MOST_ENTRIES * (Size) RelationGetNumberOfBlocks(search->index),
						 &search->pass.numbers);
}

/*
 * Collect the records that can share a passage with the texts of all
 * conditions: by the condition with the fewest.  Return false if that is all
 * records, because the keys of the index do not find the run of any condition.
 */
static bool
look_up_passages(LshSearch *search, IndexScanDesc scan)
{
	bool		known = false;
	const LshLayout *layout = &search->layout;

	search->unverified = true;
	for (int i = 0; i < search->condition_count; i++)
	{
		LshNumbers	found = {NULL, 0, 0};
		ScanKey		key = &scan->keyData[i];
		PassageQuery query;
		uint64	   *keys;
		Size		count;

		if ((key->sk_flags & SK_ISNULL) ||
			!passage_query_read(key->sk_argument, true, &query))
		{
			search->nothing = true;
			return true;
		}
		if (!winnow_covers(layout->kind.shingling, query.seed))
			continue;
		keys = lsh_keys(search->index, layout, NULL,
						PointerGetDatum(query.document), &count);
		lsh_tree_collect(search->index, search->snapshot, keys, count,
						 lsh_fragment_end(0, layout->key_floor), 1, SIZE_MAX,
						 &found);
		pfree(keys);
		if (!known || found.count < search->pass.numbers.count)
			search->pass.numbers = found;
		known = true;
	}
	return known;
}

/*
 * Begin the search of a scan for the rows that meet all conditions: find the
 * candidates, or begin a pass over all records.  If there is an order, the search
 * collects the rows in search->nearest.
 *
 * If a value is of another kind than the index, unverified is set, all rows
 * are found, and nearest is NULL; the operators, when the server computes them,
 * raise an error at the first visible row.  In an index of passages, unverified is
 * always set, and all rows that can meet the conditions are found.
 */
static void
start_search(LshSearch *search, IndexScanDesc scan)
{
	Relation	index = scan->indexRelation;

	search->index = index;
	search->snapshot = scan->xs_snapshot;
	search->threshold = lshsim_similarity_threshold;
	search->condition_count = scan->numberOfKeys;
	search->next_nulls =
		lsh_meta_read(index, search->snapshot, &search->layout).first_nulls;
	search->nothing = !lsh_layout_is_known(&search->layout);
	if (!(search->layout.content == LSH_PASSAGES ?
		  look_up_passages(search, scan) : look_up_signatures(search, scan)) &&
		!search->nothing)
		lsh_pass_all(index, &search->pass);
	search->started = true;
}

/*** Records ***/

/*
 * Keep the rows of the records on a page of the pass that meet the conditions: in
 * tids, or in the batch of search->nearest.
 */
static void
examine(LshSearch *search, Page page)
{
	const LshLayout *layout = &search->layout;
	BlockNumber block = search->pass.block;
	uint16	   *places = search->pass.places;
	int			count = search->pass.count;
	Planes		planes = lsh_record_planes(layout, page, 0);

	if (!search->unverified && search->condition_count > 0)
		count = conditions_filter(search->conditions, search->condition_count,
								  &planes, layout->plane_size,
								  layout->rest_size, count, places);
	if (search->nearest != NULL)
		lsh_nearest_add(search->nearest, search->index, page, block, count,
						places);
	else
		for (int i = 0; i < count; i++)
			if (lsh_record_is_used(page, places[i]))
				search->tids[search->count++] =
					lsh_record_tid(search->index, layout, page, block, places[i]);
}

/*
 * Search the next page of records.  Put the TIDs of the rows that meet the
 * conditions into tids and their number into count, or add the rows to the
 * batch of search->nearest.  Return false if no page is left.
 */
static bool
search_page(LshSearch *search)
{
	Buffer		buffer;

	if (search->nothing)
		return false;
	buffer = lsh_pass_next(search->index, &search->layout, &search->pass);
	if (!BufferIsValid(buffer))
		return false;
	compat_test_snapshot(search->snapshot, search->index, BufferGetPage(buffer));
	examine(search, BufferGetPage(buffer));
	UnlockReleaseBuffer(buffer);
	return true;
}

/* Put the next rows of an ordered scan into tids; return false at the end. */
static bool
search_nearest(LshSearch *search)
{
	LshNearest *nearest = search->nearest;

	while ((search->count = lsh_nearest_fetch(nearest, search->tids,
											  lengthof(search->tids))) == 0)
	{
		if (!lsh_nearest_begin(nearest))
			return false;
		search->pass.next = 0;
		while (search_page(search))
			;
	}
	return true;
}

/*
 * Put the next page of rows that are NULL into tids; return false if none is
 * left.  Since they meet no condition, a search with conditions has none.
 */
static bool
search_nulls(LshSearch *search)
{
	Buffer		buffer;
	Page		page;

	CHECK_FOR_INTERRUPTS();
	if (search->next_nulls == InvalidBlockNumber || search->condition_count > 0)
		return false;
	buffer = lsh_read(search->index, search->next_nulls, BUFFER_LOCK_SHARE,
					  LSH_NULLS, NULL);
	page = BufferGetPage(buffer);
	compat_test_snapshot(search->snapshot, search->index, page);
	search->count = lsh_nulls_count(page);
	memcpy(search->tids, LshTids(page), sizeof(ItemPointerData) * search->count);
	for (int i = 0; i < search->count; i++)
		lsh_check_tid(search->index, search->next_nulls, &search->tids[i]);
	search->next_nulls = LshHead(page)->right;
	UnlockReleaseBuffer(buffer);
	return true;
}

/*** Scans ***/

/* Prepare a scan. */
IndexScanDesc
lsh_begin_scan(Relation index, int nkeys, int norderbys)
{
	IndexScanDesc scan = RelationGetIndexScan(index, nkeys, norderbys);
	LshSearch  *search = palloc0(sizeof(LshSearch));

	if (norderbys > 1)
		elog(ERROR, "an lsh index cannot order rows by several distances");
	search->context = AllocSetContextCreate(CurrentMemoryContext, "lsh scan",
											ALLOCSET_DEFAULT_SIZES);
	scan->opaque = search;
	return scan;
}

/* Discard the search of a scan, if it has started. */
static void
reset_search(LshSearch *search)
{
	MemoryContext context = search->context;

	MemoryContextReset(context);
	memset(search, 0, offsetof(LshSearch, tids));
	search->context = context;
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
	reset_search(scan->opaque);
}

/* Start a scan, unless it has been started. */
static void
ensure_started(IndexScanDesc scan)
{
	LshSearch  *search = scan->opaque;
	MemoryContext old;

	if (search->started)
		return;

	/*
	 * The cost of a scan that has neither is infinite, so the planner chooses
	 * it only if settings disable all other plans (in PostgreSQL 18, if
	 * enable_seqscan is off, for an OR of conditions one of which a partial
	 * index implies).
	 */
	if (scan->numberOfKeys == 0 && scan->numberOfOrderBys == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("index \"%s\" cannot be scanned without a condition or an order",
						RelationGetRelationName(scan->indexRelation)),
				 errdetail("An index of method lsh finds values that are similar to a given one, or share a passage with it."),
				 errhint("Set enable_seqscan to on.")));
	old = MemoryContextSwitchTo(search->context);
	start_search(search, scan);
	MemoryContextSwitchTo(old);
	pgstat_count_index_scan(scan->indexRelation);
	compat_count_search(scan);
}

/* Find the next rows: those that are NULL come last; return false at the end. */
static bool
find_next_rows(LshSearch *search)
{
	while (search->next == search->count)
	{
		search->next = search->count = 0;
		if (!(search->nearest != NULL ? search_nearest(search) : search_page(search)) &&
			!search_nulls(search))
			return false;
	}
	return true;
}

/* Return the next row. */
bool
lsh_get_tuple(IndexScanDesc scan, ScanDirection direction)
{
	LshSearch  *search = scan->opaque;

	Assert(ScanDirectionIsForward(direction));
	ensure_started(scan);
	scan->xs_recheck = search->unverified || scan->xs_snapshot == NULL ||
		!IsMVCCSnapshot(scan->xs_snapshot) ||
		search->threshold != lshsim_similarity_threshold;
	scan->xs_recheckorderby = false;
	if (!find_next_rows(search))
		return false;
	scan->xs_heaptid = search->tids[search->next++];
	return true;
}

/* Add all rows to a bitmap, and return their number. */
int64
lsh_get_bitmap(IndexScanDesc scan, TIDBitmap *bitmap)
{
	LshSearch  *search = scan->opaque;
	int64		rows = 0;

	ensure_started(scan);
	while (find_next_rows(search))
	{
		tbm_add_tuples(bitmap, search->tids, search->count, true);
		rows += search->count;
		search->next = search->count;
	}
	return rows;
}

/* End a scan. */
void
lsh_end_scan(IndexScanDesc scan)
{
	LshSearch  *search = scan->opaque;

	reset_search(search);
	MemoryContextDelete(search->context);
	pfree(search);
}
