/*-------------------------------------------------------------------------
 *
 * gin_buckets.h
 *	  Read the buckets of a GIN index of signatures.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GIN_BUCKETS_H
#define GIN_BUCKETS_H

#include "access/attnum.h"
#include "storage/itemptr.h"
#include "utils/relcache.h"

#define BUCKET_SAMPLES 16		/* rows kept, since some may be invisible */

/* A key of an index, and who has it. */
typedef struct Bucket
{
	uint64		key;
	int64		entries;
	Oid			table;
	int			num_samples;
	ItemPointerData samples[BUCKET_SAMPLES];	/* its first rows */
} Bucket;

/* Add rows to a bucket. */
static inline void
bucket_add_rows(Bucket *bucket, const ItemPointerData *rows, int count)
{
	for (int i = 0; i < count && bucket->num_samples < BUCKET_SAMPLES; i++)
		bucket->samples[bucket->num_samples++] = rows[i];
	bucket->entries += count;
}

/* What is done with a bucket. */
typedef void (*BucketVisitor) (const Bucket *bucket, void *arg);

extern AttrNumber gin_signature_column(Relation index);
extern void gin_visit_buckets(Relation index, AttrNumber column,
							  BucketVisitor visit, void *arg);
extern int64 gin_count_pending(Relation index);

#endif							/* GIN_BUCKETS_H */
