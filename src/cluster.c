/*-------------------------------------------------------------------------
 *
 * cluster.c
 *	  Connected components of similar signatures.
 *
 * Which pairs are similar is defined in similar.c: the estimate reaches the
 * threshold, and some band of the plan agrees.  This file finds the
 * components of that relation without looking at all pairs, and exactly: a
 * shortcut is taken only where it cannot change the components.
 *
 * Fold.  Equal signatures are similar under every threshold and every plan,
 * so only different ones are kept, in the order of their first rows.  Exact
 * copies cost a look into a hash table.
 *
 * Bands.  A pair that agrees in no band of the plan is not similar.  So the
 * bands are gone through one after the other: the key of every signature is
 * hashed to 32 bits, (hash, signature) is radix-sorted, and a run of equal
 * hashes is a bucket.  Everything similar meets in a bucket; whatever else
 * meets there is rejected when it is compared.  Two signatures that are in one
 * component already are not compared.
 *
 * Components are a forest of parents (union-find, with path halving).  The
 * root is always the earliest signature, so that it names the component.
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
 *	- A comparison ends when more than D slots differ.
 * A plan to compare everything is one bucket of all signatures, so that it
 * too need not look at all pairs if the threshold is high.  And if the bands
 * together come to as many pairs as there are, as they do if all rows share
 * some template, the rest is done as one bucket of all signatures too.
 *
 * Memory, beside the signatures: 24 bytes a row.  Sorting needs two numbers of
 * 64 bits; the hash table of the fold uses the same memory before.
 *
 * Limits: at low thresholds buckets are large, because the plan has few rows
 * a band (512 ^ rows different keys), and most of what meets in them must be
 * compared.  There the time grows with the square of the rows.
 *
 *-------------------------------------------------------------------------
 */
#include "cluster.h"

#define XXH_INLINE_ALL
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "sketch.h"

#define NO_SIGNATURE UINT32_MAX /* the row is NULL */
#define EMPTY_SET (UINT32_MAX - 1)	/* the row is the empty set */

#define FREE_ENTRY UINT64_MAX	/* of the hash table; no signature is so high */
#define HASH_SHIFT 32			/* an entry: hash or root << 32 | signature */

#define FEW_SIGNATURES 64		/* to compare all is faster than to sort */
#define SMALL_BUCKET 16			/* no use in sorting it by component */
#define LARGE_BUCKET 2048		/* splitting it may pay */
#define TILE 16					/* signatures that stay in the nearest cache */
#define TICK_EVERY 1024
#define SAMPLES 256				/* pairs, to find the slots that differ */

#define SMALL_SORT 1024			/* below, a comparison sort is faster */
#define DIGIT_BITS 11			/* three passes make 32 bits */
#define DIGITS (1 << DIGIT_BITS)
#define PASSES 3

/* Some signatures that are to be compared, and what share of a step it is. */
typedef struct Bucket
{
	uint64_t   *entries;
	uint64_t   *scratch;		/* as large as entries */
	size_t		count;
	double		done;			/* share of the step done before */
	double		share;			/* share of the step that this bucket is */
} Bucket;

/* Return the bytes that a row takes. */
size_t
cluster_row_bytes(int num_hashes)
{
	return 2 * sizeof(uint32_t) + 2 * sizeof(uint64_t) +
		sizeof(uint16_t) * (size_t) num_hashes;
}

/* Let the caller look for interrupts. */
static inline void
tick(Clustering *clustering)
{
	if (clustering->tick != NULL)
		clustering->tick(clustering);
}

/* Note what share of the step has been done; it does not go back. */
static inline void
set_done(Clustering *clustering, double done)
{
	if (done > clustering->done)
		clustering->done = done;
}

/* Return the signature of an entry. */
static inline uint32_t
entry_signature(uint64_t entry)
{
	return (uint32_t) entry;
}

/* Return the hash or root by which an entry is sorted. */
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

/*** Rows in ***/

/*
 * Find how many slots may differ in a pair that reaches the threshold.
 *
 * Most may if none is empty in both, since (k - d) / k grows with k.
 */
static int
max_different_slots(double threshold, int num_hashes)
{
	int			different = 0;

	while (different < num_hashes &&
		   (double) (num_hashes - different - 1) / num_hashes >= threshold)
		different++;
	return different;
}

