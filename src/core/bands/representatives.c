/*-------------------------------------------------------------------------
 *
 * representatives.c
 *	  Let signatures join earlier ones, a tile of them at a time.
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
 * Limits: the time grows with the number of signatures of a component times that of
 * its representatives.
 *
 *-------------------------------------------------------------------------
 */
#include "pairs.h"

#include "bucket.h"

/* Let a signature join the first similar one of a tile; return false if there is none. */
static bool
join_tile(PairSearch *search, Tile *tile, size_t count, uint32_t signature)
{
	int			place;

	if (!bucket_tile_filter(search, tile, count, signature, TILE_NO_ROOT))
		return false;
	while ((place = bucket_tile_next(tile, TILE_NO_ROOT)) >= 0)
	{
		pairs_count_verified(search);
		if (!pairs_are_similar(search, tile->signatures[place], signature))
			continue;
		search->parents[signature] = tile->signatures[place];
		return true;
	}
	return false;
}

/*
 * Let each entry of a bucket, from start on, join a representative of a tile, whose own
 * come first; keep only those that do not.
 */
static void
join_bucket(PairSearch *search, Tile *tile, Bucket *bucket, size_t start)
{
	size_t		kept = start;

	for (size_t i = start; i < bucket->count; i++)
	{
		uint32_t	signature = entry_signature(bucket->entries[i]);
		size_t		before = i - start;

		if (!join_tile(search, tile, before < tile->count ? before : tile->count, signature))
			bucket->entries[kept++] = bucket->entries[i];
		else if (before < tile->count)
			bucket_tile_change(tile, signature, TILE_NO_ROOT);
		pairs_tick_sometimes(search, i);
	}
	bucket->count = kept;
}

/* Choose the representatives of a component; each signature is its own at first. */
static void
choose_in_component(PairSearch *search, Bucket *bucket)
{
	Tile		tile;

	for (size_t i = 0; i < bucket->count; i++)
		search->parents[entry_signature(bucket->entries[i])] =
			entry_signature(bucket->entries[i]);
	for (size_t start = 0; start < bucket->count;)
	{
		bucket_tile_begin(search, bucket, start, bucket->count - start, &tile);
		join_bucket(search, &tile, bucket, start);
		for (size_t i = 0; i < tile.count; i++)
			start += search->parents[tile.signatures[i]] == tile.signatures[i];
	}
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
			choose_in_component(search, &component);
	}
	search->done = 1;
	search->step_done(search);
}
