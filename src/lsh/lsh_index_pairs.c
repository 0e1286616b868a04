/*-------------------------------------------------------------------------
 *
 * lsh_index_pairs.c
 *	  All similar pairs of a table, from its lsh index alone.
 *
 * Which pairs are similar is defined in core/bands.c: the estimate reaches the
 * threshold, and enough bands of the plan agree.  To find them, the leaves of
 * one band of the plan after the other are read from left to right, which is
 * in the order of their keys: what agrees in the band lies in one run (see
 * lsh_runs.c), and the records of a run are compared with each other.  Where m
 * of n bands must agree, all similar pairs have met after n - m + 1 of them.  A
 * pair is returned at the first band of the plan that agrees, so once.
 *
 * Copies.  Records with the same slots have the same keys, so they meet in the
 * first band.  There they are strung together, and only the first one of them
 * goes on.  So copies cost no comparisons; but their pairs are returned.  Only
 * records whose rows are visible are strung, and go on: another may have no
 * entries in the bands to come, since it was not finished, or VACUUM took them.
 *
 * Futile bands.  A plan to compare everything does so by planes, which lie
 * side by side.  So does a plan of bands, with what is left, as soon as a band
 * had so many pairs in its runs that the bands to come would compare as many as
 * there are.
 *
 * Rows.  A record names the row, or the root of a chain of its versions: the
 * version that the snapshot sees is looked up, once, for each record that is in
 * a similar pair.
 *
 * Memory, with k hashes: 11 + 2.5 k bytes for each record that the pages of the
 * store have room for, 331 with 128.  The pairs go to disk where they exceed
 * work_mem.
 *
 * Limits: where many texts share a template whose similarity is below the
 * threshold, their runs are large, and the time grows with the square of them.
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
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/predicate.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

#include "core/interrupt.h"
#include "lsh_index.h"
#include "lsh_records.h"
#include "lsh_runs.h"
#include "lshsim.h"
#include "search/similar.h"
#include "support/arguments.h"
#include "support/row.h"

#define NO_RECORD PG_UINT32_MAX
#define TILE 64					/* records that are compared with each block */
#define BLOCK 256				/* records whose planes stay in cache */

/* Marks of records, beside LSH_IS_RECORD. */
#define IS_COPY 2				/* another record stands for it, or none */
#define ROW_SEEN 4				/* its TID is that of the visible version */
#define ROW_HIDDEN 8			/* no version is visible */

