/*-------------------------------------------------------------------------
 *
 * lsh_buckets.c
 *	  Buckets of an lsh index: the rows that share the key of a band.
 *
 * A bucket is a run of equal keys.  The leaves of an index of passages have
 * whole keys in order.  Those of signatures have only fragments, so this file
 * computes the keys from the store, one band after another, and sorts them.
 * That uses 38 bytes of memory for each record that the pages have room for,
 * and reads the store once per band.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "lsh_buckets.h"
#include "lsh_leaf.h"
#include "lsh_sort.h"
#include "lsh_store.h"
#include "lsh_tree.h"
#include "support/server_memory.h"

/* The rows of the store, in the order of their records. */
typedef struct Rows
{
	Relation	index;
	LshLayout	layout;
	LshNumbers	blocks;			/* of the store */
	int			band;			/* whose keys are computed */
	Size		count;
	ItemPointerData *tids;
	LshEntry   *entries;		/* key, and index into tids */
	LshEntry   *scratch;
} Rows;

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

/* Compute the keys of a band of all records. */
static void
make_keys(Rows *rows, int band)
{
	rows->count = 0;
	rows->band = band;
	for (Size i = 0; i < rows->blocks.count; i++)
	{
		Buffer		buffer = lsh_read(rows->index, rows->blocks.numbers[i],
									  BUFFER_LOCK_SHARE, LSH_STORE);
		Page		page = BufferGetPage(buffer);

		for (int place = 0; place < rows->layout.per_page; place++)
			if (lsh_record_is_used(page, place))
				add_record(rows, page, place);
		UnlockReleaseBuffer(buffer);
		CHECK_FOR_INTERRUPTS();
	}
}

/* Call a visitor for each run of equal keys. */
static void
visit_runs(const Rows *rows, const LshEntry *sorted, BucketVisitor visit,
		   void *arg)
{
	for (Size start = 0, end; start < rows->count; start = end)
	{
		KeyBucket	bucket = {
			.key = sorted[start].key,
			.table = rows->index->rd_index->indrelid
		};

		for (end = start; end < rows->count && sorted[end].key == bucket.key;
			 end++)
			bucket_add_rows(&bucket, &rows->tids[sorted[end].number], 1);
		visit(&bucket, arg);
	}
}

/* Add a record to a bucket; visit the last one if it has another key. */
static void
add_entry(Relation index, const LshLayout *layout, KeyBucket *bucket,
		  const LshEntry *entry, BucketVisitor visit, void *arg)
{
	ItemPointerData tid;

	if (bucket->entries > 0 && bucket->key != entry->key)
	{
		visit(bucket, arg);
		bucket->entries = bucket->num_samples = 0;
	}
	bucket->key = entry->key;
	bucket->entries++;
	if (bucket->num_samples == BUCKET_SAMPLES)
		return;
	tid = lsh_store_tid(index, layout, entry->number);
	if (ItemPointerIsValid(&tid))
		bucket->samples[bucket->num_samples++] = tid;
}

/* Call a visitor for each bucket of an index of passages. */
static void
visit_passages(Relation index, const LshLayout *layout, BucketVisitor visit,
			   void *arg)
{
	LshEntry   *entries = palloc(sizeof(LshEntry) * LSH_LEAF_MAX);
	BlockNumber block = lsh_tree_descend(index, 0, true);
	BlockNumber steps = 0;
	KeyBucket	bucket = {.table = index->rd_index->indrelid};

	while (block != InvalidBlockNumber)
	{
		int			count;

		block = lsh_leaf_read(index, block, entries, &count);
		for (int i = 0; i < count; i++)
			add_entry(index, layout, &bucket, &entries[i], visit, arg);
		CHECK_FOR_INTERRUPTS();
		lsh_step(index, block, &steps);
	}
	if (bucket.entries > 0)
		visit(&bucket, arg);
	pfree(entries);
}

/* Call a visitor for each bucket of an index. */
void
lsh_visit_buckets(Relation index, BucketVisitor visit, void *arg)
{
	Rows		rows = {.index = index};
	uint64		max;

	lsh_meta_read(index, NULL, &rows.layout);
	if (rows.layout.content == LSH_PASSAGES)
		visit_passages(index, &rows.layout, visit, arg);
	if (rows.layout.kind.num_hashes == 0)
		return;					/* no signature yet */
	rows.blocks = lsh_store_blocks(index);
	max = (uint64) rows.blocks.count * rows.layout.per_page;
	rows.tids = alloc_array(max, sizeof(ItemPointerData));
	rows.entries = alloc_array(max, sizeof(LshEntry));
	rows.scratch = alloc_array(max, sizeof(LshEntry));
	for (int band = 0; band < band_count(rows.layout.kind.num_hashes); band++)
	{
		make_keys(&rows, band);
		visit_runs(&rows, lsh_sort(rows.entries, rows.scratch, rows.count),
				   visit, arg);
	}
	if (rows.blocks.numbers != NULL)
		pfree(rows.blocks.numbers);
	pfree(rows.tids);
	pfree(rows.entries);
	pfree(rows.scratch);
}
