/*-------------------------------------------------------------------------
 *
 * bucket.h
 *	  Buckets of signatures, within which a search compares pairs.
 *
 * A bucket is an array of 64-bit entries.  The low half of an entry is the
 * number of a signature, the high half is the sort key: a hash, or the root of
 * the signature's component.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BUCKET_H
#define BUCKET_H

#include "core/base/hash.h"
#include "pair_search.h"

#define HASH_SHIFT 32

typedef struct Bucket
{
	uint64_t   *entries;
	uint64_t   *scratch;		/* as large as entries, to sort */
	size_t		count;
	double		done;			/* share of the step done before this bucket */
	double		share;			/* share of the step that this bucket takes */
} Bucket;

/*
 * Return a bucket of all signatures not skipped, in ascending order.  Its entries
 * are in search->work, so the next call overwrites them.
 */
extern Bucket bucket_of_all(PairSearch *search);

/* Sort entries by their high halves; the sort is stable.  Overwrites scratch. */
extern void bucket_sort(const Bucket *bucket);

/*
 * Sort a bucket by signature; its high halves become zero.  Overwrites scratch.
 */
extern void bucket_sort_by_signature(const Bucket *bucket);

/*
 * Sort a bucket by component, and keep the order within each; return the number
 * of components.
 */
extern size_t bucket_sort_by_component(PairSearch *search, const Bucket *bucket);

/*
 * Compare all pairs of a bucket that can be similar: merge their components or
 * report them.  Reorders the entries.
 */
extern void bucket_process(PairSearch *search, const Bucket *bucket);

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

/* Make an entry of a hash or root and a signature. */
static inline uint64_t
make_entry(uint32_t hash, size_t signature)
{
	return (uint64_t) hash << HASH_SHIFT | signature;
}

/* Return a part of a bucket, with its share of the step. */
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

/* Signatures of a bucket whose planes are copied side by side. */
#define TILE 64

typedef struct Tile
{
	size_t		count;
	uint32_t	signatures[TILE];
	uint32_t	roots[TILE];	/* of their components */
	uint16_t	places[TILE];	/* of those that bucket_tile_filter() found */
	uint8_t		planes[TILE * 4 * (SKETCH_MAX_HASHES / 8)];
} Tile;

/* Fill a tile with the entries of a bucket from start on. */
extern void bucket_tile_begin(PairSearch *search, const Bucket *bucket, size_t start,
							  Tile *tile);

/*
 * Keep those of the first count places whose planes do not rule out that they
 * are similar to a signature; return their number.
 */
extern int	bucket_tile_filter(PairSearch *search, Tile *tile, int count,
							   uint32_t signature);

#endif							/* BUCKET_H */
