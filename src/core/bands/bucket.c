/*-------------------------------------------------------------------------
 *
 * bucket.c
 *	  Find the similar pairs among the signatures of a bucket.
 *
 * A bucket is a set of signatures that must be compared with each other.  Two
 * signatures within one component are not compared.  (In a search for pairs,
 * every signature stays a component of its own.)
 *
 * Large buckets.  Template text makes buckets of thousands of signatures, and
 * none may be dropped.  Two things keep them cheap:
 *	- The bucket is sorted by component, signatures are compared with those of
 *	  other components only, and the search ends when one component is left.
 *	  A bucket of m near-copies costs about m comparisons.
 *	- A comb (see comb.c) rejects most pairs, those of a signature and a tile of
 *	  256 at once.  Only the others are compared by their slots.  In tiles too
 *	  small for a comb, pairs are compared one by one, until more slots differ
 *	  than in similar ones.
 *
 * Limits: all pairs of a template's texts are compared if their similarity is below
 * the threshold.
 *
 *-------------------------------------------------------------------------
 */
#include "bucket.h"

#include <string.h>

#include "core/base/processor.h"

#define SMALL_BUCKET 16			/* sorting it by component does not pay */
#define FETCH_AHEAD 3			/* entries, to compare with a tile */

/* Record the share of the step that is complete; it never decreases. */
static inline void
set_done(PairSearch *search, double done)
{
	if (done > search->done)
		search->done = done;
}

/* Return the bucket of all signatures that are not skipped. */
Bucket
bucket_of_all(PairSearch *search)
{
	Bucket		all = {search->work, search->work + search->signatures, 0, 0, 1};

	for (size_t i = 0; i < search->added; i++)
	{
		if (!search->skipped[i])
			all.entries[all.count++] = i;
		pairs_tick_sometimes(search, i);
	}
	return all;
}

/*** Sorting ***/

#define RADIX_SORT sort_by_hash
#define RADIX_ITEM uint64_t
#define RADIX_KEY(entry) entry_hash(entry)
#define RADIX_KEY_BITS 32
#include "core/base/radix_sort.h"

/* Sort entries by hash or root, and move them to their place if they are not there. */
void
bucket_sort(const Bucket *bucket)
{
	const uint64_t *sorted = sort_by_hash(bucket->entries, bucket->scratch, bucket->count);

	if (sorted != bucket->entries)
		memcpy(bucket->entries, sorted, sizeof(uint64_t) * bucket->count);
}

/* Look up the roots, sort by them, and count the runs. */
size_t
bucket_sort_by_component(PairSearch *search, const Bucket *bucket)
{
	size_t		components = 0;

	for (size_t i = 0; i < bucket->count; i++)
	{
		uint32_t	signature = entry_signature(bucket->entries[i]);

		bucket->entries[i] = make_entry(pairs_root(search->parents, signature), signature);
		pairs_tick_sometimes(search, i);
	}
	bucket_sort(bucket);
	for (size_t i = 0; i < bucket->count; i = bucket_run_end(bucket, i))
		components++;
	return components;
}

/* Return the time to compare the pairs of a bucket. */
double
bucket_cost(size_t count)
{
	double		n = (double) count;

	return count < PAIRS_COMB_LEAST ? PAIRS_ONE_COST * n * (n - 1) / 2 :
		n * (n + COMB_TILE) / 2 + n * PAIRS_COMB_COST;
}

/* Add up the times to compare the pairs of each run. */
double
bucket_runs_cost(PairSearch *search, const Bucket *bucket)
{
	double		cost = 0;
	size_t		end;

	for (size_t i = 0; i < bucket->count; i = end)
	{
		end = bucket_run_end(bucket, i);
		cost += bucket_cost(end - i);
		pairs_tick_between(search, i, end);
	}
	return cost;
}

/*** Tiles ***/

/* Copy the numbers of the next signatures, and make a comb if that pays. */
void
bucket_tile_begin(PairSearch *search, const Bucket *bucket, size_t start,
				  size_t others, Tile *tile)
{
	size_t		left = bucket->count - start;

	tile->count = left < COMB_TILE ? left : COMB_TILE;
	tile->in_comb = others >= PAIRS_COMB_LEAST && tile->count >= PAIRS_COMB_LEAST &&
		search->plan.threshold > 0;
	if (tile->in_comb)
	{
		comb_clear(&search->comb);
		search->cost += (double) tile->count * PAIRS_COMB_COST;
	}
	for (size_t i = 0; i < tile->count; i++)
	{
		uint32_t	signature = entry_signature(bucket->entries[start + i]);

		tile->signatures[i] = signature;
		tile->roots[i] = pairs_root(search->parents, signature);
		if (tile->in_comb)
			comb_add(&search->comb, pairs_slots(search, signature));
	}
}

/* Replace a root at all places that have it. */
void
bucket_tile_change(Tile *tile, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < tile->count; i++)
		if (tile->roots[i] == from)
			tile->roots[i] = to;
}

/* Compare a signature with those of a tile one by one, until too many slots differ. */
static bool
filter_slots(PairSearch *search, Tile *tile, size_t count, uint32_t signature,
			 uint32_t skip)
{
	bool		any = false;

	memset(tile->found, 0, sizeof(tile->found));
	for (size_t i = 0; i < count; i++)
	{
		if (tile->roots[i] == skip)
			continue;
		search->compared++;
		search->cost += PAIRS_ONE_COST;
		if (slots_differ_at_most(pairs_slots(search, tile->signatures[i]),
								 pairs_slots(search, signature),
								 search->num_hashes, search->plan.max_different))
		{
			tile->found[i / 64] |= UINT64_C(1) << i % 64;
			any = true;
		}
	}
	return any;
}

