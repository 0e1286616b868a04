/*-------------------------------------------------------------------------
 *
 * lsh_search.c
 *	  Index scans of an lsh index.
 *
 * A scan starts a search with its first row.  The search looks up the bands of
 * its plan, collects the numbers of the records that enough of them lead to,
 * and compares these candidates, page by page.  It walks all records instead
 * if the plan is to compare all, if no condition has bands, or if the bands
 * lead to more than MOST_ENTRIES entries for each page of the index.  The
 * result is the same, because slots_are_similar() decides in both cases; the
 * planes of a record reject most of them (see core/sketch/planes.c).  A search
 * for passages looks up all keys of its text.
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
#include "miscadmin.h"
#include "nodes/tidbitmap.h"
#include "pgstat.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "core/passages/winnow.h"
#include "lsh.h"
#include "passages/passage_query.h"
#include "search/similar.h"
#include "support/settings.h"

#define PREFETCH_AHEAD 6		/* candidates to prefetch */
#define WALK_LINES 8			/* of the first planes of the next page; the
								 * hardware prefetcher continues from there */
#define MOST_ENTRIES 2			/* per page of the index, to read by bands */
#define FIRST_NUMBERS 65536		/* candidates before repetitions are removed */

/* A condition: similar to a signature. */
typedef struct LshCondition
{
	const MinHash *sig;
	BandPlan	plan;
	PlaneQuery	query;
} LshCondition;

/* The phases of a scan, in their order. */
typedef enum LshPhase
{
	SCAN_NOT_STARTED,
	SCAN_NEAREST,				/* batches of an ordered scan; a scan without
								 * an order starts at SCAN_RECORDS */
	SCAN_RECORDS,				/* pages of records */
	SCAN_NULLS					/* pages of rows that are NULL */
} LshPhase;

