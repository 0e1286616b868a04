/*-------------------------------------------------------------------------
 *
 * lsh_order.c
 *	  Scans of an lsh index in the order of a distance.
 *
 * The distances of the records that meet the conditions are computed, and are
 * those that the operator <-> gives, to the last bit.  The nearest are kept in
 * a heap, sorted, and returned; when more are asked for, the records are looked
 * at again for those that come behind them.  The heap is small at first, since
 * few rows are asked for as a rule, and grows up to work_mem; so the scan is
 * exact and can return all rows in little memory.  Once the heap is full, most
 * records are rejected by their planes (see core/planes.c), as farther than
 * all in it.
 *
 * Distances that are NULL come last: of two empty sets, kept as infinite, and
 * of rows that are NULL, which are not in the store.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/float.h"
#include "utils/memutils.h"

#include "lsh_scan.h"

#define ROUNDING 1e-9			/* far more than what a distance is off by */

/* A row and its distances; those of the others follow the first. */
typedef struct OrderItem
{
	uint32		number;
	ItemPointerData tid;
	double		distances[FLEXIBLE_ARRAY_MEMBER];
} OrderItem;

struct LshOrder
{
	int			count;			/* of signatures to which the distance is */
	const MinHash **targets;	/* NULL for a distance that is NULL */
	PlaneQuery	query;			/* the first of them, unless it is NULL */
	double		limit;			/* the query's threshold; 0 for none yet */
	Size		item_size;
	char	   *items;
	Size		used;
	Size		max;			/* items of this batch */
	Size		most;			/* of any batch */
	Size		next;
	bool		loaded;			/* is there a batch? */
	bool		complete;		/* are there surely no rows behind this batch? */
	OrderItem  *last;			/* the last one of the batch before */
	OrderItem  *new;			/* the one that is being looked at */
	IndexOrderByDistance *result;
	Oid		   *types;
};

/* Return an item of the batch. */
static inline OrderItem *
item_at(const LshOrder *order, Size i)
{
	return (OrderItem *) (order->items + i * order->item_size);
}