/* Compare by the comb, if there is one. */
bool
bucket_tile_filter(PairSearch *search, Tile *tile, size_t count, uint32_t signature,
				   uint32_t skip)
{
	if (!tile->in_comb)
		return filter_slots(search, tile, count, signature, skip);
	search->compared += count;
	search->cost += COMB_TILE;
	if (!comb_filter(&search->comb, pairs_slots(search, signature), tile->found))
		return false;
	for (size_t i = count; i < tile->count; i = (i | 63) + 1)
		tile->found[i / 64] &= ~(~UINT64_C(0) << i % 64);
	return true;
}

/* Take the lowest place that is left. */
int
bucket_tile_next(Tile *tile, uint32_t skip)
{
	for (int word = 0; word < COMB_WORDS; word++)
		while (tile->found[word] != 0)
		{
			int			place = 64 * word + lowest_bit(tile->found[word]);

			tile->found[word] &= tile->found[word] - 1;
			if (tile->roots[place] != skip)
				return place;
		}
	return -1;
}

/*** Pairs ***/

/*
 * Return true if a similar pair has not been reported: it agrees in no earlier
 * band, and in this one if there is one.
 */
static bool
is_new(const PairSearch *search, uint32_t a, uint32_t b)
{
	int			earlier = search->step - 1;

	return band_first_agreement(pairs_slots(search, a), pairs_slots(search, b),
								search->num_hashes, &search->plan,
								earlier + search->by_band) == earlier;
}

/* Merge two components; the first root becomes that of both.  Return it. */
static uint32_t
merge_components(PairSearch *search, Tile *tile, uint32_t first, uint32_t second)
{
	search->components--;
	search->parents[second] = first;
	bucket_tile_change(tile, second, first);
	return first;
}

/*
 * Compare a signature of a tile and another one by their slots.  If they are
 * similar, report them or merge their components.  Return the root of b.
 */
static uint32_t
compare_slots(PairSearch *search, Tile *tile, int place, uint32_t b, uint32_t root_b)
{
	uint32_t	a = tile->signatures[place];
	uint32_t	root_a = tile->roots[place];

	pairs_count_verified(search);
	if (search->found != NULL && !is_new(search, a, b))
		return root_b;			/* cheaper than the slots of a similar pair */
	if (!pairs_are_similar(search, a, b))
		return root_b;
	if (search->found != NULL)
	{
		search->found(search, a, b);
		return root_b;
	}
	if (search->join != NULL && !search->join(search, a, b))
		return root_b;
	return root_a < root_b ? merge_components(search, tile, root_a, root_b) :
		merge_components(search, tile, root_b, root_a);
}

/* Compare the first count signatures of a tile with another one. */
static void
compare_with_tile(PairSearch *search, Tile *tile, size_t count, uint32_t b)
{
	uint32_t	root_b = pairs_root(search->parents, b);
	int			place;

	if (!bucket_tile_filter(search, tile, count, b, root_b))
		return;
	while ((place = bucket_tile_next(tile, root_b)) >= 0)
		if (search->may_join == NULL || search->may_join(search, tile->roots[place], root_b))
			root_b = compare_slots(search, tile, place, b, root_b);
}

/* Prefetch the slots of an entry, if it is there, into the processor's cache. */
static inline void
prefetch_slots(const PairSearch *search, const Bucket *bucket, size_t i)
{
	const uint16_t *slots;

	if (i >= bucket->count)
		return;
	slots = pairs_slots(search, entry_signature(bucket->entries[i]));
	for (int slot = 0; slot < search->num_hashes; slot += CACHE_LINE / sizeof(uint16_t))
		prefetch_line(slots + slot);
}

/*
 * Compare the tile of a bucket that starts at start with itself and all entries
 * from next on; return the number of merges.
 */
static size_t
compare_tile(PairSearch *search, const Bucket *bucket, size_t start,
			 size_t next)
{
	size_t		components = search->components;
	Tile		tile;

	bucket_tile_begin(search, bucket, start, bucket->count - next, &tile);
	for (size_t j = next; j < bucket->count; j++)
	{
		size_t		before = j - start;

		prefetch_slots(search, bucket, j + FETCH_AHEAD);
		compare_with_tile(search, &tile, before < tile.count ? before : tile.count,
						  entry_signature(bucket->entries[j]));
		pairs_tick_sometimes(search, j);
	}
	return components - search->components;
}

/*
 * Compare all pairs of a bucket that are in different components.
 *
 * The remaining entries are sorted by component again whenever the number of
 * components has halved.
 */
static void
compare_bucket(PairSearch *search, const Bucket *bucket)
{
	Bucket		rest = *bucket;
	size_t		components = bucket_sort_by_component(search, &rest);
	size_t		sorted = components;
	size_t		start = 0;
	size_t		next = 0;		/* end of the component at start */

	while (components > 1 && start < rest.count && search->compared < search->max_compared)
	{
		double		left = 1 - (double) start / (double) rest.count;

		set_done(search, rest.done + rest.share * (1 - left * left));
		if (start >= next)
			next = bucket_run_end(&rest, start);
		components -= compare_tile(search, &rest, start, next);
		start += COMB_TILE;
		if (components <= sorted / 2 && start < rest.count)
		{
			rest = bucket_part(&rest, start, rest.count - start);
			components = sorted = bucket_sort_by_component(search, &rest);
			start = next = 0;
		}
	}
}

/* Choose the way to compare by the size of the bucket. */
void
bucket_process(PairSearch *search, const Bucket *bucket)
{
	set_done(search, bucket->done);
	if (bucket->count <= SMALL_BUCKET)
		compare_tile(search, bucket, 0, 1);
	else
		compare_bucket(search, bucket);
}
