/*-------------------------------------------------------------------------
 *
 * batch.h
 *	  Collect hashes, since a sketch takes many at once faster than one by one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BATCH_H
#define BATCH_H

#include "core/sketch.h"

#define BATCH_SIZE 1024			/* hashes that are added at once */

/* Hashes that are to be added at once. */
typedef struct Batch
{
	Sketch	   *sketch;
	int			count;
	uint64		hashes[BATCH_SIZE];
} Batch;

/* Add what has been collected. */
static inline void
flush_batch(Batch *batch)
{
	sketch_add(batch->sketch, batch->hashes, batch->count);
	batch->count = 0;
}

/* Add the hash of an element, now or later. */
static inline void
add_to_batch(Batch *batch, uint64 hash)
{
	batch->hashes[batch->count++] = hash;
	if (batch->count == BATCH_SIZE)
		flush_batch(batch);
}

#endif							/* BATCH_H */