/* Start, when the caller has filled in what to do and given memory. */
void
cluster_begin(Clustering *clustering)
{
	clustering->signatures = 0;
	clustering->compared = 0;
	clustering->steps = clustering->plan.compare_all ? 1 : clustering->plan.bands;
	clustering->max_different = max_different_slots(clustering->threshold,
													clustering->num_hashes);
	memset(clustering->work, 0xFF, 2 * sizeof(uint64_t) * clustering->max_rows);
}

/* Add a row that has no signature. */
void
cluster_add_null(Clustering *clustering)
{
	clustering->labels[clustering->rows++] = NO_SIGNATURE;
}

/*
 * Find the entry of a signature in the hash table, or the free one where it
 * belongs.  The table is never more than half full.
 */
static uint64_t *
fold_lookup(const Clustering *clustering, const uint16_t *slots, uint32_t hash)
{
	size_t		bytes = sizeof(uint16_t) * (size_t) clustering->num_hashes;
	uint64_t	size = 2 * (uint64_t) clustering->max_rows;
	uint64_t	i = (uint64_t) hash * size >> HASH_SHIFT;

	while (clustering->work[i] != FREE_ENTRY)
	{
		uint64_t	entry = clustering->work[i];

		if (entry_hash(entry) == hash &&
			memcmp(signature_slots(clustering, entry_signature(entry)), slots,
				   bytes) == 0)
			break;
		i = i + 1 < size ? i + 1 : 0;
	}
	return &clustering->work[i];
}

/* Add a row with a signature. */
void
cluster_add(Clustering *clustering, const uint16_t *slots)
{
	size_t		bytes = sizeof(uint16_t) * (size_t) clustering->num_hashes;
	uint32_t   *label = &clustering->labels[clustering->rows++];
	uint32_t	hash;
	uint64_t   *entry;

	if (slots_are_empty(slots, clustering->num_hashes))
	{
		*label = EMPTY_SET;
		return;
	}
	hash = (uint32_t) XXH3_64bits(slots, bytes);
	entry = fold_lookup(clustering, slots, hash);
	if (*entry == FREE_ENTRY)
	{
		size_t		signature = clustering->signatures++;

		*entry = (uint64_t) hash << HASH_SHIFT | signature;
		memcpy(signature_slots(clustering, signature), slots, bytes);
		clustering->parents[signature] = (uint32_t) signature;
	}
	*label = entry_signature(*entry);
}

/*** Components ***/

/* Find the first signature of a component. */
static inline uint32_t
find_root(Clustering *clustering, uint32_t signature)
{
	uint32_t   *parents = clustering->parents;

	while (parents[signature] != signature)
	{
		parents[signature] = parents[parents[signature]];
		signature = parents[signature];
	}
	return signature;
}

/* Unite two components, given by their roots; return the root of both. */
static inline uint32_t
unite(Clustering *clustering, uint32_t a, uint32_t b)
{
	uint32_t	first = a < b ? a : b;

	clustering->parents[a < b ? b : a] = first;
	clustering->components--;
	return first;
}

/* Tell whether two signatures are similar, as in similar.c. */
static bool
is_similar(Clustering *clustering, uint32_t a, uint32_t b)
{
	int			num_hashes = clustering->num_hashes;
	const uint16_t *slots_a = signature_slots(clustering, a);
	const uint16_t *slots_b = signature_slots(clustering, b);
	int			equal;
	int			compared;

	clustering->compared++;
	if (!slots_differ_at_most(slots_a, slots_b, num_hashes,
							  clustering->max_different))
		return false;
	slots_compare(slots_a, slots_b, num_hashes, &equal, &compared);
	if ((double) equal / compared < clustering->threshold)
		return false;
	return clustering->plan.compare_all ||
		bands_agree(slots_a, slots_b, num_hashes, &clustering->plan);
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
sort_by_digit(const uint64_t *from, uint64_t *to, size_t count, int pass,
			  const uint32_t *counts)
{
	size_t		places[DIGITS];
	size_t		place = 0;

	for (int digit = 0; digit < DIGITS; digit++)
	{
		places[digit] = place;
		place += counts[digit];
	}
	for (size_t i = 0; i < count; i++)
		to[places[entry_digit(from[i], pass)]++] = from[i];
}

/* Sort the entries of a bucket by hash; those of a hash keep their order. */
static void
sort_bucket(Clustering *clustering, const Bucket *bucket)
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
		for (int pass = 0; pass < PASSES; pass++)
			counts[pass][entry_digit(from[i], pass)]++;
	for (int pass = 0; pass < PASSES; pass++)
	{
		uint64_t   *sorted = to;

		if (counts[pass][entry_digit(from[0], pass)] == count)
			continue;			/* all entries have the same digit */
		tick(clustering);
		sort_by_digit(from, to, count, pass, counts[pass]);
		to = from;
		from = sorted;
	}
	if (from != bucket->entries)
		memcpy(bucket->entries, from, sizeof(uint64_t) * count);
}