/* The work on an index. */
typedef struct Pairs
{
	BandPlan	plan;
	int			step;			/* bands of the plan that are done */
	bool		by_band;		/* or are all records compared? */
	double		compared;		/* pairs, in runs */
	LshRecords	records;
	uint32	   *copies;			/* the next copy of each, or NO_RECORD */
	PlaneQuery	query;
	LshNumbers	run;			/* the records that are compared */

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

/* Look up the version of a record's row that is visible. */
static void
look_up_row(Pairs *pairs, uint32 record)
{
	CHECK_FOR_INTERRUPTS();
	pairs->records.marks[record] |=
		lsh_find_visible(pairs->fetch, pairs->snapshot, pairs->slot,
						 &pairs->records.tids[record]) ? ROW_SEEN : ROW_HIDDEN;
}

/* Tell whether a record has a visible row; its TID is then that of the row. */
static bool
has_row(Pairs *pairs, uint32 record)
{
	const uint8 *mark = &pairs->records.marks[record];

	if ((*mark & (ROW_SEEN | ROW_HIDDEN)) == 0)
		look_up_row(pairs, record);
	return (*mark & ROW_SEEN) != 0;
}

/* Return a pair of records, the row that comes first in the table as a. */
static void
put_pair(Pairs *pairs, uint32 one, uint32 other, double similarity)
{
	ItemPointer a = &pairs->records.tids[one];
	ItemPointer b = &pairs->records.tids[other];
	bool		in_order = ItemPointerCompare(a, b) < 0;
	Datum		values[3];
	bool		nulls[3] = {false};

	CHECK_FOR_INTERRUPTS();
	values[0] = PointerGetDatum(in_order ? a : b);
	values[1] = PointerGetDatum(in_order ? b : a);
	values[2] = Float8GetDatum(similarity);
	tuplestore_putvalues(pairs->rows, pairs->desc, values, nulls);
}

/* Return the pairs of a record with another one and its copies. */
static void
put_pairs(Pairs *pairs, uint32 one, uint32 others, double similarity)
{
	if (!has_row(pairs, one))
		return;
	for (; others != NO_RECORD; others = pairs->copies[others])
		if (has_row(pairs, others))
			put_pair(pairs, one, others, similarity);
}

/*** Comparisons ***/

/* Tell whether there is a record at a place that is not strung to another. */
static inline bool
is_compared(const Pairs *pairs, uint32 record)
{
	return (pairs->records.marks[record] & (LSH_IS_RECORD | IS_COPY)) ==
		LSH_IS_RECORD;
}

/*
 * Tell whether two signatures are similar, and have not met before: not in a
 * band that is done, and if we go by bands, in this one.
 */
static bool
is_new_pair(const Pairs *pairs, const uint16 *a, const uint16 *b)
{
	int			num_hashes = pairs->records.layout.kind.num_hashes;

	return first_agreement(a, b, num_hashes, &pairs->plan,
						   pairs->step + pairs->by_band) == pairs->step &&
		slots_are_similar(a, b, num_hashes, &pairs->plan);
}

/* Prepare to compare a record with others. */
static void
look_for(Pairs *pairs, uint32 one)
{
	const LshRecords *records = &pairs->records;

	plane_query_set(&pairs->query, lsh_first(records, one),
					lsh_second(records, one));
}

/* Find those of some records whose planes allow that they are similar. */
static inline int
find_near(const Pairs *pairs, Size start, int count, uint16 *found)
{
	const LshRecords *records = &pairs->records;
	Planes		planes = {
		lsh_first(records, start), lsh_second(records, start), NULL, NULL
	};

	return planes_filter(&pairs->query, &planes,
						 2 * records->layout.plane_size, count, found);
}

/* Compare two records whose planes allow that they are similar. */
static void
compare_records(Pairs *pairs, uint32 one, uint32 other)
{
	const uint16 *a = lsh_slots(&pairs->records, one);
	const uint16 *b = lsh_slots(&pairs->records, other);
	int			equal;
	int			compared;

	if (!is_new_pair(pairs, a, b))
		return;
	slots_compare(a, b, pairs->records.layout.kind.num_hashes, &equal,
				  &compared);
	for (; one != NO_RECORD; one = pairs->copies[one])
		put_pairs(pairs, one, other, (double) equal / compared);
}

/*** Copies ***/

/* A record of a run, and a hash of its slots. */
typedef struct HashedRecord
{
	uint64		hash;
	uint32		record;
} HashedRecord;

/* Order two records by hash, then by place. */
static int
compare_hashed(const void *a, const void *b)
{
	const HashedRecord *x = a;
	const HashedRecord *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->record < y->record ? -1 : x->record > y->record;
}

/* Return the bytes of the slots of a record. */
static Size
slots_size(const Pairs *pairs)
{
	return sizeof(uint16) * pairs->records.layout.kind.num_hashes;
}

/* Hash the slots of the records of the run, and sort them. */
static HashedRecord *
hash_run(const Pairs *pairs)
{
	HashedRecord *hashed = MemoryContextAllocHuge(CurrentMemoryContext,
												  sizeof(HashedRecord) * pairs->run.count);

	for (Size i = 0; i < pairs->run.count; i++)
	{
		uint32		record = pairs->run.numbers[i];

		hashed[i].hash = XXH3_64bits(lsh_slots(&pairs->records, record),
									 slots_size(pairs));
		hashed[i].record = record;
		check_sometimes(i);
	}
	qsort(hashed, pairs->run.count, sizeof(HashedRecord), compare_hashed);
	return hashed;
}

/* Tell whether two records have the same slots. */
static bool
are_copies(const Pairs *pairs, uint32 one, uint32 other)
{
	return memcmp(lsh_slots(&pairs->records, one),
				  lsh_slots(&pairs->records, other), slots_size(pairs)) == 0;
}

/* Return all pairs of some copies. */
static void
put_copies(Pairs *pairs, uint32 first)
{
	for (; pairs->copies[first] != NO_RECORD; first = pairs->copies[first])
		put_pairs(pairs, first, pairs->copies[first], 1);
}

/* String some copies together that are visible; return the first, if any. */
static uint32
string_visible(Pairs *pairs, const HashedRecord *copies, Size count)
{
	uint32		first = NO_RECORD;
	uint32		last = NO_RECORD;

	for (Size i = 0; i < count; i++)
	{
		uint32		record = copies[i].record;

		if (record == last)
			continue;			/* its number was used again meanwhile */
		pairs->records.marks[record] |= IS_COPY;
		if (!has_row(pairs, record))
			continue;
		if (first == NO_RECORD)
			first = record;
		else
			pairs->copies[last] = record;
		last = record;
	}
	if (first != NO_RECORD)
		pairs->records.marks[first] &= ~IS_COPY;
	return first;
}

/* Count the records from one on that are copies of it. */
static Size
count_copies(const Pairs *pairs, const HashedRecord *hashed, Size left)
{
	Size		count = 1;

	while (count < left && hashed[count].hash == hashed[0].hash &&
		   are_copies(pairs, hashed[0].record, hashed[count].record))
		count++;
	return count;
}

/* String the copies in a run together, and keep the first of them in it. */
static void
string_copies(Pairs *pairs)
{
	HashedRecord *hashed = hash_run(pairs);
	Size		count = pairs->run.count;

	pairs->run.count = 0;
	for (Size i = 0, copies; i < count; i += copies)
	{
		uint32		first = hashed[i].record;

		copies = count_copies(pairs, hashed + i, count - i);
		if (copies > 1)
			first = string_visible(pairs, hashed + i, copies);
		if (first == NO_RECORD)
			continue;
		put_copies(pairs, first);
		pairs->run.numbers[pairs->run.count++] = first;
	}
	pfree(hashed);
}

/*** Runs ***/

/* Find the records of a run. */
static void
find_records(Pairs *pairs, const LshNumbers *run)
{
	pairs->run.count = 0;
	for (Size i = 0; i < run->count; i++)
	{
		uint32		record;

		if (lsh_records_find(&pairs->records, run->numbers[i], &record) &&
			is_compared(pairs, record))
			lsh_add_number(&pairs->run, record);
	}
}

/* Compare a record of the run with those that follow. */
static void
compare_in_run(Pairs *pairs, Size i)
{
	uint32		one = pairs->run.numbers[i];
	uint16		place;

	look_for(pairs, one);
	for (Size j = i + 1; j < pairs->run.count; j++)
	{
		uint32		other = pairs->run.numbers[j];

		if (find_near(pairs, other, 1, &place) == 1)
			compare_records(pairs, one, other);
		check_sometimes(j);
	}
}

/* Compare the records of a run. */
static void
compare_run(const LshNumbers *run, void *arg)
{
	Pairs	   *pairs = arg;

	find_records(pairs, run);
	if (pairs->step == 0 && pairs->run.count > 1)
		string_copies(pairs);
	pairs->compared += (double) pairs->run.count * (pairs->run.count - 1) / 2;
	for (Size i = 0; i + 1 < pairs->run.count; i++)
		compare_in_run(pairs, i);
}

/* Tell whether so many bands like the last one compare as much as there is. */
static bool
are_futile(const Pairs *pairs, double compared, int bands)
{
	double		all = (double) pairs->records.count * (pairs->records.count - 1) / 2;

	return compared * bands >= all;
}

/* Compare what agrees in bands; stop where it is better to compare all. */
static void
compare_bands(Pairs *pairs)
{
	int			steps = pairs->plan.bands - pairs->plan.matches + 1;

	pairs->by_band = true;
	while (pairs->step < steps && pairs->by_band)
	{
		double		before = pairs->compared;

		lsh_visit_runs(pairs->records.index, pairs->snapshot,
					   plan_band(&pairs->plan, pairs->step), pairs->plan.rows,
					   compare_run, pairs);
		pairs->step++;
		if (are_futile(pairs, pairs->compared - before, steps - pairs->step))
			pairs->by_band = pairs->step == steps;
	}
}

/*** All records ***/

/* Compare a record with those at some places. */
static void
compare_with(Pairs *pairs, uint32 one, Size start, Size end)
{
	uint16		found[BLOCK];
	int			count;

	if (start >= end)
		return;
	look_for(pairs, one);
	count = find_near(pairs, start, (int) (end - start), found);
	for (int i = 0; i < count; i++)
		if (is_compared(pairs, (uint32) start + found[i]))
			compare_records(pairs, one, (uint32) start + found[i]);
}

/* Compare the records at some places with all that follow. */
static void
compare_tile(Pairs *pairs, Size start, Size end)
{
	Size		places = pairs->records.places;

	for (Size block = start; block < places; block += BLOCK)
	{
		CHECK_FOR_INTERRUPTS();
		for (Size one = start; one < end; one++)
			if (is_compared(pairs, (uint32) one))
				compare_with(pairs, (uint32) one, Max(block, one + 1),
							 Min(block + BLOCK, places));
	}
}

/* Compare all records. */
static void
compare_all(Pairs *pairs)
{
	Size		places = pairs->records.places;

	for (Size start = 0; start < places; start += TILE)
		compare_tile(pairs, start, Min(start + TILE, places));
}

/*** The function ***/

/* Prepare what is remembered of records. */
static void
prepare_records(Pairs *pairs)
{
	const MinHashKind *kind = &pairs->records.layout.kind;
	Size		size = sizeof(uint32) * Max(pairs->records.places, 1);

	pairs->copies = MemoryContextAllocHuge(CurrentMemoryContext, size);
	memset(pairs->copies, 0xFF, size);	/* NO_RECORD */
	plane_query_begin(&pairs->query, palloc(plane_query_size(kind->num_hashes)),
					  kind->num_hashes, kind->method);
	plane_query_threshold(&pairs->query, pairs->plan.threshold);
}

/* Find the similar pairs of an index. */
static void
find_pairs(Pairs *pairs, Relation index, double threshold, double recall)
{
	Buffer		meta = lsh_read(index, LSH_META_BLOCK, BUFFER_LOCK_SHARE,
								LSH_META);
	LshLayout	layout;

	lsh_test_snapshot(pairs->snapshot, index, BufferGetPage(meta));
	lsh_layout_read(index, BufferGetPage(meta), &layout);
	UnlockReleaseBuffer(meta);
	if (layout.kind.num_hashes == 0)
		return;					/* no signature has come */
	pairs->plan = *minhash_plan(threshold, recall, layout.kind.num_hashes);
	lsh_records_read(index, pairs->snapshot, &layout, &pairs->records);
	prepare_records(pairs);
	if (!pairs->plan.compare_all)
		compare_bands(pairs);
	if (!pairs->by_band)
		compare_all(pairs);
}

/* Begin to look at the rows of a table as a scan does. */
static void
begin_table(Pairs *pairs, Relation index)
{
	pairs->heap = table_open(index->rd_index->indrelid, AccessShareLock);
	pairs->snapshot = GetActiveSnapshot();
	pairs->slot = table_slot_create(pairs->heap, NULL);
	pairs->fetch = lsh_index_fetch_begin(pairs->heap);
	PredicateLockRelation(pairs->heap, pairs->snapshot);
	PredicateLockRelation(index, pairs->snapshot);
	pgstat_count_index_scan(index);
}

/* Close the table. */
static void
end_table(Pairs *pairs)
{
	table_index_fetch_end(pairs->fetch);
	ExecDropSingleTupleTableSlot(pairs->slot);
	table_close(pairs->heap, AccessShareLock);
}

/* Refuse an index whose records are not all rows of a table. */
static void
check_index(Relation index)
{
	const char *name = RelationGetRelationName(index);

	if (!lsh_is_lsh_index(index))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("index \"%s\" is not of access method lsh", name),
				 errhint("Create one with CREATE INDEX ... USING lsh (signature), or join the rows of each cluster that minhash_cluster finds.")));
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
				 errhint("Begin another transaction.")));
}

/* List all similar pairs of the rows in an lsh index. */
PG_FUNCTION_INFO_V1(lsh_index_pairs);
Datum
lsh_index_pairs(PG_FUNCTION_ARGS)
{
	double		threshold = threshold_or_setting(fcinfo, 1);
	double		recall = recall_or_setting(fcinfo, 2);
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "lsh_index_pairs",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;
	Pairs	   *pairs = MemoryContextAllocZero(context, sizeof(Pairs));
	AttrNumber	column;
	Relation	index;

	pairs->rows = begin_rows(fcinfo, &pairs->desc);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	index = lsh_open_index(PG_GETARG_OID(0), &column);
	check_index(index);
	old = MemoryContextSwitchTo(context);
	begin_table(pairs, index);
	find_pairs(pairs, index, threshold, recall);
	end_table(pairs);
	MemoryContextSwitchTo(old);
	relation_close(index, AccessShareLock);
	MemoryContextDelete(context);
	return (Datum) 0;
}
