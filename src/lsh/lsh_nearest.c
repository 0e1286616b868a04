/*-------------------------------------------------------------------------
 *
 * lsh_nearest.c
 *	  Rows in the order of their distances to signatures, batch by batch.
 *
 * Most ordered scans ask for few rows, but the access method is not told how
 * many.  So the first three batches, of 64, 1,024 and 16,384 rows, are the
 * nearest rows in a bounded heap: once it is full, the planes of a record reject
 * it if it is farther than all rows in the heap (see core/sketch/planes.c), so
 * that most records cost little more than reading them.  The last batch, which
 * begins earlier if the second or third heap would exceed work_mem, is
 * everything else: each distance is computed once, and a tuplesort orders the
 * rows, in work_mem or through temporary files.  (With bounded tuplesorts
 * instead of the heap, a scan of 2,000 rows takes an eighth more time.)  A scan
 * therefore reads the records at most four times, however many rows are
 * fetched.
 *
 * Order is exact.  A distance is 1 - equal / compared, where compared is at
 * most SKETCH_MAX_HASHES = 4,096; two that differ are more than 5e-8 apart, so
 * 30 bits hold their order.  The sort key has the distance in its upper 32
 * bits and, in the last key of a row, the number of the record in the lower
 * 32, which makes all rows distinct: a batch begins after the last row of the
 * previous batch.
 *
 * The distance between two empty sets is NULL, and sorts last.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_operator_d.h"
#include "catalog/pg_type_d.h"
#include "executor/tuptable.h"
#include "lib/binaryheap.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"

#include "core/sketch/slots.h"
#include "lsh.h"

#define KEY_ONE (INT64CONST(1) << 30)	/* distance 1 */
#define KEY_NULL INT64CONST(0x7FFFFFFF) /* distance NULL */
#define ROUNDING 1e-8			/* more than the rounding error of a key */

/* A row and the keys by which it is sorted, one for each target. */
typedef struct NearestItem
{
	ItemPointerData tid;
	int64		keys[FLEXIBLE_ARRAY_MEMBER];
} NearestItem;

struct LshNearest
{
	MemoryContext context;
	const LshLayout *layout;	/* of the records */
	int			count;			/* number of targets */
	const MinHash **targets;	/* NULL for a distance that is NULL */
	int			batch;			/* number of batches so far */
	bool		complete;		/* are there no rows after this batch? */
	NearestItem *last;			/* last row of the previous batch */
	NearestItem *new;			/* the row that is being added */

	/* the heap, with the farthest row on top */
	binaryheap *heap;			/* of pointers to items */
	Size		item_size;
	char	   *items;
	int			used;
	int			max;			/* 0 in the last batch */
	int			next;			/* item to return */
	PlaneQuery	query;			/* the first target, unless it is NULL */
	double		limit;			/* threshold of the query; 0 if not set */

	/* the sort of the last batch */
	Tuplesortstate *sort;		/* NULL before that batch */
	TupleTableSlot *input;
	TupleTableSlot *output;
};

/* Return the size of an item, in bytes. */
static inline Size
item_size(int targets)
{
	return offsetof(NearestItem, keys) + sizeof(int64) * targets;
}

/* Return the number of rows of a batch; 0 for the last. */
int
lsh_nearest_batch_rows(int batch, int targets)
{
	static const int rows[] = {64, 1024, 16384};
	Size		row_size = item_size(targets) + sizeof(Datum);

	if (batch == (int) lengthof(rows) ||
		(batch > 0 && rows[batch] * row_size > work_mem * (Size) 1024))
		return 0;
	return rows[batch];
}

/* Return item i of the batch. */
static inline NearestItem *
item_at(const LshNearest *nearest, int i)
{
	return (NearestItem *) (nearest->items + i * nearest->item_size);
}

/* Compare two items by their keys, as qsort_arg() does. */
static int
compare_items(const void *a, const void *b, void *arg)
{
	const LshNearest *nearest = arg;
	const NearestItem *x = a;
	const NearestItem *y = b;

	for (int i = 0; i < nearest->count; i++)
		if (x->keys[i] != y->keys[i])
			return x->keys[i] < y->keys[i] ? -1 : 1;
	return 0;
}

