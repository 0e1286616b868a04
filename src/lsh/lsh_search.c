/*-------------------------------------------------------------------------
 *
 * lsh_search.c
 *	  Find the records of an lsh index that meet the conditions of a scan.
 *
 * A search looks up the bands of its plan, collects the numbers of the records
 * that enough of them lead to, and compares these candidates, page by page.
 * It walks all records instead if the plan is to compare all, if no condition
 * has bands, or if the bands lead to more than MOST_ENTRIES entries for each
 * page of the index.  The answer is the same, since the same comparison
 * decides; the planes of a record reject most of them (see core/sketch/planes.c).
 *
 * A search for passages looks up all keys of its text.  The index does not have
 * the texts, so it returns all candidates for the executor to recheck.
 *
 * VACUUM may recycle a record number while a search holds it.  The search then
 * compares the new record, whose heap tuple its snapshot cannot see.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/snapmgr.h"

#include "core/passages/winnow.h"
#include "lsh_cache.h"
#include "lsh_common.h"
#include "lsh_leaf.h"
#include "lsh_search.h"
#include "lsh_sort.h"
#include "passages/passage_query.h"
#include "search/similar.h"

#define FETCH_AHEAD 6			/* candidates to prefetch */
#define WALK_LINES 8			/* of the first planes of the next page; the
								 * hardware prefetcher continues from there */
#define MOST_ENTRIES 2			/* per page of the index, to read by bands */
#define FIRST_NUMBERS 65536		/* candidates before repetitions are removed */

/*** Conditions ***/

/* Return true if a signature cannot be compared with those of an index. */
static bool
is_unlike(const LshLayout *layout, const MinHash *sig)
{
	return lsh_has_kind(layout) && !minhash_is_of_kind(sig, &layout->kind);
}

/* Read a condition, without copying the signature. */
static void
read_condition(LshSearch *search, ScanKey key, LshCondition *condition)
{
	const BandPlan *plan;
	const MinHash *sig = minhash_scan_query(key->sk_argument,
											key->sk_strategy, &plan);

	condition->sig = sig;
	condition->plan = *plan;
	plane_query_init(&condition->query,
					 palloc(plane_query_size(sig->num_hashes)), sig->slots,
					 sig->num_hashes, sig->method, plan->threshold);
	search->unverified |= is_unlike(&search->layout, sig);
}

/* Read the conditions up to the first that is NULL. */
static void
read_conditions(LshSearch *search, ScanKey keys, int count)
{
	search->conditions = palloc0(sizeof(LshCondition) * Max(count, 1));
	search->condition_count = count;
	for (int i = 0; i < count && !search->nothing; i++)
		if (keys[i].sk_flags & SK_ISNULL)
			search->nothing = true;
		else
			read_condition(search, &keys[i], &search->conditions[i]);
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
		search->unverified |= is_unlike(&search->layout, targets[i]);
	}
	if (!search->unverified)
		search->nearest = lsh_nearest_create(&search->layout.kind, targets,
											 count);
}

/*** Candidates ***/

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
	LshNumbers *found = &search->candidates;
	uint64		keys[BAND_MAX];

	if (slots_are_empty(sig->slots, sig->num_hashes))
		return true;			/* it has no bands */
	for (int i = 0; i < condition->plan.bands; i++)
	{
		keys[i] = band_key(sig->slots, sig->num_hashes,
						   plan_band(&condition->plan, i), rows);
		lsh_fetch_leaf(search->index, keys[i]);
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
	for (Size i = 0; i < Min(found->count, FETCH_AHEAD); i++)
		lsh_fetch_record(search->index, &search->layout, found->numbers[i]);
	return true;
}

/*** Passages ***/

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
		if (i + FETCH_AHEAD < count)
			lsh_fetch_leaf(search->index, keys[i + FETCH_AHEAD]);
		CHECK_FOR_INTERRUPTS();
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
		if (!known || found.count < search->candidates.count)
			search->candidates = found;
		known = true;
	}
	return known;
}

/*** Signatures ***/

/*
 * Collect the records that the bands of a condition lead to; return false if
 * all records have to be compared.
 */
static bool
look_up_signatures(LshSearch *search, ScanKey keys, int key_count,
				   ScanKey orders, int order_count)
{
	const LshCondition *best = NULL;

	read_conditions(search, keys, key_count);
	if (order_count > 0)
		read_order(search, orders, order_count);
	if (!search->unverified && !search->nothing)
		best = best_condition(search);
	return best != NULL && look_up(search, best);
}

