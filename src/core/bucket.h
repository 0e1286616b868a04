/*-------------------------------------------------------------------------
 *
 * bucket.h
 *	  What cluster.c and bucket.c share: entries, buckets, components.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BUCKET_H
#define BUCKET_H

#include "cluster.h"
#include "nibbles.h"

#define HASH_SHIFT 32			/* an entry: hash or root << 32 | signature */
#define TICK_EVERY 1024

/* Some signatures that are to be compared, and what share of a step it is. */
typedef struct Bucket
{
	uint64_t   *entries;
	uint64_t   *scratch;		/* as large as entries, to sort */
	size_t		count;
	double		done;			/* share of the step done before this bucket */
	double		share;			/* share of the step that this bucket takes */
} Bucket;

extern void bucket_sort(Clustering *clustering, const Bucket *bucket);
extern void bucket_process(Clustering *clustering, const Bucket *bucket);

/* Let the caller look for interrupts. */
static inline void
tick(Clustering *clustering)
{
	if (clustering->tick != NULL)
		clustering->tick(clustering);
}

/* Do so in a loop that goes on from i to end, now and then. */
static inline void
tick_between(Clustering *clustering, size_t i, size_t end)
{
	if (i / TICK_EVERY != end / TICK_EVERY)
		tick(clustering);
}

/* Return the signature of an entry. */
static inline uint32_t
entry_signature(uint64_t entry)
{
	return (uint32_t) entry;
}

/* Return the hash or root of an entry. */
static inline uint32_t
entry_hash(uint64_t entry)
{
	return (uint32_t) (entry >> HASH_SHIFT);
}

/* Return the slots of a signature. */
static inline uint16_t *
signature_slots(const Clustering *clustering, size_t signature)
{
	return clustering->slots + signature * (size_t) clustering->num_hashes;
}

/* Return the nibbles of a signature. */
static inline uint64_t *
signature_nibbles(const Clustering *clustering, size_t signature)
{
	return clustering->nibbles + signature * nibbles_words(clustering->num_hashes);
}

/* Find the first signature of a component. */
static inline uint32_t
component_root(Clustering *clustering, uint32_t signature)
{
	uint32_t   *parents = clustering->parents;

	while (parents[signature] != signature)
	{
		parents[signature] = parents[parents[signature]];
		signature = parents[signature];
	}
	return signature;
}

/* Return a part of a bucket, which has its share of the time too. */
static inline Bucket
bucket_part(const Bucket *bucket, size_t start, size_t count)
{
	Bucket		part;

	part.entries = bucket->entries + start;
	part.scratch = bucket->scratch + start;
	part.count = count;
	part.done = bucket->done + bucket->share * (double) start / (double) bucket->count;
	part.share = bucket->share * (double) count / (double) bucket->count;
	return part;
}

/* Return the end of the run of entries with the same high half. */
static inline size_t
bucket_run_end(const Bucket *bucket, size_t start)
{
	size_t		end = start + 1;

	while (end < bucket->count &&
		   entry_hash(bucket->entries[end]) == entry_hash(bucket->entries[start]))
		end++;
	return end;
}

#endif							/* BUCKET_H */