/*** Buckets ***/

/* Return a part of a bucket, which has its share of the time too. */
static Bucket
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

/* Find where a run of entries of the same hash or root ends. */
static inline size_t
run_end(const Bucket *bucket, size_t start)
{
	size_t		end = start + 1;

	while (end < bucket->count &&
		   entry_hash(bucket->entries[end]) == entry_hash(bucket->entries[start]))
		end++;
	return end;
}

/* Sort a bucket by component; return the number of components. */
static size_t
sort_by_component(Clustering *clustering, const Bucket *bucket)
{
	size_t		components = 0;

	for (size_t i = 0; i < bucket->count; i++)
	{
		uint32_t	signature = entry_signature(bucket->entries[i]);

		bucket->entries[i] =
			(uint64_t) find_root(clustering, signature) << HASH_SHIFT | signature;
	}
	sort_bucket(clustering, bucket);
	for (size_t i = 0; i < bucket->count; i = run_end(bucket, i))
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
		uint32_t	root_b = find_root(clustering, b);

		for (size_t i = 0; i < j; i++)
		{
			uint32_t	a = entry_signature(bucket->entries[i]);
			uint32_t	root_a = find_root(clustering, a);

			if (root_a != root_b && is_similar(clustering, a, b))
				root_b = unite(clustering, root_a, root_b);
		}
	}
}

/* Look up the roots of the signatures of a tile. */
static void
tile_roots(Clustering *clustering, const uint64_t *entries, size_t count,
		   uint32_t *roots)
{
	for (size_t i = 0; i < count; i++)
		roots[i] = find_root(clustering, entry_signature(entries[i]));
}

/*
 * Compare a tile of a bucket, which begins at start, with all that follows
 * from next on; return how many components were united.
 */
