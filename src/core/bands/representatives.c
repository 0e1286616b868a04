/*-------------------------------------------------------------------------
 *
 * representatives.c
 *	  Let signatures join earlier ones, by tiles and by halves.
 *
 * Representatives are the lexicographically first maximal independent set of
 * the similarity relation.
 *
 * A signature and its representative are in one component, so that each
 * component is a task of its own, and components of one or two signatures need
 * no work.  That leaves little to do in most tables.  Within a component:
 *
 * Tiles.  The first undecided signatures are a tile.  Each of them and of all
 * undecided signatures behind them is compared with those of the tile that are
 * representatives, by a comb (see bucket.c), and joins the first similar one.
 * Then the next undecided signatures are a tile.  This takes one comparison at
 * most for each signature and each representative.
 *
 * Halves.  In a large component, the first half is decided on its own.  Then
 * the second half is joined to the representatives of the first, band by band:
 * both are sorted by the hashed key of the band, and within each bucket every
 * signature of the second half is compared with representatives that come
 * before the best one found so far.  The others are then decided on their
 * own.  So n signatures of a long chain take O(n log n) time for each band.
 * As soon as the remaining bands would compare as much as there is, tiles
 * replace them.
 *
 * Memory: that of the hashes of keys, which the search no longer needs.
 *
 * Limits: in a large component with many representatives, low thresholds make
 * large buckets, and the time grows with the number of signatures times the
 * number of representatives.
 *
 *-------------------------------------------------------------------------
 */
#include "representatives.h"

#include <string.h>

#include "bucket.h"

#define LARGE_COMPONENT 4096	/* halves are faster than tiles */

/* Return true if a signature has joined a representative. */
static inline bool
has_joined(const PairSearch *search, uint32_t signature)
{
	return search->parents[signature] != signature;
}

/* Let a signature join a representative if they are similar. */
static bool
join_representative(PairSearch *search, uint32_t representative,
					uint32_t signature)
{
	pairs_count_verified(search);
	if (!pairs_are_similar(search, representative, signature))
		return false;
	search->parents[signature] = representative;
	return true;
}

/* Undo the joins of all entries of a bucket. */
static void
undo_joins(PairSearch *search, const Bucket *bucket)
{
	for (size_t i = 0; i < bucket->count; i++)
		search->parents[entry_signature(bucket->entries[i])] =
			entry_signature(bucket->entries[i]);
}

/* Let a signature join the first similar one of a tile; return false if there is none. */
static bool
join_tile(PairSearch *search, Tile *tile, size_t count, uint32_t signature)
{
	int			place;

	if (!bucket_tile_filter(search, tile, count, signature, NO_ROOT))
		return false;
	while ((place = bucket_tile_next(tile, NO_ROOT)) >= 0)
		if (join_representative(search, tile->signatures[place], signature))
			return true;
	return false;
}

/*
 * Let each entry of a bucket, from start on, join a representative of a tile;
 * keep only the entries that do not.  The first of them are the tile's own, or
 * the whole tile comes before all of them.
 */
static void
join_bucket(PairSearch *search, Tile *tile, bool is_own, Bucket *bucket, size_t start)
{
	size_t		kept = start;

	for (size_t i = start; i < bucket->count; i++)
	{
		uint32_t	signature = entry_signature(bucket->entries[i]);
		bool		in_tile = is_own && i - start < tile->count;

		if (!join_tile(search, tile, in_tile ? i - start : tile->count, signature))
			bucket->entries[kept++] = bucket->entries[i];
		else if (in_tile)
			bucket_tile_change(tile, signature, NO_ROOT);
		pairs_tick_sometimes(search, i);
	}
	bucket->count = kept;
}

/* Choose the representatives of a bucket by tiles; keep only those. */
static void
choose_by_tiles(PairSearch *search, Bucket *bucket)
{
	Tile		tile;

	for (size_t start = 0; start < bucket->count;)
	{
		bucket_tile_begin(search, bucket, start, bucket->count - start, &tile);
		join_bucket(search, &tile, true, bucket, start);
		for (size_t i = 0; i < tile.count; i++)
			start += !has_joined(search, tile.signatures[i]);
	}
}

/* Let the entries of a bucket join representatives; keep those that do not. */
static void
join_by_tiles(PairSearch *search, const Bucket *representatives, Bucket *others)
{
	Tile		tile;

	for (size_t start = 0; start < representatives->count; start += TILE)
	{
		bucket_tile_begin(search, representatives, start, others->count, &tile);
		join_bucket(search, &tile, false, others, 0);
	}
}

/*** Joining by bands ***/

/* Append the entries of a bucket, with the hashed keys of a band of the plan. */
static void
add_keys(PairSearch *search, const Bucket *from, int band, Bucket *to)
{
	for (size_t i = 0; i < from->count; i++)
	{
		uint32_t	signature = entry_signature(from->entries[i]);
		uint32_t	hash;

		band_hashes(&search->hasher, pairs_slots(search, signature), band, 1,
					&hash);
		to->entries[to->count++] = make_entry(hash, signature);
		pairs_tick_sometimes(search, i);
	}
}

