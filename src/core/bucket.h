/*-------------------------------------------------------------------------
 *
 * bucket.h
 *	  Buckets of signatures: the parts of a PairSearch that its files share.
 *
 * A bucket is an array of 64-bit entries.  The low half of an entry is the
 * number of a signature, the high half is the sort key: a hash, or the root of
 * the signature's component.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BUCKET_H
#define BUCKET_H

#include "hash.h"
#include "pairs.h"

#define HASH_SHIFT 32
#define TICK_EVERY 1024
#define VERIFIED_AT_ONCE 64		/* comparisons of slots between ticks */

typedef struct Bucket
{
	uint64_t   *entries;
	uint64_t   *scratch;		/* as large as entries, to sort */
	size_t		count;
	double		done;			/* share of the step done before this bucket */
	double		share;			/* share of the step that this bucket takes */
} Bucket;

/* Return a bucket of all signatures not skipped, in ascending order. */
extern Bucket bucket_of_all(PairSearch *search);

/*
 * Sort entries by their high halves; a large bucket keeps the order of those
 * that are equal, a small one is also sorted by signature.  Overwrites scratch.
 */
extern void bucket_sort(const Bucket *bucket);

/*
 * Sort a bucket by signature; its high halves become zero.  Overwrites scratch.
 */
extern void bucket_sort_by_signature(const Bucket *bucket);

/*
 * Sort a bucket by component, within components by signature; return the
 * number of components.
 */
extern size_t bucket_sort_by_component(PairSearch *search, const Bucket *bucket);

/*
 * Compare all pairs of a bucket that can be similar: merge their components or
 * report them.  Reorders the entries.
 */
extern void bucket_process(PairSearch *search, const Bucket *bucket);

/*
 * Return true if empty sets are similar to others, as they are at threshold 0
 * if the plan is to compare all.
 */
static inline bool
empty_sets_count(const BandPlan *plan)
{
	return plan->compare_all && plan->threshold <= 0;
}

/* Let the caller check for interrupts. */
static inline void
tick(PairSearch *search)
{
	if (search->tick != NULL)
		search->tick(search);
}

/* Call tick() if a loop passes a multiple of TICK_EVERY between i and end. */
static inline void
tick_between(PairSearch *search, size_t i, size_t end)
{
	if (i / TICK_EVERY != end / TICK_EVERY)
		tick(search);
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

/* Make an entry of a hash or root and a signature. */
static inline uint64_t
make_entry(uint32_t hash, size_t signature)
{
	return (uint64_t) hash << HASH_SHIFT | signature;
}

/* Return the first plane of a signature; the second follows. */
static inline uint8_t *
signature_planes(const PairSearch *search, size_t signature)
{
	return search->planes + signature * pairs_planes_size(search->num_hashes);
}

/* Find the first signature of a component. */
static inline uint32_t
component_root(PairSearch *search, uint32_t signature)
{
	uint32_t   *parents = search->parents;

	while (parents[signature] != signature)
	{
		parents[signature] = parents[parents[signature]];
		signature = parents[signature];
	}
	return signature;
}

/* Make a signature the query that others are compared with. */
static inline void
query_signature(PairSearch *search, uint32_t signature)
{
	const uint8_t *first = signature_planes(search, signature);

	plane_query_set(&search->query, first, first + plane_size(search->num_hashes));
}

/* Return true unless the planes of a signature rule out the query. */
static inline bool
may_be_similar(PairSearch *search, uint32_t signature)
{
	const uint8_t *first = signature_planes(search, signature);
	Planes		planes = {first, first + plane_size(search->num_hashes), NULL, NULL};

	search->compared++;
	return planes_may_be_similar(&search->query, &planes);
}

/* Count a comparison of slots, each of which can borrow thousands of slots. */
static inline void
count_verified(PairSearch *search)
{
	if (search->verified++ % VERIFIED_AT_ONCE == 0)
		tick(search);
}

/* Return true if two signatures are similar, by their slots. */
static inline bool
signatures_are_similar(const PairSearch *search, uint32_t a, uint32_t b)
{
	return slots_are_similar(pairs_slots(search, a),
							 pairs_slots(search, b),
							 search->num_hashes, &search->plan);
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
	uint16_t	places[TILE];	/* of those that tile_filter() found */
	uint8_t		planes[TILE * 4 * (SKETCH_MAX_HASHES / 8)];
} Tile;

/* Fill a tile with the entries of a bucket from start on. */
extern void tile_begin(PairSearch *search, const Bucket *bucket, size_t start,
					   Tile *tile);

/*
 * Keep those of the first count places whose planes do not rule out that they
 * are similar to a signature; return their number.
 */
extern int	tile_filter(PairSearch *search, Tile *tile, int count,
						uint32_t signature);

#endif							/* BUCKET_H */