/* Prepare to order records by their distances to some targets. */
LshNearest *
lsh_nearest_create(const LshLayout *layout, const MinHash **targets, int count)
{
	LshNearest *nearest = palloc0(sizeof(LshNearest));
	const MinHash *first = targets[0];

	nearest->context = CurrentMemoryContext;
	nearest->layout = layout;
	nearest->count = count;
	nearest->targets = targets;
	nearest->item_size = item_size(count);
	nearest->last = palloc0(nearest->item_size);
	nearest->new = palloc0(nearest->item_size);
	if (first != NULL)
		plane_query_init(&nearest->query,
						 palloc(plane_query_size(first->num_hashes)),
						 first->slots, first->num_hashes, first->method, 0);
	return nearest;
}

/*** The heap ***/

/* Compare two items, given by pointers, as a binaryheap does. */
static int
compare_pointers(Datum a, Datum b, void *arg)
{
	return compare_items(DatumGetPointer(a), DatumGetPointer(b), arg);
}

/*
 * Let the planes reject records farther than the top of a full heap.  The
 * threshold follows the top in steps of a slot, because setting it takes time.
 */
static void
set_limit(LshNearest *nearest, const NearestItem *farthest)
{
	double		similarity = 1 - ROUNDING - (double) (farthest->keys[0] >> 32) / KEY_ONE;

	if (nearest->targets[0] == NULL ||
		similarity - nearest->limit < 1.0 / nearest->layout->kind.num_hashes)
		return;
	nearest->limit = similarity;
	plane_query_threshold(&nearest->query, similarity);
}

/* Add the new item to the heap if it is nearer than the farthest there. */
static void
add_to_heap(LshNearest *nearest)
{
	NearestItem *place = item_at(nearest, nearest->used);

	if (nearest->used < nearest->max)
	{
		memcpy(place, nearest->new, nearest->item_size);
		binaryheap_add(nearest->heap, PointerGetDatum(place));
		if (++nearest->used < nearest->max)
			return;
	}
	else
	{
		nearest->complete = false;
		place = (NearestItem *) DatumGetPointer(binaryheap_first(nearest->heap));
		if (compare_items(nearest->new, place, nearest) >= 0)
			return;
		memcpy(place, nearest->new, nearest->item_size);
		binaryheap_replace_first(nearest->heap, PointerGetDatum(place));
	}
	set_limit(nearest, (NearestItem *) DatumGetPointer(binaryheap_first(nearest->heap)));
}

/*** The sort ***/

/* Begin to sort all rows that are left: tuples of their keys and TIDs. */
static void
begin_sort(LshNearest *nearest)
{
	int			count = nearest->count;
	TupleDesc	columns = CreateTemplateTupleDesc(count + 1);
	AttrNumber *numbers = palloc(sizeof(AttrNumber) * count);
	Oid		   *operators = palloc(sizeof(Oid) * count);
	Oid		   *collations = palloc0(sizeof(Oid) * count);
	bool	   *nulls_first = palloc0(sizeof(bool) * count);

	for (int i = 0; i < count; i++)
	{
		numbers[i] = (AttrNumber) (i + 1);
		operators[i] = Int8LessOperator;
		TupleDescInitEntry(columns, numbers[i], NULL, INT8OID, -1, 0);
	}
	TupleDescInitEntry(columns, (AttrNumber) (count + 1), NULL, TIDOID, -1, 0);
	TupleDescFinalize(columns);
	nearest->sort = tuplesort_begin_heap(columns, count, numbers, operators,
										 collations, nulls_first, work_mem,
										 NULL, TUPLESORT_NONE);
	nearest->input = MakeSingleTupleTableSlot(columns, &TTSOpsVirtual);
	nearest->output = MakeSingleTupleTableSlot(columns, &TTSOpsMinimalTuple);
}

/* Add the new item to the sort. */
static void
add_to_sort(LshNearest *nearest)
{
	TupleTableSlot *slot = nearest->input;
	NearestItem *item = nearest->new;

	ExecClearTuple(slot);
	for (int i = 0; i < nearest->count; i++)
		slot->tts_values[i] = FLOAT8PASSBYVAL ? Int64GetDatum(item->keys[i]) :
			PointerGetDatum(&item->keys[i]);
	slot->tts_values[nearest->count] = PointerGetDatum(&item->tid);
	memset(slot->tts_isnull, 0, sizeof(bool) * (nearest->count + 1));
	ExecStoreVirtualTuple(slot);
	tuplesort_puttupleslot(nearest->sort, slot);
}

