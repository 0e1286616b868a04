/*-------------------------------------------------------------------------
 *
 * bucket.c
 *	  Merge what is similar among the signatures of a bucket.
 *
 * A bucket is a set of signatures that must be compared with each other.  Two
 * that are in one component already are not compared.
 *
 * Large buckets.  Template text makes buckets of thousands of rows, and none
 * may be dropped.  Three things keep them cheap:
 *	- Its signatures are sorted by component and compared with those of other
 *	  components only; it ends when one component is left.  A bucket of m
 *	  copies costs about m comparisons.
 *	- In a similar pair at most D = (1 - threshold) * k slots differ.  Cut any
 *	  slots into D + 1 blocks: a similar pair agrees in at least one of them
 *	  entirely (the pigeonhole principle).  So a large bucket is split by the
 *	  D + 1 blocks in turn, and pairs are compared within the parts.  A sample
 *	  tells which slots differ between its components, and these are spread
 *	  over the blocks.  If the parts promise no gain, all pairs are compared.
 *	- Most pairs are rejected by their nibbles (see nibbles.c), a tile of
 *	  signatures at once; a comparison of slots ends when more than D differ.
 *
 * Limits: texts of a template whose similarity is not far below the threshold
 * agree in most blocks, so that all their pairs are compared.
 *
 *-------------------------------------------------------------------------
 */
#include "bucket.h"

#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "sketch.h"

#define SMALL_BUCKET 16			/* sorting it by component does not pay */
#define LARGE_BUCKET 2048		/* splitting it may pay */
#define TILE 16					/* signatures that stay in the nearest cache */
#define SAMPLES 256				/* pairs, to find the slots that differ */
#define VERIFIED_AT_ONCE 64		/* pairs: each can borrow thousands of slots */

#define SMALL_SORT 1024			/* below, a comparison sort is faster */
#define DIGIT_BITS 11			/* three passes make 32 bits */
#define DIGITS (1 << DIGIT_BITS)
#define PASSES 3

/* Note what share of the step has been done; it does not go back. */
static inline void
set_done(Clustering *clustering, double done)
{
	if (done > clustering->done)
		clustering->done = done;
}

/*** Components ***/

/* Merge two components, given by their roots; return the root of both. */
static inline uint32_t
merge_components(Clustering *clustering, uint32_t a, uint32_t b)
{
	uint32_t	first = a < b ? a : b;

	clustering->parents[a < b ? b : a] = first;
	clustering->components--;
	return first;
}

/* Tell whether two signatures, whose nibbles allow it, are similar. */
static bool
is_similar(Clustering *clustering, uint32_t a, uint32_t b)
{
	if (clustering->verified++ % VERIFIED_AT_ONCE == 0)
		tick(clustering);
	return slots_are_similar(signature_slots(clustering, a),
							 signature_slots(clustering, b),
							 clustering->num_hashes, &clustering->plan);
}

/* Tell whether the nibbles of two signatures allow that they are similar. */
static bool
may_be_similar(Clustering *clustering, uint32_t a, uint32_t b)
{
	clustering->compared++;
	return nibbles_are_near(signature_nibbles(clustering, a),
							signature_nibbles(clustering, b),
							clustering->num_hashes,
							clustering->nibbles_threshold);
}

/*** Sorting ***/

/* Compare two entries for qsort. */
static int
compare_entries(const void *a, const void *b)
{
	uint64_t	entry_a = *(const uint64_t *) a;
	uint64_t	entry_b = *(const uint64_t *) b;

	return entry_a < entry_b ? -1 : entry_a > entry_b;
}

/* Return a digit of an entry's hash. */
static inline uint32_t
entry_digit(uint64_t entry, int pass)
{
	return (uint32_t) (entry >> (HASH_SHIFT + pass * DIGIT_BITS)) & (DIGITS - 1);
}

/* Move entries into the order of one digit, given how often each comes. */
static void
sort_by_digit(Clustering *clustering, const uint64_t *from, uint64_t *to,
			  size_t count, int pass, const uint32_t *counts)
{
	size_t		places[DIGITS];
	size_t		place = 0;

	for (int digit = 0; digit < DIGITS; digit++)
	{
		places[digit] = place;
		place += counts[digit];
	}
	for (size_t i = 0; i < count; i++)
	{
		to[places[entry_digit(from[i], pass)]++] = from[i];
		if (i % TICK_EVERY == 0)
			tick(clustering);
	}
}