/* A scan, and the search that it has started. */
typedef struct LshSearch
{
	MemoryContext context;		/* of the search; reset by rescans */
	LshPhase	phase;
	double		threshold;		/* the setting when it started */
	Relation	index;
	Snapshot	snapshot;		/* NULL, or the one for which pages are read */
	LshLayout	layout;
	int			condition_count;
	LshCondition *conditions;
	bool		nothing;		/* no record meets the conditions, because one
								 * is NULL or the index has no record */
	bool		unverified;		/* the server must recheck the rows found */
	bool		walks;			/* are all records compared? */
	LshNumbers	numbers;		/* of candidates, or of all pages of the store */
	Size		next_number;
	BlockNumber blocks;			/* blocks of the index when the search began */
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
read_conditions(LshSearch *search, ScanKey keys, int count)
{
	search->conditions = palloc0(sizeof(LshCondition) * Max(count, 1));
	search->condition_count = count;
	for (int i = 0; i < count; i++)
	{
		LshCondition *condition = &search->conditions[i];
		const BandPlan *plan;
		const MinHash *sig;

		search->nothing |= (keys[i].sk_flags & SK_ISNULL) != 0;
		if (search->nothing)
			return;
		sig = minhash_scan_query(keys[i].sk_argument, keys[i].sk_strategy,
								 &plan);
		condition->sig = sig;
		condition->plan = *plan;
		plane_query_init(&condition->query,
						 palloc(plane_query_size(sig->num_hashes)), sig->slots,
						 sig->num_hashes, sig->method, plan->threshold);
		search->unverified |= !minhash_is_of_kind(sig, &search->layout.kind);
	}
}

/* Read the signatures by whose distances the rows are ordered. */
static void
read_order(LshSearch *search, ScanKey orders, int count)
{
	const MinHash **targets = palloc0(sizeof(MinHash *) * count);

	for (int i = 0; i < count; i++)
	{
		if (orders[i].sk_flags & SK_ISNULL)
			continue;
		targets[i] = DatumGetMinHash(orders[i].sk_argument);
		search->unverified |= !minhash_is_of_kind(targets[i], &search->layout.kind);
	}
	if (!search->unverified)
		search->nearest = lsh_nearest_create(&search->layout.kind, targets,
											 count);
}

/*** Candidates by bands ***/

/*
 * Choose the condition with the deepest bands, which lead to the fewest
 * records; NULL if no condition has any.
 */
static const LshCondition *
best_condition(const LshSearch *search)
{
	const LshCondition *best = NULL;

	for (int i = 0; i < search->condition_count; i++)
	{
		const LshCondition *condition = &search->conditions[i];

		if (!condition->plan.compare_all &&
			(best == NULL || condition->plan.rows > best->plan.rows))
			best = condition;
	}
	return best;
}

/*
 * Collect the records that agree with a condition in enough bands.  Return
 * false if a walk is cheaper because of the number of entries.
 */
static bool
look_up(LshSearch *search, const LshCondition *condition)
{
	const MinHash *sig = condition->sig;
	int			rows = condition->plan.rows;
	uint64		rest = ~band_mask(rows);
	LshNumbers *found = &search->numbers;
	uint64		keys[BAND_MAX];

	if (slots_are_empty(sig->slots, sig->num_hashes))
		return true;			/* it has no bands */
	for (int i = 0; i < condition->plan.bands; i++)
	{
		keys[i] = band_key(sig->slots, sig->num_hashes,
						   band_of_plan(&condition->plan, i), rows);
		lsh_prefetch_leaf(search->index, keys[i]);
	}
	for (int i = 0; i < condition->plan.bands; i++)
	{
		lsh_leaf_collect(search->index, search->snapshot, keys[i],
						 keys[i] | rest, found);
		if (found->count > (Size) search->blocks * MOST_ENTRIES)
			return false;
	}
	found->count = lsh_sort_numbers(found->numbers, found->count,
									condition->plan.matches);
	for (Size i = 0; i < Min(found->count, PREFETCH_AHEAD); i++)
		lsh_prefetch_record(search->index, &search->layout, found->numbers[i]);
	return true;
}

/*
 * Collect the records that the bands of a condition lead to; return false if
 * all records have to be compared.
 */
static bool
look_up_signatures(LshSearch *search, IndexScanDesc scan)
{
	const LshCondition *best = NULL;

	read_conditions(search, scan->keyData, scan->numberOfKeys);
	if (scan->numberOfOrderBys > 0)
		read_order(search, scan->orderByData, scan->numberOfOrderBys);
	if (!search->unverified && !search->nothing)
		best = best_condition(search);
	return best != NULL && look_up(search, best);
}

/*** Candidates by passages ***/

/* Collect the records that have a key of a document. */
static void
collect_keys(LshSearch *search, text *document, LshNumbers *found)
{
	Size		count;
	Size		limit = FIRST_NUMBERS;
	uint64	   *keys = lsh_passage_keys(search->index, &search->layout,
										document, &count);

	for (Size i = 0; i < count; i++)
	{
		if (i + PREFETCH_AHEAD < count)
			lsh_prefetch_leaf(search->index, keys[i + PREFETCH_AHEAD]);
		lsh_leaf_collect(search->index, search->snapshot, keys[i],
						 lsh_fragment_end(keys[i], search->layout.key_floor),
						 found);
		if (found->count < limit && i + 1 < count)
			continue;
		found->count = lsh_sort_numbers(found->numbers, found->count, 1);
		limit = 2 * Max(found->count, FIRST_NUMBERS);
	}
	pfree(keys);
}

/*
 * Collect the records that can share a passage with the texts of all
 * conditions: by the condition with the fewest.  Return false if that is all
 * records, because the keys of the index do not find the run of any condition.
 */
static bool
look_up_passages(LshSearch *search, ScanKey keys, int count)
{
	bool		known = false;

	search->unverified = true;
	search->condition_count = count;	/* none holds for a NULL */
	for (int i = 0; i < count && !search->nothing; i++)
	{
		LshNumbers	found = {NULL, 0, 0};
		PassageQuery query;

		if ((keys[i].sk_flags & SK_ISNULL) ||
			!passage_query_read(keys[i].sk_argument, &query))
		{
			search->nothing = true;
			continue;
		}
		if (!winnow_covers(search->layout.kind.shingling, query.seed))
			continue;
		collect_keys(search, query.document, &found);
		if (!known || found.count < search->numbers.count)
			search->numbers = found;
		known = true;
	}
	return known;
}

/*** Records ***/

/* Return true if a record meets all conditions, first by its planes alone. */
static bool
is_match(const LshSearch *search, const Planes *planes)
{
	const LshLayout *layout = &search->layout;
	uint16		slots[SKETCH_MAX_HASHES];

	for (int i = 0; i < search->condition_count; i++)
		if (!planes_may_be_similar(&search->conditions[i].query, planes))
			return false;
	planes_join(planes, layout->kind.num_hashes, layout->kind.method, slots);
	for (int i = 0; i < search->condition_count; i++)
		if (!slots_are_similar(slots, search->conditions[i].sig->slots,
							   layout->kind.num_hashes,
							   &search->conditions[i].plan))
			return false;
	return true;
}

/* Keep a record if it meets the conditions. */
static void
examine(LshSearch *search, Page page, BlockNumber block, int place)
{
	const LshLayout *layout = &search->layout;
	Planes		planes = lsh_record_planes(layout, page, place);
	ItemPointerData tid;

	if (!lsh_record_is_used(page, place))
		return;
	if (!search->unverified && search->condition_count > 0 &&
		!is_match(search, &planes))
		return;
	tid = lsh_record_tid(layout, page, place);
	lsh_check_tid(search->index, block, &tid);
	if (search->nearest != NULL)
		lsh_nearest_add(search->nearest, &planes,
						lsh_number(layout, block, place), tid);
	else
		search->tids[search->count++] = tid;
}

/* Examine all records of a page. */
static void
examine_page(LshSearch *search, Page page, BlockNumber block)
{
	const LshLayout *layout = &search->layout;
	Planes		planes = lsh_record_planes(layout, page, 0);
	int			count = layout->per_page;
	uint16		places[LSH_STORE_MAX];

	if (search->unverified)
		for (int place = 0; place < count; place++)
			places[place] = (uint16) place;
	else if (search->condition_count > 0)
		count = planes_filter(&search->conditions[0].query, &planes,
							  layout->plane_size, count, places);
	else
		count = lsh_nearest_filter(search->nearest, &planes,
								   layout->plane_size, count, places);
	for (int i = 0; i < count; i++)
		examine(search, page, block, places[i]);
}

/* Read and lock a page of the store. */
static Buffer
read_store(LshSearch *search, BlockNumber block)
{
	Buffer		buffer = lsh_read_cached(search->index, block, BUFFER_LOCK_SHARE,
										 LSH_STORE);

	compat_test_snapshot(search->snapshot, search->index, BufferGetPage(buffer));
	lsh_check_records(search->index, &search->layout, buffer);
	return buffer;
}

/* Examine the next page of a walk over all records; false at the end. */
static bool
walk_page(LshSearch *search)
{
	const LshNumbers *pages = &search->numbers;
	BlockNumber block;
	Buffer		buffer;

	if (search->next_number == pages->count)
		return false;
	block = pages->numbers[search->next_number++];
	if (search->next_number < pages->count)
		lsh_prefetch_head(search->index, pages->numbers[search->next_number],
						  WALK_LINES);
	buffer = read_store(search, block);
	examine_page(search, BufferGetPage(buffer), block);
	UnlockReleaseBuffer(buffer);
	return true;
}

/* Examine the candidates on the next page that has any; false at the end. */
static bool
examine_candidates(LshSearch *search)
{
	const LshLayout *layout = &search->layout;
	const uint32 *numbers = search->numbers.numbers;
	Size		count = search->numbers.count;
	Size		i = search->next_number;
	BlockNumber block;
	Buffer		buffer;

	if (i == count)
		return false;
	if (i + PREFETCH_AHEAD < count)
		lsh_prefetch_record(search->index, layout, numbers[i + PREFETCH_AHEAD]);
	block = lsh_number_block(layout, numbers[i]);
	buffer = read_store(search, block);
	for (; i < count && lsh_number_block(layout, numbers[i]) == block; i++)
	{
		int			place = lsh_number_place(layout, numbers[i]);

		if (place >= layout->per_page)
			lsh_report_damage(search->index, block,
							  "An entry of the tree names a record beyond its end.");
		examine(search, BufferGetPage(buffer), block, place);
	}
	UnlockReleaseBuffer(buffer);
	search->next_number = i;
	return true;
}

/*** The search ***/

/*
 * Begin the search of a scan for the rows that meet all conditions: find the
 * candidates, or decide to walk all records.  If there is an order, the search
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
	search->next_nulls =
		lsh_meta_read(index, search->snapshot, &search->layout).first_nulls;
	search->blocks = RelationGetNumberOfBlocks(index);
	search->nothing = !lsh_layout_is_known(&search->layout);
	if (search->layout.content == LSH_PASSAGES)
		search->walks = !look_up_passages(search, scan->keyData,
										  scan->numberOfKeys);
	else
		search->walks = !look_up_signatures(search, scan);
	if (search->walks && !search->nothing)
	{
		lsh_cache_prepare(index);
		search->numbers = lsh_store_blocks(index);
	}
	search->phase = search->nearest != NULL ? SCAN_NEAREST : SCAN_RECORDS;
}

/*
 * Search the next page of records.  Put the TIDs of the rows that meet the
 * conditions into tids and their number into count, or add the rows to the
 * batch of search->nearest.  Return false, with a count of 0, if no page is
 * left.
 */
static bool
search_page(LshSearch *search)
{
	CHECK_FOR_INTERRUPTS();
	search->count = 0;
	if (search->nothing)
		return false;
	return search->walks ? walk_page(search) :
		examine_candidates(search);
}

/*
 * Do the same for the next page of rows that are NULL.  Since they meet no
 * condition, a search with conditions has none.
 */
static bool
search_nulls(LshSearch *search)
{
	Buffer		buffer;
	Page		page;

	CHECK_FOR_INTERRUPTS();
	search->count = 0;
	if (search->next_nulls == InvalidBlockNumber || search->condition_count > 0)
		return false;
	buffer = lsh_read(search->index, search->next_nulls, BUFFER_LOCK_SHARE,
					  LSH_NULLS);
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

	search->context = AllocSetContextCreate(CurrentMemoryContext, "lsh scan",
											ALLOCSET_DEFAULT_SIZES);
	if (norderbys > 0)
	{
		scan->xs_orderbyvals = palloc0(sizeof(Datum) * norderbys);
		scan->xs_orderbynulls = palloc(sizeof(bool) * norderbys);
		memset(scan->xs_orderbynulls, true, sizeof(bool) * norderbys);
	}
	scan->opaque = search;
	return scan;
}

/* Discard the search of a scan, if it has started. */
static void
reset_search(LshSearch *search)
{
	MemoryContext context = search->context;

	if (search->nearest != NULL)
		lsh_nearest_free(search->nearest);
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

	if (search->phase != SCAN_NOT_STARTED)
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

/* Find the next page with rows: of records, then of NULLs; false at the end. */
static bool
find_rows(LshSearch *search)
{
	while (search->next == search->count)
	{
		search->next = 0;
		if (search->phase == SCAN_RECORDS && !search_page(search))
			search->phase = SCAN_NULLS;
		if (search->phase == SCAN_NULLS && !search_nulls(search))
			return false;
	}
	return true;
}

/* Return the next row of an ordered scan that is not NULL; false at the end. */
static bool
next_nearest(LshSearch *search, ItemPointer tid)
{
	while (!lsh_nearest_next(search->nearest, tid))
	{
		if (!lsh_nearest_begin_batch(search->nearest))
			return false;
		search->next_number = 0;
		while (search_page(search))
			;
		lsh_nearest_end_batch(search->nearest);
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
	if (search->phase == SCAN_NEAREST)
	{
		if (next_nearest(search, &scan->xs_heaptid))
			return true;
		search->phase = SCAN_NULLS;
	}
	if (!find_rows(search))
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
	while (find_rows(search))
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
