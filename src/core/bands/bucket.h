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

#define ENTRY_HASH_SHIFT 32

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
 * Sort a bucket by component, and keep the order within each; return the number
 * of components.
 */
extern size_t bucket_sort_by_component(PairSearch *search, const Bucket *bucket);

/* Return the time to compare all pairs of a bucket, in comparisons of a comb. */
extern double bucket_cost(size_t count);

/* Return the time to compare all pairs within the runs of a sorted bucket. */
extern double bucket_runs_cost(PairSearch *search, const Bucket *bucket);

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
	return (uint32_t) (entry >> ENTRY_HASH_SHIFT);
}

/* Make an entry of a hash or root and a signature. */
static inline uint64_t
make_entry(uint32_t hash, size_t signature)
{
	return (uint64_t) hash << ENTRY_HASH_SHIFT | signature;
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

#define TILE_NO_ROOT UINT32_MAX /* in a tile: leave this signature out */

/* Signatures of a bucket that others are compared with. */
typedef struct Tile
{
	size_t		count;
	bool		in_comb;		/* the search's comb has the signatures */
	uint32_t	signatures[COMB_TILE];
	uint32_t	roots[COMB_TILE];	/* of their components, or TILE_NO_ROOT */
	uint64_t	found[COMB_WORDS];	/* by bucket_tile_filter() */
} Tile;

/*
 * Fill a tile with the entries of a bucket from start on, to compare it with
 * about as many others.
 */
extern void bucket_tile_begin(PairSearch *search, const Bucket *bucket, size_t start,
							  size_t others, Tile *tile);

/* Change a root of a tile to another one. */
extern void bucket_tile_change(Tile *tile, uint32_t from, uint32_t to);

/*
 * Find those of the first count signatures of a tile that may be similar to a
 * signature; those with the root skip need not be found.  Return false if there
 * are none.
 */
extern bool bucket_tile_filter(PairSearch *search, Tile *tile, size_t count,
							   uint32_t signature, uint32_t skip);

/*
 * Return the next place that bucket_tile_filter() found, without those that have
 * the root skip; -1 if there is none.
 */
extern int	bucket_tile_next(Tile *tile, uint32_t skip);

#endif							/* BUCKET_H */