/* Sort the entries of a bucket by hash; those of a hash keep their order. */
void
bucket_sort(Clustering *clustering, const Bucket *bucket)
{
	uint32_t	counts[PASSES][DIGITS];
	uint64_t   *from = bucket->entries;
	uint64_t   *to = bucket->scratch;
	size_t		count = bucket->count;

	if (count < SMALL_SORT)
	{
		qsort(from, count, sizeof(uint64_t), compare_entries);
		return;
	}
	memset(counts, 0, sizeof(counts));
	for (size_t i = 0; i < count; i++)
	{
		for (int pass = 0; pass < PASSES; pass++)
			counts[pass][entry_digit(from[i], pass)]++;
		if (i % TICK_EVERY == 0)
			tick(clustering);
	}
	for (int pass = 0; pass < PASSES; pass++)
	{
		uint64_t   *sorted = to;

		if (counts[pass][entry_digit(from[0], pass)] == count)
			continue;			/* all entries have the same digit */
		sort_by_digit(clustering, from, to, count, pass, counts[pass]);
		to = from;
		from = sorted;
	}
	if (from != bucket->entries)
		memcpy(bucket->entries, from, sizeof(uint64_t) * count);
}

/*** Buckets ***/

/* Sort a bucket by component; return the number of components. */
static size_t
sort_by_component(Clustering *clustering, const Bucket *bucket)
{
	size_t		components = 0;

	for (size_t i = 0; i < bucket->count; i++)
	{
		uint32_t	signature = entry_signature(bucket->entries[i]);

		bucket->entries[i] =
			(uint64_t) component_root(clustering, signature) << HASH_SHIFT | signature;
		if (i % TICK_EVERY == 0)
			tick(clustering);
	}
	bucket_sort(clustering, bucket);
	for (size_t i = 0; i < bucket->count; i = bucket_run_end(bucket, i))
		components++;
	return components;
}

/* Compare all pairs of a small bucket. */
static void
compare_few(Clustering *clustering, const Bucket *bucket)
{
	for (size_t j = 1; j < bucket->count; j++)
	{
		uint32_t	b = entry_signature(bucket->entries[j]);
		uint32_t	root_b = component_root(clustering, b);

		for (size_t i = 0; i < j; i++)
		{
			uint32_t	a = entry_signature(bucket->entries[i]);
			uint32_t	root_a = component_root(clustering, a);

			if (root_a != root_b && may_be_similar(clustering, a, b) &&
				is_similar(clustering, a, b))
				root_b = merge_components(clustering, root_a, root_b);
		}
	}
}

/* Some signatures of a bucket that are compared with many others. */
typedef struct Tile
{
	const uint64_t *entries;
	size_t		count;
	uint32_t	roots[TILE];
	uint64_t	nibbles[TILE * NIBBLES_MAX_WORDS];
} Tile;

/* Look up the roots of the signatures of a tile. */
static void
tile_roots(Clustering *clustering, Tile *tile)
{
	for (size_t i = 0; i < tile->count; i++)
		tile->roots[i] = component_root(clustering,
										entry_signature(tile->entries[i]));
}

/* Prepare the tile of a bucket that begins at start. */
static void
begin_tile(Clustering *clustering, const Bucket *bucket, size_t start,
		   Tile *tile)
{
	size_t		words = nibbles_words(clustering->num_hashes);
	size_t		left = bucket->count - start;

	tile->entries = bucket->entries + start;
	tile->count = left < TILE ? left : TILE;
	for (size_t i = 0; i < tile->count; i++)
		memcpy(tile->nibbles + i * words,
			   signature_nibbles(clustering, entry_signature(tile->entries[i])),
			   sizeof(uint64_t) * words);
	tile_roots(clustering, tile);
}

/*
 * Return which of the first signatures of a tile may be similar to another
 * one, and are in other components: bit i stands for the i-th.
 */
static uint32_t
tile_candidates(Clustering *clustering, const Tile *tile, size_t count,
				uint32_t signature, uint32_t root)
{
	uint32_t	others = 0;

	for (size_t i = 0; i < count; i++)
	{
		bool		is_other = tile->roots[i] != root;

		others |= (uint32_t) is_other << i;
		clustering->compared += is_other;
	}
	if (others == 0)
		return 0;
	return others & nibbles_near(tile->nibbles, (int) count,
								 signature_nibbles(clustering, signature),
								 clustering->num_hashes,
								 clustering->nibbles_threshold);
}