static size_t
compare_tile(Clustering *clustering, const Bucket *bucket, size_t start,
			 size_t next)
{
	const uint64_t *tile = bucket->entries + start;
	size_t		left = bucket->count - start;
	size_t		size = left < TILE ? left : TILE;
	size_t		components = clustering->components;
	uint32_t	roots[TILE];

	tile_roots(clustering, tile, size, roots);
	for (size_t j = next - start; j < left; j++)
	{
		uint32_t	b = entry_signature(tile[j]);
		uint32_t	root_b = find_root(clustering, b);

		for (size_t i = 0; i < size && i < j; i++)
		{
			if (roots[i] == root_b ||
				!is_similar(clustering, entry_signature(tile[i]), b))
				continue;
			root_b = unite(clustering, roots[i], root_b);
			tile_roots(clustering, tile, size, roots);
		}
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
	size_t		next = 0;		/* where the component of start ends */

	while (components > 1 && start < rest.count)
	{
		double		left = 1 - (double) start / (double) rest.count;

		set_done(clustering, rest.done + rest.share * (1 - left * left));
		if (start >= next)
			next = run_end(&rest, start);
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
		size_t		end = run_end(bucket, i);

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

		if (find_root(clustering, a) == find_root(clustering, b))
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
	sort_bucket(clustering, bucket);
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
		size_t		end = run_end(bucket, i);
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
	int			blocks = clustering->max_different + 1;
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
	compare_tile(clustering, bucket, 0, run_end(bucket, 0));
	rest = bucket_part(bucket, TILE, bucket->count - TILE);
	if (!split_bucket(clustering, &rest))
		compare_bucket(clustering, &rest);
}

/* Unite what is similar among the signatures of a bucket. */
static void
process_bucket(Clustering *clustering, const Bucket *bucket)
{
	set_done(clustering, bucket->done);
	if (bucket->count <= SMALL_BUCKET)
		compare_few(clustering, bucket);
	else if (bucket->count < LARGE_BUCKET)
		compare_bucket(clustering, bucket);
	else
		compare_large(clustering, bucket);
}

/*** Bands ***/

/* Return the bucket of all signatures. */
static Bucket
all_signatures(Clustering *clustering)
{
	Bucket		all;

	all.entries = clustering->work;
	all.scratch = clustering->work + clustering->signatures;
	all.count = clustering->signatures;
	all.done = 0;
	all.share = 1;
	for (size_t i = 0; i < all.count; i++)
		all.entries[i] = i;
	return all;
}

/* Fill the entries with the hashed keys of one band. */
static void
hash_band(Clustering *clustering, uint64_t *entries, int band)
{
	for (size_t i = 0; i < clustering->signatures; i++)
	{
		uint64_t	key = band_key(signature_slots(clustering, i),
								   clustering->num_hashes, band,
								   clustering->plan.rows);

		entries[i] = mix64(key) >> 32 << HASH_SHIFT | i;
		if (i % TICK_EVERY == 0)
			tick(clustering);
	}
}

/* Tell whether to compare the pairs of a band would be to compare all. */
static bool
is_futile(const Clustering *clustering, const Bucket *all)
{
	double		pairs = (double) clustering->compared;

	for (size_t i = 0; i < all->count;)
	{
		size_t		end = run_end(all, i);

		pairs += (double) (end - i) * (double) (end - i - 1) / 2;
		i = end;
	}
	return pairs >= (double) all->count * (double) (all->count - 1) / 2;
}

/*
 * Unite what agrees in one band and is similar.  If all bands until this one
 * have as many pairs as there are, return false.
 */
static bool
process_band(Clustering *clustering, int band)
{
	Bucket		all = all_signatures(clustering);

	hash_band(clustering, all.entries, band);
	sort_bucket(clustering, &all);
	if (is_futile(clustering, &all))
		return false;
	for (size_t i = 0; i < all.count;)
	{
		size_t		end = run_end(&all, i);

		if (end - i > 1)
		{
			Bucket		bucket = bucket_part(&all, i, end - i);

			tick(clustering);
			process_bucket(clustering, &bucket);
		}
		i = end;
	}
	return true;
}

/* Begin a step. */
static void
begin_step(Clustering *clustering, int step)
{
	clustering->step = step;
	clustering->done = 0;
}

/* End a step; the caller may want to report it. */
static void
end_step(Clustering *clustering)
{
	clustering->done = 1;
	if (clustering->step_done != NULL)
		clustering->step_done(clustering);
}

/* Unite what is similar, wherever it is; this is the last step. */
static void
process_all(Clustering *clustering)
{
	Bucket		all = all_signatures(clustering);

	clustering->steps = clustering->step;
	process_bucket(clustering, &all);
}

/* Find the components, when all rows have been added. */
void
cluster_run(Clustering *clustering)
{
	bool		by_band = !clustering->plan.compare_all &&
		clustering->signatures > FEW_SIGNATURES;

	clustering->components = clustering->signatures;
	if (clustering->max_different == 0)
		return;					/* only equal signatures are similar */
	for (int step = 1; step <= clustering->steps; step++)
	{
		if (clustering->components <= 1)
			return;
		begin_step(clustering, step);
		if (!by_band || !process_band(clustering, step - 1))
			process_all(clustering);
		end_step(clustering);
	}
}

/*** Rows out ***/

/*
 * Label rows where everything is similar: at threshold 0 without bands.
 *
 * There the empty set is similar to every set except another empty one, so
 * that one set with elements joins all rows that are not NULL.
 */
static void
label_all_similar(Clustering *clustering)
{
	uint32_t	first = 0;

	while (clustering->labels[first] == NO_SIGNATURE)
		first++;
	for (size_t i = 0; i < clustering->rows; i++)
		clustering->labels[i] = clustering->labels[i] == NO_SIGNATURE ?
			(uint32_t) i : first;
}

/* Replace the signature of every row by the first row of its component. */
void
cluster_label(Clustering *clustering)
{
	/* The first row of a component has its root as its signature. */
	uint32_t   *first_rows = (uint32_t *) clustering->work;

	if (clustering->signatures > 0 && clustering->plan.compare_all &&
		clustering->threshold <= 0)
	{
		label_all_similar(clustering);
		return;
	}
	for (size_t i = 0; i < clustering->signatures; i++)
		first_rows[i] = UINT32_MAX;
	for (size_t i = 0; i < clustering->rows; i++)
	{
		uint32_t   *label = &clustering->labels[i];
		uint32_t	root;

		if (*label == NO_SIGNATURE || *label == EMPTY_SET)
		{
			*label = (uint32_t) i;
			continue;
		}
		root = find_root(clustering, *label);
		if (first_rows[root] == UINT32_MAX)
			first_rows[root] = (uint32_t) i;
		*label = first_rows[root];
	}
}
