/*-------------------------------------------------------------------------
 *
 * lsh_index_pairs.c
 *	  All similar pairs of a table, from its lsh index alone.
 *
 * The function reads all records of the store into memory and searches them
 * with core/bands/pairs.c, which defines the algorithm, its time and its
 * limits.  Of the tree it reads only the inner pages, for the session's cache, so
 * that concurrent splits and VACUUM do not matter.
 *
 * Rows.  A record has the TID of a heap tuple, or of the root of its HOT chain.
 * The version that the snapshot sees is looked up once, for each record that is
 * in a similar pair.  Records without a visible version, such as those of dead rows
 * that VACUUM has not removed yet, are compared like others, and then left out.
 *
 * Concurrent changes.  Records added after the snapshot was taken belong to
 * heap tuples that it does not see.  VACUUM removes only records of tuples that
 * no snapshot sees.
 *
 * Copies.  The search reports copies once.  They are linked here, and each pair
 * stands for all pairs of their copies.
 *
 * Memory, with k hashes: 64 + 2 k bytes for each record that the pages of the
 * store have room for, 320 with 128.  The pairs go to disk where they exceed
 * work_mem.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "pgstat.h"
#include "storage/predicate.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

#include "clusters/pair_progress.h"
#include "core/bands/pairs.h"
#include "core/sketch/slots.h"
#include "lsh.h"
#include "search/similar.h"
#include "support/arguments.h"
#include "support/server_memory.h"

#define NO_RECORD PG_UINT32_MAX

/* Flags of records. */
#define ROW_VISIBLE 1			/* its TID is that of the visible version */
#define ROW_HIDDEN 2			/* no version is visible */
#define IS_COPY 4				/* it is linked to an equal record */

/* The work on an index. */
typedef struct Pairs
{
	PairSearch	search;
	PairProgress progress;
	Relation	index;
	LshLayout	layout;
	ItemPointerData *tids;		/* by record */
	uint32	   *copies;			/* the next copy of each, or NO_RECORD */
	uint8	   *flags;

	/* The table. */
	Relation	heap;
	Snapshot	snapshot;
	IndexFetchTableData *fetch;
	TupleTableSlot *slot;

	/* The result. */
	Tuplestorestate *rows;
	TupleDesc	desc;
} Pairs;

/*** Rows ***/

/* Return true if a record has a visible row; replace its TID by the row's. */
static bool
is_visible(Pairs *pairs, uint32 record)
{
	uint8	   *flags = &pairs->flags[record];

	if ((*flags & (ROW_VISIBLE | ROW_HIDDEN)) == 0)
	{
		ItemPointerData tid = pairs->tids[record];
		bool		again = false;
		bool		all_dead;

		CHECK_FOR_INTERRUPTS();
		if (table_index_fetch_tuple(pairs->fetch, &tid, pairs->snapshot,
									pairs->slot, &again, &all_dead))
		{
			*flags |= ROW_VISIBLE;
			pairs->tids[record] = pairs->slot->tts_tid;
		}
		else
			*flags |= ROW_HIDDEN;
	}
	return (*flags & ROW_VISIBLE) != 0;
}

/*** Pairs ***/

/* Add a pair to the result; its column a is the row that comes first. */
static void
put_row(Pairs *pairs, uint32 one, uint32 other, double similarity)
{
	ItemPointer a = &pairs->tids[one];
	ItemPointer b = &pairs->tids[other];
	bool		in_order = ItemPointerCompare(a, b) < 0;
	Datum		values[3];
	bool		nulls[3] = {false};

	CHECK_FOR_INTERRUPTS();
	values[0] = PointerGetDatum(in_order ? a : b);
	values[1] = PointerGetDatum(in_order ? b : a);
	values[2] = Float8GetDatum(similarity);
	tuplestore_putvalues(pairs->rows, pairs->desc, values, nulls);
}

/* Add the pairs of a record with another one and its copies. */
static void
put_copies_of(Pairs *pairs, uint32 one, uint32 others, double similarity)
{
	CHECK_FOR_INTERRUPTS();
	if (!is_visible(pairs, one))
		return;
	for (; others != NO_RECORD; others = pairs->copies[others])
		if (is_visible(pairs, others))
			put_row(pairs, one, others, similarity);
}

