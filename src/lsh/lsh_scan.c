/*-------------------------------------------------------------------------
 *
 * lsh_scan.c
 *	  Search an lsh index.
 *
 * A search looks up the bands of its plan, collects the numbers of records
 * that have one of them, and compares those records, page by page.  Where the
 * plan is to compare all, or the bands would lead to a large part of the
 * records anyway, all of them are looked at: the answer is the same, since it
 * is the same comparison that decides.  Most are rejected by their planes (see
 * core/planes.c).
 *
 * So what is returned is similar, and need not be checked again, except
 * - for a snapshot that is not MVCC: VACUUM may have given the TID of a row
 *   to another one before the row is fetched;
 * - if the search is of another kind than the index: then all rows are
 *   returned, and the operator refuses the first one that is visible, as it
 *   would in a sequential scan.
 *
 * A record that is removed and whose number is used again while a scan holds
 * the number is compared as what it is then; its row is too new to be seen.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/tidbitmap.h"
#include "pgstat.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "lsh_am.h"
#include "lsh_cache.h"
#include "lsh_scan.h"
#include "lsh_sort.h"
#include "search/minhash_gin.h"
#include "search/similar.h"

#define FETCH_AHEAD 6			/* candidates */
#define MOST_ENTRIES 2			/* that a look-up may find, for each page */

/*** Conditions ***/

/* Read a condition; the search it is for stays as the executor has it. */
static void
read_condition(ScanKey key, LshCondition *condition)
{
	const BandPlan *plan;

	condition->sig = minhash_scan_query(key->sk_argument, key->sk_strategy,
										&plan);
	condition->plan = *plan;
}

/* Tell whether a search cannot be compared with what the index holds. */
static bool
is_unlike(const LshLayout *layout, const MinHash *sig)
{
	return layout->kind.num_hashes != 0 && !lsh_same_kind(layout, sig);
}

/* Read the conditions of a scan. */
static void
read_conditions(IndexScanDesc scan)
{
	LshScan    *lsh = scan->opaque;

	lsh->condition_count = scan->numberOfKeys;
	lsh->conditions = palloc0(sizeof(LshCondition) *
							  Max(scan->numberOfKeys, 1));
	for (int i = 0; i < scan->numberOfKeys; i++)
	{
		LshCondition *condition = &lsh->conditions[i];

		if (scan->keyData[i].sk_flags & SK_ISNULL)
		{
			lsh->nothing = true;
			return;
		}
		read_condition(&scan->keyData[i], condition);
		lsh->unlike |= is_unlike(&lsh->layout, condition->sig);
		plane_query_init(&condition->query,
						 palloc(plane_query_size(condition->sig->num_hashes)),
						 condition->sig->slots, condition->sig->num_hashes,
						 condition->sig->method, condition->plan.threshold);
	}
}

/* Read the signatures by whose distance the rows are ordered. */
static void
read_order(IndexScanDesc scan)
{
	LshScan    *lsh = scan->opaque;
	const MinHash **targets = palloc0(sizeof(MinHash *) *
									  scan->numberOfOrderBys);

	for (int i = 0; i < scan->numberOfOrderBys; i++)
	{
		if (scan->orderByData[i].sk_flags & SK_ISNULL)
			continue;
		targets[i] = DatumGetMinHash(scan->orderByData[i].sk_argument);
		lsh->unlike |= is_unlike(&lsh->layout, targets[i]);
	}
	lsh->order = lsh_order_begin(scan, targets);
}

/*** Candidates ***/

/* Choose the condition that the bands are looked up for; NULL if none can be. */
static const LshCondition *
best_condition(const LshScan *lsh)
{
	const LshCondition *best = NULL;

	for (int i = 0; i < lsh->condition_count; i++)
	{
		const LshCondition *condition = &lsh->conditions[i];

		if (!condition->plan.compare_all &&
			(best == NULL || condition->plan.rows > best->plan.rows))
			best = condition;
	}
	return best;
}

/*
 * Look up the bands of a condition, and keep the records that enough of them
 * lead to.  False if they are so many that it is cheaper to look at all.
 */