/* Begin a search: find the candidates, or decide to walk all records. */
void
lsh_search_start(LshSearch *search, Relation index, Snapshot snapshot,
				 ScanKey keys, int key_count, ScanKey orders, int order_count)
{
	memset(search, 0, offsetof(LshSearch, tids));
	search->index = index;
	search->snapshot = snapshot;
	search->next_nulls =
		lsh_meta_read(index, snapshot, &search->layout).first_nulls;
	search->blocks = RelationGetNumberOfBlocks(index);
	search->nothing = !lsh_has_kind(&search->layout);
	if (search->layout.content == LSH_PASSAGES)
		search->walks = !look_up_passages(search, keys, key_count);
	else
		search->walks = !look_up_signatures(search, keys, key_count, orders,
											order_count);
	if (search->walks)
		lsh_cache_prepare(index);
	lsh_search_restart(search);
}

/* Go back to the first page of records. */
void
lsh_search_restart(LshSearch *search)
{
	search->next_candidate = 0;
	search->count = 0;
	lsh_walk_begin(&search->walk);
}

/*** Records ***/

/* Return true if the planes of a record rule out that it meets a condition. */
static inline bool
is_ruled_out(const LshSearch *search, const Planes *planes)
{
	for (int i = 0; i < search->condition_count; i++)
		if (!planes_may_be_similar(&search->conditions[i].query, planes))
			return true;
	return false;
}

/* Return true if a record meets all conditions. */
static bool
is_match(const LshSearch *search, const Planes *planes)
{
	const LshLayout *layout = &search->layout;
	uint16		slots[SKETCH_MAX_HASHES];

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
		(is_ruled_out(search, &planes) || !is_match(search, &planes)))
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
	Buffer		buffer = lsh_read_again(search->index, block, BUFFER_LOCK_SHARE,
										LSH_STORE);

	lsh_test_snapshot(search->snapshot, search->index, BufferGetPage(buffer));
	lsh_check_records(search->index, &search->layout, buffer);
	return buffer;
}

/* Examine the next page of a walk over all records; false at the end. */
static bool
walk_page(LshSearch *search)
{
	LshWalk    *walk = &search->walk;
	BlockNumber block = lsh_walk_next(search->index, walk);
	Buffer		buffer;

	if (block == InvalidBlockNumber)
		return false;
	if (walk->next < walk->count)
		lsh_fetch_start(search->index, walk->blocks[walk->next], WALK_LINES);
	buffer = read_store(search, block);
	examine_page(search, BufferGetPage(buffer), block);
	UnlockReleaseBuffer(buffer);
	return true;
}

/* Examine a candidate on a page. */
static void
examine_candidate(LshSearch *search, Buffer buffer, uint32 number)
{
	BlockNumber block = lsh_number_block(&search->layout, number);
	int			place = lsh_number_place(&search->layout, number);

	if (place >= search->layout.per_page)
		lsh_report_damage(search->index, block,
						  "An entry of the tree names a record beyond its end.");
	examine(search, BufferGetPage(buffer), block, place);
}

/* Examine the candidates on the next page that has any; false at the end. */
static bool
examine_candidates(LshSearch *search)
{
	const LshLayout *layout = &search->layout;
	const uint32 *numbers = search->candidates.numbers;
	Size		count = search->candidates.count;
	Size		i = search->next_candidate;
	BlockNumber block;
	Buffer		buffer;

	if (i == count)
		return false;
	if (i + FETCH_AHEAD < count)
		lsh_fetch_record(search->index, layout, numbers[i + FETCH_AHEAD]);
	block = lsh_number_block(layout, numbers[i]);
	buffer = read_store(search, block);
	for (; i < count && lsh_number_block(layout, numbers[i]) == block; i++)
		examine_candidate(search, buffer, numbers[i]);
	UnlockReleaseBuffer(buffer);
	search->next_candidate = i;
	return true;
}

/* Search the next page of records. */
bool
lsh_search_page(LshSearch *search)
{
	CHECK_FOR_INTERRUPTS();
	search->count = 0;
	if (search->nothing)
		return false;
	return search->walks ? walk_page(search) :
		examine_candidates(search);
}

/* Find the rows on the next page of NULLs. */
bool
lsh_search_nulls(LshSearch *search)
{
	Buffer		buffer;
	Page		page;

	if (search->next_nulls == InvalidBlockNumber || search->condition_count > 0)
		return false;
	CHECK_FOR_INTERRUPTS();
	buffer = lsh_read(search->index, search->next_nulls, BUFFER_LOCK_SHARE,
					  LSH_NULLS);
	page = BufferGetPage(buffer);
	lsh_test_snapshot(search->snapshot, search->index, page);
	search->count = lsh_nulls_count(page);
	memcpy(search->tids, LshTids(page), sizeof(ItemPointerData) * search->count);
	for (int i = 0; i < search->count; i++)
		lsh_check_tid(search->index, search->next_nulls, &search->tids[i]);
	search->next_nulls = LshHead(page)->right;
	UnlockReleaseBuffer(buffer);
	return true;
}