/* Add a similar pair, and the pairs of the copies of both. */
static void
on_found(PairSearch *search, uint32_t a, uint32_t b)
{
	Pairs	   *pairs = search->hook_data;
	int			equal;
	int			compared;

	slots_compare(pairs_slots(search, a), pairs_slots(search, b),
				  search->num_hashes, &equal, &compared);
	for (; a != NO_RECORD; a = pairs->copies[a])
		put_copies_of(pairs, a, b, (double) equal / compared);
}

/* Link a copy, with copies of its own if it has any, to a record it equals. */
static void
on_copy(PairSearch *search, uint32_t first, uint32_t copy)
{
	Pairs	   *pairs = search->hook_data;
	uint32		last = copy;

	while (pairs->copies[last] != NO_RECORD)
		last = pairs->copies[last];
	pairs->flags[copy] |= IS_COPY;
	pairs->copies[last] = pairs->copies[first];
	pairs->copies[first] = copy;
}

/* Add all pairs of copies. */
static void
put_copies(Pairs *pairs)
{
	for (uint32 first = 0; first < pairs->search.added; first++)
	{
		if ((pairs->flags[first] & IS_COPY) != 0 ||
			pairs->copies[first] == NO_RECORD)
			continue;
		for (uint32 one = first; one != NO_RECORD; one = pairs->copies[one])
			put_copies_of(pairs, one, pairs->copies[one], 1);
	}
}

/*** Reading the store ***/

/* Return the bytes of memory that begin_pairs() allocates. */
static uint64
memory_size(const PairSearch *search)
{
	return pairs_memory_size(search->num_hashes, search->max_signatures) +
		(uint64) search->max_signatures *
		(2 * sizeof(uint32) + sizeof(ItemPointerData) + sizeof(uint8));
}

/* Allocate memory for the records. */
static void *
alloc_records(const Pairs *pairs, uint64 bytes)
{
	void	   *memory = server_alloc_huge(CurrentMemoryContext, bytes);

	if (memory == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("not enough memory to read the records of index \"%s\"",
						RelationGetRelationName(pairs->index)),
				 errdetail("Up to %zu records with %d hashes each need %llu bytes.",
						   pairs->search.max_signatures,
						   pairs->layout.kind.num_hashes,
						   (unsigned long long) memory_size(&pairs->search)),
				 errhint("Use a table with fewer rows, or signatures with fewer hashes.")));
	return memory;
}

/* Prepare a search for the records of some pages. */
static void
begin_pairs(Pairs *pairs, Size pages, const BandPlan *plan)
{
	PairSearch *search = &pairs->search;
	uint64		records = (uint64) pages * pairs->layout.per_page;

	search->num_hashes = pairs->layout.kind.num_hashes;
	search->method = pairs->layout.kind.method;
	search->plan = *plan;
	search->hook_data = pairs;
	search->found = on_found;
	search->found_copy = on_copy;
	search->max_signatures = (size_t) records;
	search->memory = alloc_records(pairs, pairs_memory_size(search->num_hashes, records));
	search->parents = alloc_records(pairs, sizeof(uint32) * records);
	pairs->copies = alloc_records(pairs, sizeof(uint32) * records);
	pairs->tids = alloc_records(pairs, sizeof(ItemPointerData) * records);
	pairs->flags = alloc_records(pairs, sizeof(uint8) * records);
	pair_progress_init(&pairs->progress, "lsh_index_pairs", search);
	pairs_begin(search);
}

/* Add the records of a page of the store. */
static void
add_page_records(Pairs *pairs, Page page, BlockNumber block)
{
	const LshLayout *layout = &pairs->layout;

	for (int place = 0; place < layout->per_page; place++)
		if (lsh_record_is_used(page, place))
		{
			Planes		planes = lsh_record_planes(layout, page, place);
			Size		record = pairs->search.added;

			pairs->tids[record] = lsh_record_tid(pairs->index, layout, page,
												 block, place);
			pairs->copies[record] = NO_RECORD;
			pairs->flags[record] = 0;
			pairs_add_planes(&pairs->search, &planes);
		}
}