/* End the sort, if it has begun; the memory context frees the rest. */
void
lsh_nearest_free(LshNearest *nearest)
{
	if (nearest->sort != NULL)
		tuplesort_end(nearest->sort);
}

/*** Adding rows ***/

/* Return the distance to a target as the upper half of a sort key. */
static int64
distance_key(const MinHash *target, const uint16 *slots)
{
	int			equal;
	int			compared;

	if (target == NULL)
		return KEY_NULL << 32;
	slots_compare(slots, target->slots, target->num_hashes, &equal, &compared);
	if (compared == 0)
		return KEY_NULL << 32;
	return (int64) ((1 - (double) equal / compared) * KEY_ONE) << 32;
}

/* Add a record to the batch if it belongs there. */
static void
add_to_batch(LshNearest *nearest, Relation index, Page page, BlockNumber block,
			 int place)
{
	const LshLayout *layout = nearest->layout;
	NearestItem *new = nearest->new;
	Planes		planes = lsh_record_planes(layout, page, place);
	uint16		slots[SKETCH_MAX_HASHES];

	new->tid = lsh_record_tid(index, layout, page, block, place);
	planes_join(&planes, layout->kind.num_hashes, layout->kind.method, slots);
	for (int i = 0; i < nearest->count; i++)
		new->keys[i] = distance_key(nearest->targets[i], slots);
	new->keys[nearest->count - 1] |= lsh_number(layout, block, place);
	if (nearest->batch > 1 && compare_items(new, nearest->last, nearest) <= 0)
		return;					/* in an earlier batch */
	if (nearest->sort != NULL)
		add_to_sort(nearest);
	else
		add_to_heap(nearest);
}

/* Add the records at some places of a page, as far as they belong there. */
void
lsh_nearest_add(LshNearest *nearest, Relation index, Page page,
				BlockNumber block, int count, uint16 *places)
{
	Planes		planes = lsh_record_planes(nearest->layout, page, 0);
	int			found = count;

	if (nearest->limit > 0)
		found = planes_filter(&nearest->query, &planes,
							  nearest->layout->plane_size, count, places);
	nearest->complete &= found == count;
	for (int i = 0; i < found; i++)
		if (lsh_record_is_used(page, places[i]))
			add_to_batch(nearest, index, page, block, places[i]);
}

/*** Batches ***/

/* Begin a batch after the last row of the previous batch. */
static void
begin_batch(LshNearest *nearest)
{
	if (nearest->batch > 0)
	{
		memcpy(nearest->last, item_at(nearest, nearest->used - 1),
			   nearest->item_size);
		pfree(nearest->items);
		binaryheap_free(nearest->heap);
	}
	nearest->max = lsh_nearest_batch_rows(nearest->batch++, nearest->count);
	if (nearest->max > 0)
	{
		nearest->items = palloc(nearest->item_size * nearest->max);
		nearest->heap = binaryheap_allocate(nearest->max, compare_pointers,
											nearest);
	}
	else
		begin_sort(nearest);
	nearest->used = nearest->next = 0;
	nearest->limit = 0;
	nearest->complete = true;
}

/* Return the next row of the batch, or NULL. */
static ItemPointer
next_of_batch(LshNearest *nearest)
{
	TupleTableSlot *slot = nearest->output;
	bool		is_null;

	if (nearest->sort == NULL)
		return nearest->next == nearest->used ? NULL :
			&item_at(nearest, nearest->next++)->tid;
	if (!tuplesort_gettupleslot(nearest->sort, true, false, slot, NULL))
		return NULL;
	return (ItemPointer) DatumGetPointer(slot_getattr(slot, nearest->count + 1,
													  &is_null));
}

/* Set *tid to the next row; return false if there is none. */
bool
lsh_nearest_next(LshNearest *nearest, ItemPointer tid,
				 void (*add_all) (void *arg), void *arg)
{
	ItemPointer next;

	while ((next = next_of_batch(nearest)) == NULL)
	{
		MemoryContext old;

		if (nearest->complete)
			return false;
		old = MemoryContextSwitchTo(nearest->context);
		begin_batch(nearest);
		add_all(arg);
		if (nearest->sort != NULL)
			tuplesort_performsort(nearest->sort);
		else
			qsort_arg(nearest->items, nearest->used, nearest->item_size,
					  compare_items, nearest);
		MemoryContextSwitchTo(old);
	}
	*tid = *next;
	return true;
}
