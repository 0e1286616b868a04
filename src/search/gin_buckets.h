/*-------------------------------------------------------------------------
 *
 * gin_buckets.h
 *	  Read the buckets of a GIN index of signatures.
 *
 * A bucket is a band key together with the rows that have it.  lsh_buckets.h
 * reads those of an lsh index and uses the same types.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GIN_BUCKETS_H
#define GIN_BUCKETS_H

#include "access/attnum.h"
#include "storage/itemptr.h"
#include "utils/relcache.h"

#define BUCKET_SAMPLES 16		/* rows kept, since some may be invisible */

/* A key of an index and its rows. */
typedef struct KeyBucket
{
	uint64		key;			/* see core/bands.h */
	int64		entries;		/* number of rows, dead ones included */
	Oid			table;
	int			num_samples;
	ItemPointerData samples[BUCKET_SAMPLES];	/* the first rows */
} KeyBucket;

/* Add the TIDs of rows to a bucket. */
static inline void
bucket_add_rows(KeyBucket *bucket, const ItemPointerData *rows, int count)
{
	for (int i = 0; i < count && bucket->num_samples < BUCKET_SAMPLES; i++)
		bucket->samples[bucket->num_samples++] = rows[i];
	bucket->entries += count;
}

/*
 * Called for each bucket, with the arg of the caller and no buffer locked.
 * The bucket is valid only during the call.
 */
typedef void (*BucketVisitor) (const KeyBucket *bucket, void *arg);

/* Return the number of a GIN index's first column of signatures, or 0. */
extern AttrNumber gin_signature_column(Relation index);

/*
 * Call visit for each bucket of a column of a GIN index, in key order.  The
 * caller holds at least AccessShareLock on the index.  Can be cancelled.  Rows
 * on the pending list are not included.
 */
extern void gin_visit_buckets(Relation index, AttrNumber column,
							  BucketVisitor visit, void *arg);

/* Return the number of heap rows on the pending list of a GIN index. */
extern int64 gin_count_pending(Relation index);

#endif							/* GIN_BUCKETS_H */