/*
 * Let a signature join the first similar representative of a run, if that
 * comes before the one it has joined.
 */
static void
join_first(PairSearch *search, const Bucket *run, size_t count,
		   uint32_t signature)
{
	uint32_t	best = search->parents[signature];

	for (size_t i = 0; i < count; i++)
	{
		uint32_t	representative = entry_signature(run->entries[i]);

		if (representative >= best ||
			(pairs_may_be_similar(search, representative, signature) &&
			 join_representative(search, representative, signature)))
			return;
	}
}

/* Find the run at start, and return the number of its representatives. */
static size_t
find_run(const Bucket *all, size_t start, uint32_t first_other, Bucket *run)
{
	size_t		representatives = 0;

	*run = bucket_part(all, start, bucket_run_end(all, start) - start);
	while (representatives < run->count &&
		   entry_signature(run->entries[representatives]) < first_other)
		representatives++;
	return representatives;
}

/* Join within the runs of a band. */
static void
join_runs(PairSearch *search, const Bucket *all, uint32_t first_other)
{
	Bucket		run;

	for (size_t i = 0; i < all->count; i += run.count)
	{
		size_t		representatives = find_run(all, i, first_other, &run);

		for (size_t j = representatives; j < run.count && representatives > 0; j++)
		{
			join_first(search, &run, representatives,
					   entry_signature(run.entries[j]));
			pairs_tick_sometimes(search, j);
		}
		pairs_tick_between(search, i, i + run.count);
	}
}

/* Count the pairs of a representative and another in the runs of a band. */
static double
count_joins(PairSearch *search, const Bucket *all, uint32_t first_other)
{
	double		pairs = 0;
	Bucket		run;

	for (size_t i = 0; i < all->count; i += run.count)
	{
		size_t		representatives = find_run(all, i, first_other, &run);

		pairs += (double) representatives * (double) (run.count - representatives);
		pairs_tick_between(search, i, i + run.count);
	}
	return pairs;
}

/*
 * Let others join representatives, all of which come before them, band by
 * band; keep those that do not.
 */
static void
join_by_bands(PairSearch *search, const Bucket *representatives, Bucket *others)
{
	size_t		kept = 0;
	uint64_t   *room = (uint64_t *) search->hashes;
	Bucket		all = {room, room + representatives->count + others->count, 0, 0, 1};
	uint32_t	first_other = entry_signature(others->entries[0]);
	double		pairs = (double) representatives->count * (double) others->count;
	int			bands = search->plan.bands - search->plan.matches + 1;

	for (int band = 0; band < bands; band++)
	{
		all.count = 0;
		add_keys(search, representatives, band, &all);
		add_keys(search, others, band, &all);
		bucket_sort(&all);
		if (PAIR_COST * count_joins(search, &all, first_other) * (bands - band) >= pairs)
		{
			undo_joins(search, others);
			join_by_tiles(search, representatives, others);
			return;
		}
		join_runs(search, &all, first_other);
	}
	for (size_t i = 0; i < others->count; i++)
	{
		if (!has_joined(search, entry_signature(others->entries[i])))
			others->entries[kept++] = others->entries[i];
		pairs_tick_sometimes(search, i);
	}
	others->count = kept;
}

/*** Components ***/

/* Choose the representatives of a bucket, in order; keep only those. */
static void
choose(PairSearch *search, Bucket *bucket)
{
	size_t		half = bucket->count / 2;
	Bucket		first;
	Bucket		second;

	if (bucket->count <= LARGE_COMPONENT || search->plan.compare_all)
	{
		choose_by_tiles(search, bucket);
		return;
	}
	first = bucket_part(bucket, 0, half);
	second = bucket_part(bucket, half, bucket->count - half);
	choose(search, &first);
	join_by_bands(search, &first, &second);
	choose(search, &second);
	memmove(first.entries + first.count, second.entries,
			sizeof(uint64_t) * second.count);
	bucket->count = first.count + second.count;
}

/* Choose within each component of more than two signatures. */
void
representatives_choose(PairSearch *search)
{
	Bucket		all = bucket_of_all(search);
	size_t		end;

	search->step = ++search->steps;
	search->done = 0;
	bucket_sort_by_component(search, &all);
	for (size_t i = 0; i < all.count; i = end)
	{
		Bucket		component;

		end = bucket_run_end(&all, i);
		component = bucket_part(&all, i, end - i);
		search->done = component.done;
		pairs_tick_between(search, i, end);
		if (component.count > 2)
		{
			undo_joins(search, &component);
			choose(search, &component);
		}
	}
	search->done = 1;
	if (search->step_done != NULL)
		search->step_done(search);
}