static bool
look_up(Relation index, LshScan *lsh, const LshCondition *condition)
{
	const MinHash *sig = condition->sig;
	int			rows = condition->plan.rows;
	uint64		rest = ~band_mask(rows);
	LshNumbers *found = &lsh->candidates;
	uint64		keys[BAND_MAX];

	if (slots_are_empty(sig->slots, sig->num_hashes))
		return true;			/* it has no bands */
	for (int i = 0; i < condition->plan.bands; i++)
	{
		keys[i] = band_key(sig->slots, sig->num_hashes,
						   plan_band(&condition->plan, i), rows);
		lsh_fetch_leaf(index, keys[i]);
	}
	for (int i = 0; i < condition->plan.bands; i++)
	{
		lsh_tree_collect(index, lsh->snapshot, keys[i], keys[i] | rest,
						 found);
		if (found->count > (Size) lsh->blocks * MOST_ENTRIES)
			return false;
	}
	found->count = lsh_sort_numbers(found->numbers, found->count,
									condition->plan.matches);
	for (Size i = 0; i < Min(found->count, FETCH_AHEAD); i++)
		lsh_fetch_record(index, &lsh->layout, found->numbers[i]);
	return true;
}

/*
 * Refuse a scan that has neither condition nor order: its cost is infinite,
 * so only settings can bring it about (in PostgreSQL 18, where enable_seqscan
 * is off, for an OR of conditions one of which a partial index stands for).
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

/* Begin a scan: find the candidates, or decide to look at all records. */
void
lsh_scan_start(IndexScanDesc scan)
{
	Relation	index = scan->indexRelation;
	LshScan    *lsh = scan->opaque;
	MemoryContext old = MemoryContextSwitchTo(lsh->context);
	const LshCondition *best;
	Buffer		meta;

	check_purpose(scan);
	lsh->snapshot = scan->xs_snapshot;
	meta = lsh_read(index, LSH_META_BLOCK, BUFFER_LOCK_SHARE, LSH_META);
	lsh_test_snapshot(lsh->snapshot, index, BufferGetPage(meta));
	lsh_layout_read(index, BufferGetPage(meta), &lsh->layout);
	lsh->next_nulls = LshPageMeta(BufferGetPage(meta))->first_nulls;
	UnlockReleaseBuffer(meta);
	lsh->blocks = RelationGetNumberOfBlocks(index);
	read_conditions(scan);
	if (scan->numberOfOrderBys > 0)
		read_order(scan);
	best = lsh->unlike || lsh->nothing ? NULL : best_condition(lsh);
	lsh->walks = best == NULL || !look_up(index, lsh, best);
	if (lsh->walks)
		lsh_cache_prepare(index);
	lsh_scan_restart(lsh);
	lsh->started = true;
	pgstat_count_index_scan(index);
	MemoryContextSwitchTo(old);
}

/* Go back to the first candidate. */
void
lsh_scan_restart(LshScan *lsh)
{
	lsh->next_candidate = 0;
	lsh->count = 0;
	lsh->next = 0;
	lsh_walk_begin(&lsh->walk);
}

/*** Records ***/

/* Tell whether the planes of a record rule it out. */
static inline bool
is_ruled_out(const LshScan *lsh, const Planes *planes)
{
	for (int i = 0; i < lsh->condition_count; i++)
		if (!planes_may_be_similar(&lsh->conditions[i].query, planes))
			return true;
	return false;
}

/* Tell whether a record meets all conditions. */
static bool
is_match(const LshScan *lsh, const Planes *planes)
{
	const LshLayout *layout = &lsh->layout;
	uint16		slots[SKETCH_MAX_HASHES];

	planes_join(planes, layout->kind.num_hashes, layout->kind.method, slots);
	for (int i = 0; i < lsh->condition_count; i++)
		if (!slots_are_similar(slots, lsh->conditions[i].sig->slots,
							   layout->kind.num_hashes,
							   &lsh->conditions[i].plan))
			return false;
	return true;
}

/* Look at a record; keep it if it is found. */
static void
examine(LshScan *lsh, Page page, BlockNumber block, int place)
{
	const LshLayout *layout = &lsh->layout;
	Planes		planes = lsh_record_planes(layout, page, place);

	if (!lsh_record_is_used(page, place))
		return;
	if (!lsh->unlike && lsh->condition_count > 0 &&
		(is_ruled_out(lsh, &planes) || !is_match(lsh, &planes)))
		return;
	if (lsh->order != NULL && !lsh->unlike)
		lsh_order_add(lsh->order, &planes, &layout->kind,
					  lsh_number(layout, block, place),
					  lsh_record_tid(layout, page, place));
	else
		lsh->tids[lsh->count++] = lsh_record_tid(layout, page, place);
}

