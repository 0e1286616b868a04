/*-------------------------------------------------------------------------
 *
 * lsh_nearest.c
 *	  Rows in the order of their distances to a signature, batch by batch.
 *
 * Most ordered scans ask for few rows, but the access method is not told how
 * many.  So a scan makes a pass over the records for each batch of the nearest
 * rows: 64, 1,024, 16,384 and so on, as far as twice as many fit in work_mem.
 * The rows of a batch are collected; when there are twice as many as it keeps,
 * they are sorted, and the farther half is dropped.  From then on the planes of
 * a record reject it if it is farther than all that were kept (see
 * core/sketch/planes.c), so that most records cost little more than reading them.
 * In random order each sort comes after about twice as many records as the last
 * one, so there are O(log n) of them.  Rows as far as the farthest one kept are not
 * rejected, so among n copies there is a sort for every batch's worth of records.
 *
 * Order is exact.  A distance is 1 - equal / compared, where compared is at
 * most SKETCH_MAX_HASHES = 4,096; two that differ are more than 5e-8 apart, so
 * 30 bits hold their order.  The sort key has the distance in its upper 32
 * bits and the number of the record in the lower 32, which makes all rows
 * distinct: a batch begins after the last row of the previous batch.
 *
 * The distance between two empty sets is NULL, and sorts last.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/sketch/slots.h"
#include "lsh.h"

#define FIRST_ROWS 64			/* of the first batch */
#define KEY_ONE (INT64CONST(1) << 30)	/* distance 1 */
#define KEY_NULL INT64CONST(0x7FFFFFFF) /* distance NULL */
#define ROUNDING 1e-8			/* more than the rounding error of a key */

/* A row and the key by which it is sorted. */
typedef struct NearestItem
{
	int64		key;
	ItemPointerData tid;
} NearestItem;

struct LshNearest
{
	MemoryContext context;
	const LshLayout *layout;	/* of the records */
	const MinHash *target;		/* NULL if all distances are NULL */
	int			batch;			/* number of batches so far */
	bool		complete;		/* are there no rows after this batch? */
	int64		last;			/* key of the last row of the previous batch */
	NearestItem *items;			/* room for twice as many as the batch keeps */
	Size		used;
	Size		max;			/* rows that the batch keeps */
	Size		next;			/* item to return */
	PlaneQuery	query;			/* the target, unless it is NULL */
	double		limit;			/* threshold of the query; 0 if not set */
};

#define ST_SORT sort_items
#define ST_ELEMENT_TYPE NearestItem
#define ST_COMPARE(a, b) ((a)->key < (b)->key ? -1 : (a)->key > (b)->key)
#define ST_SCOPE static
#define ST_DEFINE
#define ST_CHECK_FOR_INTERRUPTS
#include "lib/sort_template.h"

/* Return the number of rows of a batch. */
Size
lsh_nearest_batch_rows(int batch)
{
	Size		most = work_mem * (Size) 1024 / (2 * sizeof(NearestItem));

	return Max(FIRST_ROWS,
			   Min((Size) FIRST_ROWS << 4 * Min(batch, LSH_LAST_SIZE), most));
}

/* Prepare to order records by their distances to a target. */
LshNearest *
lsh_nearest_create(const LshLayout *layout, const MinHash *target)
{
	LshNearest *nearest = palloc0(sizeof(LshNearest));

	nearest->context = CurrentMemoryContext;
	nearest->layout = layout;
	nearest->target = target;
	nearest->last = -1;
	if (target != NULL)
		plane_query_init(&nearest->query,
						 palloc(plane_query_size(target->num_hashes)),
						 target->slots, target->num_hashes, target->method, 0);
	return nearest;
}

/* Begin a batch after the last row of the previous batch. */
bool
lsh_nearest_begin(LshNearest *nearest)
{
	if (nearest->complete)
		return false;
	if (nearest->batch > 0)
	{
		nearest->last = nearest->items[nearest->used - 1].key;
		pfree(nearest->items);
	}
	nearest->max = lsh_nearest_batch_rows(nearest->batch++);
	nearest->items = MemoryContextAlloc(nearest->context,
										2 * nearest->max * sizeof(NearestItem));
	nearest->used = nearest->next = 0;
	nearest->limit = 0;
	nearest->complete = true;
	return true;
}

/*** Adding rows ***/

/*
 * Sort the items of a batch, and drop those beyond its size.  If it is full, let
 * the planes reject records farther than its last item.
 */
static void
keep_nearest(LshNearest *nearest)
{
	double		similarity;

	sort_items(nearest->items, nearest->used);
	if (nearest->used < nearest->max)
		return;
	nearest->complete &= nearest->used == nearest->max;
	nearest->used = nearest->max;
	similarity = 1 - ROUNDING -
		(double) (nearest->items[nearest->max - 1].key >> 32) / KEY_ONE;
	if (nearest->target == NULL || similarity <= nearest->limit)
		return;
	nearest->limit = similarity;
	plane_query_threshold(&nearest->query, similarity);
}

/* Return the distance to the target as the upper half of a sort key. */
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
add_record(LshNearest *nearest, Relation index, Page page, BlockNumber block,
		   int place)
{
	const LshLayout *layout = nearest->layout;
	NearestItem new;
	Planes		planes = lsh_record_planes(layout, page, place);
	uint16		slots[SKETCH_MAX_HASHES];

	new.tid = lsh_record_tid(index, layout, page, block, place);
	planes_join(&planes, layout->kind.num_hashes, layout->kind.method, slots);
	new.key = distance_key(nearest->target, slots) | lsh_number(layout, block, place);
	if (new.key <= nearest->last)
		return;					/* in an earlier batch */
	nearest->items[nearest->used++] = new;
	if (nearest->used == 2 * nearest->max)
		keep_nearest(nearest);
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
			add_record(nearest, index, page, block, places[i]);
}

/*** Returning rows ***/

/* Return the next rows of the batch. */
int
lsh_nearest_fetch(LshNearest *nearest, ItemPointer tids, int max)
{
	int			count = 0;

	if (nearest->next == 0 && nearest->used > 0)
		keep_nearest(nearest);
	while (count < max && nearest->next < nearest->used)
		tids[count++] = nearest->items[nearest->next++].tid;
	return count;
}