/*** The function ***/

/* Find the similar pairs of an index. */
static void
find_index_pairs(Pairs *pairs, double threshold, double recall)
{
	LshPass		pass = {0};
	Buffer		buffer;

	lsh_meta_read(pairs->index, pairs->snapshot, &pairs->layout);
	if (pairs->layout.kind.num_hashes == 0)
		return;					/* no signature yet */
	lsh_pass_all(pairs->index, &pass);
	begin_pairs(pairs, pass.numbers.count,
				minhash_plan(threshold, recall, pairs->layout.kind.num_hashes));
	while ((buffer = lsh_pass_next(pairs->index, &pairs->layout, &pass)) != InvalidBuffer)
	{
		compat_test_snapshot(pairs->snapshot, pairs->index, BufferGetPage(buffer));
		add_page_records(pairs, BufferGetPage(buffer), pass.block);
		UnlockReleaseBuffer(buffer);
	}
	pair_progress_start(&pairs->progress, &pairs->search);
	pairs_find(&pairs->search);
	put_copies(pairs);
}

/* Open the table of an index, to look up rows as an index scan does. */
static void
begin_table(Pairs *pairs)
{
	pairs->heap = table_open(pairs->index->rd_index->indrelid, AccessShareLock);
	pairs->snapshot = GetActiveSnapshot();
	pairs->slot = table_slot_create(pairs->heap, NULL);
	pairs->fetch = compat_index_fetch_begin(pairs->heap);
	PredicateLockRelation(pairs->heap, pairs->snapshot);
	PredicateLockRelation(pairs->index, pairs->snapshot);
	pgstat_count_index_scan(pairs->index);
}

/* Refuse an index that cannot list the pairs of a whole table. */
static void
refuse_unfit(Relation index)
{
	const char *name = RelationGetRelationName(index);

	if (lsh_holds_passages(index->rd_opcintype[0]))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("index \"%s\" holds passages, not signatures", name),
				 errhint("Use shares_passage() in a query or a join.")));
	if (index->rd_rel->relkind == RELKIND_PARTITIONED_INDEX)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot list the pairs of partitioned index \"%s\"", name),
				 errdetail("The index of a partition does not know the rows of the others."),
				 errhint("Join the rows of each cluster that minhash_cluster finds; the index of each partition has the pairs within it.")));
	/* As the planner does, see get_relation_info(). */
	if (index->rd_index->indcheckxmin &&
		!TransactionIdPrecedes(HeapTupleHeaderGetXmin(index->rd_indextuple->t_data),
							   TransactionXmin))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("index \"%s\" cannot be used by this transaction yet", name),
				 errdetail("Rows were changed while it was built, and this transaction may see them as they were."),
				 errhint("Retry in a new transaction.")));
}

/* List all similar pairs of the rows in an lsh index. */
PG_FUNCTION_INFO_V1(lsh_index_pairs);
Datum
lsh_index_pairs(PG_FUNCTION_ARGS)
{
	double		threshold = arg_check_threshold(PG_GETARG_FLOAT8(1));
	double		recall = arg_check_unit_interval(PG_GETARG_FLOAT8(2), "recall");
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "lsh_index_pairs",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;
	Pairs	   *pairs = MemoryContextAllocZero(context, sizeof(Pairs));

	pairs->rows = row_begin(fcinfo, &pairs->desc);
	pairs->index = lsh_open_readable_index(PG_GETARG_OID(0));
	refuse_unfit(pairs->index);
	old = MemoryContextSwitchTo(context);
	begin_table(pairs);
	find_index_pairs(pairs, threshold, recall);
	table_index_fetch_end(pairs->fetch);
	ExecDropSingleTupleTableSlot(pairs->slot);
	table_close(pairs->heap, AccessShareLock);
	MemoryContextSwitchTo(old);
	relation_close(pairs->index, AccessShareLock);
	MemoryContextDelete(context);
	return (Datum) 0;
}