/* Compare a tile with a signature: its first so many. */
static void
compare_with_tile(Clustering *clustering, Tile *tile, size_t count, uint32_t b)
{
	uint32_t	root = component_root(clustering, b);
	uint32_t	candidates = tile_candidates(clustering, tile, count, b, root);

	for (; candidates != 0; candidates &= candidates - 1)
	{
		int			i = lowest_bit(candidates);

		if (tile->roots[i] == root ||
			!is_similar(clustering, entry_signature(tile->entries[i]), b))
			continue;
		root = merge_components(clustering, tile->roots[i], root);
		tile_roots(clustering, tile);
	}
}

/*
 * Compare a tile of a bucket, which begins at start, with all that follows
 * from next on; return how many components were merged.
 */
static size_t
compare_tile(Clustering *clustering, const Bucket *bucket, size_t start,
			 size_t next)
{
	size_t		components = clustering->components;
	Tile		tile;

	begin_tile(clustering, bucket, start, &tile);
	for (size_t j = next - start; j < bucket->count - start; j++)
	{
		compare_with_tile(clustering, &tile, j < tile.count ? j : tile.count,
						  entry_signature(tile.entries[j]));
		if (j % TICK_EVERY == 0)
			tick(clustering);
	}
	return components - clustering->components;
}

/*
 * Compare all pairs of a bucket that are in different components.
 *
 * What is left is sorted by component again whenever the components have
 * become half as many.
 */
static void
compare_bucket(Clustering *clustering, const Bucket *bucket)
{
	Bucket		rest = *bucket;
	size_t		components = sort_by_component(clustering, &rest);
	size_t		sorted = components;
	size_t		start = 0;
	size_t		next = 0;		/* end of the component at start */

	while (components > 1 && start < rest.count)
	{
		double		left = 1 - (double) start / (double) rest.count;

		set_done(clustering, rest.done + rest.share * (1 - left * left));
		if (start >= next)
			next = bucket_run_end(&rest, start);
		components -= compare_tile(clustering, &rest, start, next);
		start += TILE;
		if (components <= sorted / 2 && start < rest.count)
		{
			rest = bucket_part(&rest, start, rest.count - start);
			components = sorted = sort_by_component(clustering, &rest);
			start = next = 0;
		}
	}
}

/*** Splitting large buckets ***/

/* Count the pairs of a bucket that are in different components. */
static double
count_pairs(Clustering *clustering, const Bucket *bucket)
{
	double		pairs = (double) bucket->count * (double) bucket->count;

	sort_by_component(clustering, bucket);
	for (size_t i = 0; i < bucket->count;)
	{
		size_t		end = bucket_run_end(bucket, i);

		pairs -= (double) (end - i) * (double) (end - i);
		i = end;
	}
	return pairs / 2;
}

/* Count for every slot in how many pairs of a sample it agrees. */
static void
sample_agreement(Clustering *clustering, const Bucket *bucket, int *agree)
{
	int			samples = 0;

	memset(agree, 0, sizeof(int) * (size_t) clustering->num_hashes);
	for (uint64_t i = 0; i < 8 * SAMPLES && samples < SAMPLES; i++)
	{
		uint32_t	a = entry_signature(bucket->entries[mix64(2 * i) % bucket->count]);
		uint32_t	b = entry_signature(bucket->entries[mix64(2 * i + 1) % bucket->count]);
		const uint16_t *slots_a = signature_slots(clustering, a);
		const uint16_t *slots_b = signature_slots(clustering, b);

		if (component_root(clustering, a) == component_root(clustering, b))
			continue;
		for (int slot = 0; slot < clustering->num_hashes; slot++)
			agree[slot] += (slots_a[slot] == slots_b[slot]);
		samples++;
	}
}

/* Order the slots of a bucket: first those that agree in the fewest pairs. */
static void
order_slots(Clustering *clustering, const Bucket *bucket, uint16_t *order)
{
	int			agree[SKETCH_MAX_HASHES];
	int			place = 0;

	sample_agreement(clustering, bucket, agree);
	for (int level = 0; level <= SAMPLES; level++)
		for (int slot = 0; slot < clustering->num_hashes; slot++)
			if (agree[slot] == level)
				order[place++] = (uint16_t) slot;
}

