/*-------------------------------------------------------------------------
 *
 * lsh_buckets.h
 *	  Buckets of an lsh index: the rows that share the key of a band.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_BUCKETS_H
#define LSH_BUCKETS_H

#include "search/gin_buckets.h"

/*
 * Call a function for each bucket, in the order of keys, with no lock held.
 * Includes dead rows that VACUUM has not removed.
 */
extern void lsh_visit_buckets(Relation index, BucketVisitor visit, void *arg);

#endif							/* LSH_BUCKETS_H */
