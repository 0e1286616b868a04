/*-------------------------------------------------------------------------
 *
 * lsh_nearest.h
 *	  Rows in the order of their distances to signatures, batch by batch.
 *
 * Order of calls: lsh_nearest_create(); then, for each batch,
 * lsh_nearest_begin_batch(), lsh_nearest_add() for every record, in any order,
 * lsh_nearest_end_batch(), and lsh_nearest_next() until it returns false.
 * Another batch follows unless lsh_nearest_is_complete().  The caller passes
 * the same records again for each batch; rows already returned are left out.
 * lsh_nearest_free() ends the series at any time.
 *
 * No function takes or needs a lock.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_NEAREST_H
#define LSH_NEAREST_H

#include "storage/itemptr.h"

#include "core/sketch/planes.h"
#include "type/minhash.h"

typedef struct LshNearest LshNearest;

/*
 * Return the number of rows in a batch, the first being batch 0, of an order
 * by the distances to count targets; 0 if the batch has all rows that are left.
 * The number depends on work_mem.
 */
extern size_t lsh_nearest_batch_rows(int batch, int count);

/*
 * Prepare to order records of a kind by their distances to count >= 1 targets
 * of that kind: by the distance to the first, then to the second, and so on,
 * then by the number of the record.  A target that is NULL makes its distance
 * NULL, which sorts last.  The current memory context holds the result and all
 * that it allocates later; targets must live as long.
 */
extern LshNearest *lsh_nearest_create(const MinHashKind *kind,
									  const MinHash **targets, int count);

/* Release the sort of the last batch, with its temporary files. */
extern void lsh_nearest_free(LshNearest *nearest);

/* Discard the batch, if there is one, and prepare the next. */
extern void lsh_nearest_begin_batch(LshNearest *nearest);

/*
 * Find the records of a page that may belong to the batch; only these need to
 * be added.  Arguments and result are those of planes_filter().
 */
extern int	lsh_nearest_filter(LshNearest *nearest, const Planes *planes,
							   size_t stride, int count, uint16 *places);

/* Add a record to the batch if it belongs there. */
extern void lsh_nearest_add(LshNearest *nearest, const Planes *planes,
							uint32 number, ItemPointerData tid);

/* Sort the batch, when all records have been added. */
extern void lsh_nearest_end_batch(LshNearest *nearest);

/* Set *tid to the next row of the batch; return false if there is none. */
extern bool lsh_nearest_next(LshNearest *nearest, ItemPointer tid);

/* Return true if no rows are left after this batch. */
extern bool lsh_nearest_is_complete(const LshNearest *nearest);

#endif							/* LSH_NEAREST_H */
