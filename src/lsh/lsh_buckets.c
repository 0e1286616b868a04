/*-------------------------------------------------------------------------
 *
 * lsh_buckets.c
 *	  Read the buckets of an lsh index.
 *
 * A leaf has only fragments of keys, so the keys are made anew from the store,
 * band by band, and sorted: a bucket is a run of equal keys.  It takes 38 bytes
 * of memory for each row, and as many passes over the store as there are bands.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "lsh_buckets.h"
#include "lsh_sort.h"
#include "lsh_store.h"

/* The rows of the store, in the order of their records. */
typedef struct Rows
{
	Relation	index;
	LshLayout	layout;
	int			band;			/* whose keys are computed */
	Size		max;
	Size		count;
	ItemPointerData *tids;
	LshEntry   *entries;		/* key, and index into tids */
	LshEntry   *scratch;
} Rows;

/* Make room for more rows. */
static void
make_room(Rows *rows, Size more)
{
	if (rows->count + more <= rows->max)
		return;
	rows->max = 2 * (rows->count + more);
	rows->tids = repalloc_huge(rows->tids, rows->max * sizeof(ItemPointerData));
	rows->entries = repalloc_huge(rows->entries, rows->max * sizeof(LshEntry));
	rows->scratch = repalloc_huge(rows->scratch, rows->max * sizeof(LshEntry));
}

/* Append the key of a record in the band, unless its set is empty. */
static void
add_record(Rows *rows, Page page, int place)
{
	const LshLayout *layout = &rows->layout;
	Planes		planes = lsh_record_planes(layout, page, place);
	uint16		slots[SKETCH_MAX_HASHES];

	planes_join(&planes, layout->kind.num_hashes, layout->kind.method, slots);
	if (slots_are_empty(slots, layout->kind.num_hashes))
		return;
	rows->tids[rows->count] = lsh_record_tid(layout, page, place);
	rows->entries[rows->count].key = lsh_band_key(slots,
												  layout->kind.num_hashes,
												  rows->band);
	rows->entries[rows->count].number = (uint32) rows->count;
	rows->count++;
}

/* Append the keys of the records of a page in the band. */
static void
add_page(Page page, BlockNumber block, void *arg)
{
	Rows	   *rows = arg;

	make_room(rows, LSH_STORE_MAX);
	for (int place = 0; place < rows->layout.per_page; place++)
		if (lsh_record_is_used(page, place))
			add_record(rows, page, place);
}

/* Compute the keys of a band of all records. */
static void
make_keys(Rows *rows, int band)
{
	rows->count = 0;
	rows->band = band;
	lsh_visit_store(rows->index, add_page, rows);
}

/* Call a visitor for each run of equal keys. */
static void
visit_runs(const Rows *rows, const LshEntry *sorted, BucketVisitor visit,
		   void *arg)
{
	for (Size start = 0, end; start < rows->count; start = end)
	{
		Bucket		bucket = {
			.key = sorted[start].key,
			.table = rows->index->rd_index->indrelid
		};

		for (end = start; end < rows->count && sorted[end].key == bucket.key;
			 end++)
			bucket_add_rows(&bucket, &rows->tids[sorted[end].number], 1);
		visit(&bucket, arg);
	}
}

/* Show all buckets of an index to a visitor, in the order of their keys. */
void
lsh_visit_buckets(Relation index, BucketVisitor visit, void *arg)
{
	Rows		rows = {.index = index};
	Buffer		meta = lsh_read(index, LSH_META_BLOCK, BUFFER_LOCK_SHARE,
								LSH_META);

	lsh_layout_read(index, BufferGetPage(meta), &rows.layout);
	UnlockReleaseBuffer(meta);
	if (rows.layout.kind.num_hashes == 0)
		return;					/* no signature yet */
	rows.tids = palloc(1);
	rows.entries = palloc(1);
	rows.scratch = palloc(1);
	for (int band = 0; band < band_count(rows.layout.kind.num_hashes); band++)
	{
		make_keys(&rows, band);
		visit_runs(&rows, lsh_sort(rows.entries, rows.scratch, rows.count),
				   visit, arg);
	}
	pfree(rows.tids);
	pfree(rows.entries);
	pfree(rows.scratch);
}