/* Read and lock a page of the store; InvalidBuffer if it has no rows for us. */
static Buffer
read_store(Relation index, LshScan *lsh, BlockNumber block)
{
	Buffer		buffer;
	Page		page;

	if (block >= lsh->blocks)
		lsh->blocks = RelationGetNumberOfBlocks(index);
	if (block < lsh->blocks)
	{
		buffer = lsh_pin_again(index, block);
		page = BufferGetPage(buffer);
		LockBuffer(buffer, BUFFER_LOCK_SHARE);
		lsh_test_snapshot(lsh->snapshot, index, page);
		if (LshHead(page)->type == LSH_STORE &&
			LshPageStore(page)->num_hashes == lsh->layout.kind.num_hashes)
		{
			lsh_page_check(index, buffer, LSH_STORE);
			return buffer;
		}
		if (LshHead(page)->type == LSH_STORE && lsh_store_is_empty(page))
		{
			UnlockReleaseBuffer(buffer);
			return InvalidBuffer;
		}
		UnlockReleaseBuffer(buffer);
	}
	if (!lsh_kind_has_changed(index, &lsh->layout))
		lsh_report_damage(index, block,
						  "It is not the page of records that it must be.");
	return InvalidBuffer;
}

/* Look at all records of a page. */
static void
examine_page(LshScan *lsh, Page page, BlockNumber block)
{
	const LshLayout *layout = &lsh->layout;
	Planes		planes = lsh_record_planes(layout, page, 0);
	int			count = layout->per_page;
	uint16		places[LSH_STORE_MAX];

	if (lsh->unlike)
		for (int place = 0; place < count; place++)
			places[place] = (uint16) place;
	else if (lsh->condition_count > 0)
		count = planes_filter(&lsh->conditions[0].query, &planes,
							  layout->plane_size, count, places);
	else
		count = lsh_order_filter(lsh->order, &planes, layout->plane_size,
								 count, places);
	for (int i = 0; i < count; i++)
		examine(lsh, page, block, places[i]);
}

/* Look at all records of the next page; false at the end. */
static bool
examine_next_page(Relation index, LshScan *lsh)
{
	BlockNumber block = lsh_walk_next(index, &lsh->walk);
	Buffer		buffer;

	if (block == InvalidBlockNumber)
		return false;
	if (lsh->walk.next < lsh->walk.count)
		lsh_fetch_planes(index, lsh->walk.blocks[lsh->walk.next]);
	buffer = read_store(index, lsh, block);
	if (!BufferIsValid(buffer))
		return true;
	examine_page(lsh, BufferGetPage(buffer), block);
	UnlockReleaseBuffer(buffer);
	return true;
}

/* Look at the candidates on one page; false if there are no more. */
static bool
examine_candidates(Relation index, LshScan *lsh)
{
	const LshNumbers *candidates = &lsh->candidates;
	BlockNumber block;
	Buffer		buffer;

	if (lsh->next_candidate == candidates->count)
		return false;
	block = lsh_number_block(&lsh->layout,
							 candidates->numbers[lsh->next_candidate]);
	if (lsh->next_candidate + FETCH_AHEAD < candidates->count)
		lsh_fetch_record(index, &lsh->layout,
						 candidates->numbers[lsh->next_candidate + FETCH_AHEAD]);
	buffer = read_store(index, lsh, block);
	while (lsh->next_candidate < candidates->count)
	{
		uint32		number = candidates->numbers[lsh->next_candidate];
		int			place = lsh_number_place(&lsh->layout, number);

		if (lsh_number_block(&lsh->layout, number) != block)
			break;
		lsh->next_candidate++;
		if (!BufferIsValid(buffer))
			continue;
		if (place >= lsh->layout.per_page)
			lsh_report_damage(index, block,
							  "An entry of the tree names a record beyond its end.");
		examine(lsh, BufferGetPage(buffer), block, place);
	}
	if (BufferIsValid(buffer))
		UnlockReleaseBuffer(buffer);
	return true;
}

