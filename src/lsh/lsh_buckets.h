/*-------------------------------------------------------------------------
 *
 * lsh_buckets.h
 *	  Read the buckets of an lsh index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_BUCKETS_H
#define LSH_BUCKETS_H

#include "search/gin_buckets.h"

extern void lsh_visit_buckets(Relation index, BucketVisitor visit, void *arg);

#endif							/* LSH_BUCKETS_H */