/*
 * Hash the slots of one block of a signature.
 *
 * Slots are dealt to the blocks in their order, back and forth, so that every
 * block has its share of those that differ.
 */
static uint32_t
hash_block(const uint16_t *slots, int num_hashes, const uint16_t *order,
		   int blocks, int block)
{
	uint64_t	hash = 0;

	for (int dealt = 0; dealt < num_hashes; dealt += blocks)
	{
		bool		back = dealt / blocks % 2 == 1;
		int			place = dealt + (back ? blocks - 1 - block : block);

		if (place < num_hashes)
			hash = mix64(hash + slots[order[place]] + 1);
	}
	return (uint32_t) (hash >> 32);
}

/* Sort a bucket by the hash of one block. */
static void
sort_by_block(Clustering *clustering, const Bucket *bucket,
			  const uint16_t *order, int blocks, int block)
{
	for (size_t i = 0; i < bucket->count; i++)
	{
		uint32_t	signature = entry_signature(bucket->entries[i]);
		uint32_t	hash = hash_block(signature_slots(clustering, signature),
									  clustering->num_hashes, order, blocks,
									  block);

		bucket->entries[i] = (uint64_t) hash << HASH_SHIFT | signature;
		if (i % TICK_EVERY == 0)
			tick(clustering);
	}
	bucket_sort(clustering, bucket);
}

/*
 * Split a bucket by one block and compare pairs within the parts, unless the
 * parts have more pairs than there may be.
 */
static bool
compare_block(Clustering *clustering, const Bucket *bucket,
			  const uint16_t *order, int blocks, int block, double *pairs_left)
{
	sort_by_block(clustering, bucket, order, blocks, block);
	for (size_t i = 0; i < bucket->count && *pairs_left >= 0;)
	{
		size_t		end = bucket_run_end(bucket, i);
		Bucket		part = bucket_part(bucket, i, end - i);

		if (part.count > 1)
			*pairs_left -= count_pairs(clustering, &part);
		if (part.count > 1 && *pairs_left >= 0)
			compare_bucket(clustering, &part);
		i = end;
	}
	return *pairs_left >= 0;
}

/*
 * Compare what may be similar in a large bucket by splitting it; give up and
 * return false if that promises no gain.
 *
 * All pairs that are compared on the way are at most half of all pairs, so
 * that giving up costs half as much again at worst.
 */
static bool
split_bucket(Clustering *clustering, const Bucket *bucket)
{
	uint16_t	order[SKETCH_MAX_HASHES];
	int			blocks = clustering->plan.max_different + 1;
	double		pairs_left;

	if (2 * blocks > clustering->num_hashes)
		return false;
	pairs_left = count_pairs(clustering, bucket) / 2;
	order_slots(clustering, bucket, order);
	for (int block = 0; block < blocks; block++)
	{
		Bucket		part = *bucket;

		part.done += part.share * block / blocks;
		part.share /= blocks;
		if (!compare_block(clustering, &part, order, blocks, block, &pairs_left))
			return false;
	}
	return true;
}

/*
 * Go through a large bucket.
 *
 * The first tile is compared with everything.  That joins most of the bucket
 * if it is full of near-copies; if not, it is worth a try to split it.
 */
static void
compare_large(Clustering *clustering, const Bucket *bucket)
{
	Bucket		rest = *bucket;

	if (sort_by_component(clustering, bucket) == 1)
		return;
	compare_tile(clustering, bucket, 0, bucket_run_end(bucket, 0));
	rest = bucket_part(bucket, TILE, bucket->count - TILE);
	if (!split_bucket(clustering, &rest))
		compare_bucket(clustering, &rest);
}

/* Merge what is similar among the signatures of a bucket. */
void
bucket_process(Clustering *clustering, const Bucket *bucket)
{
	set_done(clustering, bucket->done);
	if (bucket->count <= SMALL_BUCKET)
		compare_few(clustering, bucket);
	else if (bucket->count < LARGE_BUCKET)
		compare_bucket(clustering, bucket);
	else
		compare_large(clustering, bucket);
}