/* Look at the next page of records; false at the end. */
bool
lsh_scan_page(IndexScanDesc scan)
{
	LshScan    *lsh = scan->opaque;

	CHECK_FOR_INTERRUPTS();
	lsh->count = 0;
	lsh->next = 0;
	if (lsh->nothing)
		return false;
	return lsh->walks ? examine_next_page(scan->indexRelation, lsh) :
		examine_candidates(scan->indexRelation, lsh);
}

/* Find the rows on the next page of NULLs, which meet no condition. */
bool
lsh_scan_nulls(IndexScanDesc scan)
{
	LshScan    *lsh = scan->opaque;
	Buffer		buffer;

	if (lsh->next_nulls == InvalidBlockNumber || lsh->condition_count > 0)
		return false;
	CHECK_FOR_INTERRUPTS();
	buffer = lsh_read(scan->indexRelation, lsh->next_nulls, BUFFER_LOCK_SHARE,
					  LSH_NULLS);
	lsh_test_snapshot(scan->xs_snapshot, scan->indexRelation,
					  BufferGetPage(buffer));
	lsh->count = lsh_nulls_count(BufferGetPage(buffer));
	lsh->next = 0;
	memcpy(lsh->tids, LshTids(BufferGetPage(buffer)),
		   sizeof(ItemPointerData) * lsh->count);
	lsh->next_nulls = LshHead(BufferGetPage(buffer))->right;
	UnlockReleaseBuffer(buffer);
	return true;
}

/*** The interface ***/

/* Tell whether the rows returned must be checked again. */
static bool
is_recheck(IndexScanDesc scan)
{
	LshScan    *lsh = scan->opaque;

	return lsh->unlike || scan->xs_snapshot == NULL ||
		!IsMVCCSnapshot(scan->xs_snapshot);
}

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

/* Begin a scan, or begin it again with other conditions. */
void
lsh_rescan(IndexScanDesc scan, ScanKey keys, int nkeys, ScanKey orderbys,
		   int norderbys)
{
	LshScan    *lsh = scan->opaque;

	if (keys != NULL && scan->numberOfKeys > 0)
		memmove(scan->keyData, keys, sizeof(ScanKeyData) * scan->numberOfKeys);
	if (orderbys != NULL && scan->numberOfOrderBys > 0)
		memmove(scan->orderByData, orderbys,
				sizeof(ScanKeyData) * scan->numberOfOrderBys);
	MemoryContextReset(lsh->context);
	lsh->started = false;
	lsh->nothing = false;
	lsh->unlike = false;
	lsh->order = NULL;
	memset(&lsh->candidates, 0, sizeof(lsh->candidates));
}

/* Find the next page with rows; false at the end. */
static bool
find_rows(IndexScanDesc scan)
{
	LshScan    *lsh = scan->opaque;

	while (lsh->next == lsh->count)
		if (!lsh_scan_page(scan) && !lsh_scan_nulls(scan))
			return false;
	return true;
}

/* Return the next row. */
bool
lsh_get_tuple(IndexScanDesc scan, ScanDirection direction)
{
	LshScan    *lsh = scan->opaque;

	Assert(ScanDirectionIsForward(direction));
	if (!lsh->started)
		lsh_scan_start(scan);
	scan->xs_recheck = is_recheck(scan);
	if (lsh->order != NULL && !lsh->unlike)
		return lsh_order_next(scan);
	if (!find_rows(scan))
		return false;
	scan->xs_heaptid = lsh->tids[lsh->next++];
	if (lsh->order != NULL)
	{
		/* No order is known, and there is none: the operator refuses. */
		scan->xs_recheckorderby = true;
		memset(scan->xs_orderbynulls, true,
			   sizeof(bool) * scan->numberOfOrderBys);
	}
	return true;
}

/* Add all rows to a bitmap, and return their number. */
int64
lsh_get_bitmap(IndexScanDesc scan, TIDBitmap *bitmap)
{
	LshScan    *lsh = scan->opaque;
	bool		recheck;
	int64		rows = 0;

	if (!lsh->started)
		lsh_scan_start(scan);
	recheck = is_recheck(scan);
	while (find_rows(scan))
	{
		tbm_add_tuples(bitmap, lsh->tids, lsh->count, recheck);
		rows += lsh->count;
		lsh->next = lsh->count;
	}
	return rows;
}

/* End a scan. */
void
lsh_end_scan(IndexScanDesc scan)
{
	LshScan    *lsh = scan->opaque;

	MemoryContextDelete(lsh->context);
	pfree(lsh);
}
