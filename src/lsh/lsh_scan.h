/*-------------------------------------------------------------------------
 *
 * lsh_scan.h
 *	  A scan of an lsh index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_SCAN_H
#define LSH_SCAN_H

#include "access/relscan.h"

#include "lsh_store.h"
#include "lsh_tree.h"

/* A condition: similar to this. */
typedef struct LshCondition
{
	const MinHash *sig;
	BandPlan	plan;
	PlaneQuery	query;
} LshCondition;

#define LSH_FIRST_BATCH 64		/* rows that an ordered scan keeps at first */
#define LSH_BATCH_GROWTH 4		/* by which later batches are larger */

/* The state of an ordered scan, see lsh_order.c. */
typedef struct LshOrder LshOrder;

typedef struct LshScan
{
	MemoryContext context;		/* what lives until the next rescan */
	bool		started;
	Snapshot	snapshot;		/* for which it reads */
	LshLayout	layout;
	int			condition_count;
	LshCondition *conditions;
	bool		nothing;		/* a condition is NULL, so no row meets it */
	bool		unlike;			/* the search is of another kind */
	bool		walks;			/* all records are looked at */
	LshNumbers	candidates;		/* else these */
	Size		next_candidate;
	BlockNumber blocks;			/* in the index, at least */
	LshWalk		walk;
	BlockNumber next_nulls;		/* page of NULLs, or none */
	LshOrder   *order;			/* NULL if there is no order */
	int			count;			/* rows found on one page */
	int			next;
	ItemPointerData tids[BLCKSZ / sizeof(ItemPointerData)];
} LshScan;

extern void lsh_scan_start(IndexScanDesc scan);
extern void lsh_scan_restart(LshScan *lsh);
extern bool lsh_scan_page(IndexScanDesc scan);
extern bool lsh_scan_nulls(IndexScanDesc scan);

extern LshOrder *lsh_order_begin(IndexScanDesc scan, const MinHash **targets);
extern int	lsh_order_filter(LshOrder *order, const Planes *planes,
							 Size stride, int count, uint16 *places);
extern void lsh_order_add(LshOrder *order, const Planes *planes,
						  const MinHashKind *kind, uint32 number,
						  ItemPointerData tid);
extern bool lsh_order_next(IndexScanDesc scan);

#endif							/* LSH_SCAN_H */