/* Order two items by their distances, then by their numbers. */
static int
compare_items(const void *a, const void *b, void *arg)
{
	const LshOrder *order = arg;
	const OrderItem *x = a;
	const OrderItem *y = b;

	for (int i = 0; i < order->count; i++)
		if (x->distances[i] != y->distances[i])
			return x->distances[i] < y->distances[i] ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Prepare to order by the distances to some signatures. */
LshOrder *
lsh_order_begin(IndexScanDesc scan, const MinHash **targets)
{
	LshOrder   *order = palloc0(sizeof(LshOrder));
	int			count = scan->numberOfOrderBys;

	order->count = count;
	order->targets = targets;
	order->result = palloc0(sizeof(IndexOrderByDistance) * count);
	order->types = palloc(sizeof(Oid) * count);
	for (int i = 0; i < count; i++)
		order->types[i] = FLOAT8OID;
	if (targets[0] != NULL)
		plane_query_init(&order->query,
						 palloc(plane_query_size(targets[0]->num_hashes)),
						 targets[0]->slots, targets[0]->num_hashes,
						 targets[0]->method, 0);
	order->item_size = MAXALIGN(offsetof(OrderItem, distances) +
								sizeof(double) * count);
	order->most = Max(work_mem * (Size) 1024 / order->item_size, LSH_FIRST_BATCH);
	order->new = palloc0(order->item_size);
	order->last = palloc0(order->item_size);
	return order;
}

/* Return the distance of a signature; infinite if it is NULL. */
static double
distance_to(const MinHash *target, const uint16 *slots)
{
	int			equal;
	int			compared;

	if (target == NULL)
		return get_float8_infinity();
	slots_compare(slots, target->slots, target->num_hashes, &equal, &compared);
	if (compared == 0)
		return get_float8_infinity();
	return 1 - (double) equal / compared;
}

/* Put an item where the farthest was, and the farthest of all on top. */
static void
sift_down(LshOrder *order, const OrderItem *item)
{
	Size		hole = 0;

	for (;;)
	{
		Size		child = 2 * hole + 1;

		if (child >= order->used)
			break;
		if (child + 1 < order->used &&
			compare_items(item_at(order, child), item_at(order, child + 1),
						  order) < 0)
			child++;
		if (compare_items(item_at(order, child), item, order) <= 0)
			break;
		memcpy(item_at(order, hole), item_at(order, child), order->item_size);
		hole = child;
	}
	memcpy(item_at(order, hole), item, order->item_size);
}

/* Put an item at the end, and move it up to its place. */
static void
sift_up(LshOrder *order, const OrderItem *item)
{
	Size		hole = order->used++;

	while (hole > 0)
	{
		Size		parent = (hole - 1) / 2;

		if (compare_items(item_at(order, parent), item, order) >= 0)
			break;
		memcpy(item_at(order, hole), item_at(order, parent), order->item_size);
		hole = parent;
	}
	memcpy(item_at(order, hole), item, order->item_size);
}

/*
 * Reject records that are farther than the farthest of a full heap: after the
 * heap has changed, but not for less than a slot.
 */
static void
set_limit(LshOrder *order)
{
	double		similarity;

	if (order->used < order->max || order->targets[0] == NULL)
		return;
	similarity = 1 - item_at(order, 0)->distances[0] - ROUNDING;
	if (similarity - order->limit < 1.0 / order->targets[0]->num_hashes)
		return;
	order->limit = similarity;
	plane_query_threshold(&order->query, similarity);
}

/*
 * Find those of some records that may be among the nearest, by their planes,
 * as planes_filter does.
 */
int
lsh_order_filter(LshOrder *order, const Planes *planes, Size stride, int count,
				 uint16 *places)
{
	int			found;

	if (order->limit > 0)
		found = planes_filter(&order->query, planes, stride, count, places);
	else
		for (found = 0; found < count; found++)
			places[found] = (uint16) found;
	if (found < count)
		order->complete = false;
	return found;
}

/* Look at a record that meets the conditions: is it among the nearest? */
void
lsh_order_add(LshOrder *order, const Planes *planes, const MinHashKind *kind,
			  uint32 number, ItemPointerData tid)
{
	OrderItem  *new = order->new;
	uint16		slots[SKETCH_MAX_HASHES];

	if (order->limit > 0 && !planes_may_be_similar(&order->query, planes))
	{
		order->complete = false;
		return;
	}
	planes_join(planes, kind->num_hashes, kind->method, slots);
	for (int i = 0; i < order->count; i++)
		new->distances[i] = distance_to(order->targets[i], slots);
	new->number = number;
	new->tid = tid;
	if (order->loaded && compare_items(new, order->last, order) <= 0)
		return;					/* in an earlier batch */
	if (order->used < order->max)
		sift_up(order, new);
	else
	{
		order->complete = false;
		if (compare_items(new, item_at(order, 0), order) < 0)
			sift_down(order, new);
	}
	set_limit(order);
}

/* Read the next batch. */
static void
load_batch(IndexScanDesc scan)
{
	LshScan    *lsh = scan->opaque;
	LshOrder   *order = lsh->order;
	MemoryContext old = MemoryContextSwitchTo(lsh->context);

	if (order->loaded)
	{
		memcpy(order->last, item_at(order, order->used - 1), order->item_size);
		pfree(order->items);
	}
	order->max = order->loaded ? Min(order->max * LSH_BATCH_GROWTH, order->most) :
		Min(LSH_FIRST_BATCH, order->most);
	order->items = MemoryContextAllocHuge(lsh->context,
										  order->item_size * order->max);
	order->used = 0;
	order->next = 0;
	order->limit = 0;
	order->complete = true;
	lsh_scan_restart(lsh);
	while (lsh_scan_page(scan))
		;
	order->loaded = true;
	qsort_arg(order->items, order->used, order->item_size, compare_items,
			  order);
	MemoryContextSwitchTo(old);
}

/* Tell the executor the distances of the row that is returned. */
static void
store_distances(IndexScanDesc scan, const OrderItem *item)
{
	LshScan    *lsh = scan->opaque;
	LshOrder   *order = lsh->order;

	for (int i = 0; i < order->count; i++)
	{
		double		distance = item == NULL ? get_float8_infinity() :
			item->distances[i];

		order->result[i].isnull = isinf(distance);
		order->result[i].value = order->result[i].isnull ? 0 : distance;
	}
	index_store_float8_orderby_distances(scan, order->types, order->result,
										 false);
}

/* Return the next row in the order of its distance. */
bool
lsh_order_next(IndexScanDesc scan)
{
	LshScan    *lsh = scan->opaque;
	LshOrder   *order = lsh->order;

	if (!order->loaded)
		load_batch(scan);
	if (order->next == order->used && !order->complete)
		load_batch(scan);
	if (order->next < order->used)
	{
		const OrderItem *item = item_at(order, order->next++);

		scan->xs_heaptid = item->tid;
		store_distances(scan, item);
		return true;
	}
	while (lsh->next == lsh->count)
		if (!lsh_scan_nulls(scan))
			return false;
	scan->xs_heaptid = lsh->tids[lsh->next++];
	store_distances(scan, NULL);
	return true;
}
