/*-------------------------------------------------------------------------
 *
 * cluster.c
 *	  Connected components of similar signatures.
 *
 * Which pairs are similar is defined in bands.c: the estimate reaches the
 * threshold, and as many bands agree as the plan asks for.  This file finds the
 * components of that relation without looking at all pairs, and exactly: a
 * shortcut is taken only where it cannot change the components.
 *
 * Fold.  Equal signatures are similar under every threshold and every plan,
 * so only different ones are kept, in the order of their first rows.  Exact
 * copies cost a look into a hash table.  Places in it depend on a secret of
 * the caller: else a table of signatures made for it, of which thousands have
 * neighbouring places, would take a time that grows with their square.
 *
 * Bands.  A pair that agrees in no band of the plan is not similar.  So the
 * bands are gone through one after the other: the key of every signature is
 * hashed to 32 bits, (hash, signature) is radix-sorted, and a run of equal
 * hashes is a bucket.  Everything similar meets in a bucket; whatever else
 * meets there is rejected when it is compared.  Two signatures that are in one
 * component already are not compared.  Most others are rejected by four bits
 * of every slot (see nibbles.c), which loses none.
 *
 * Components are a forest of parents (union-find, with path halving).  The
 * root is always the earliest signature, so that it names the component.
 *
 * Template text makes large buckets, and none may be dropped; bucket.c tells
 * what keeps them cheap.
 *
 * A plan to compare everything is one bucket of all signatures, so that it
 * too need not look at all pairs if the threshold is high.  And where all rows
 * share some template, band after band would compare the same pairs, so that
 * from some band on the rest is done as one bucket of all signatures too.
 *
 * Memory, beside the signatures: a quarter of them for the nibbles, and 24
 * bytes a row.  Sorting needs two numbers of 64 bits; the hash table of the
 * fold uses the same memory before.
 *
 * Limits: at low thresholds buckets are large, because the plan has few rows
 * a band (a key has 14 bits for one, 26 for two), and most of what meets in
 * them must be compared.  There the time grows with the square of the rows.
 *
 *-------------------------------------------------------------------------
 */
#include "cluster.h"

#include <string.h>

#include "bucket.h"
#include "hash.h"
#include "slots.h"

#define NO_SIGNATURE UINT32_MAX /* the row is NULL */
#define EMPTY_SET (UINT32_MAX - 1)	/* the row is the empty set */

#define FREE_ENTRY UINT64_MAX	/* of the hash table; no signature is so high */

#define ROWS_AT_ONCE 65536		/* whose memory is cleared between ticks */

#define FEW_SIGNATURES 64		/* to compare all is faster than to sort */

/* Return the bytes that a row takes. */
size_t
cluster_row_bytes(int num_hashes)
{
	return 2 * sizeof(uint32_t) + 2 * sizeof(uint64_t) +
		sizeof(uint64_t) * nibbles_words(num_hashes) +
		sizeof(uint16_t) * (size_t) num_hashes;
}

/*** Rows in ***/

/*
 * Return how many bands must be gone through: where m of n must agree, a pair
 * that agrees in m of them agrees in at least one of any n - m + 1.
 */
static int
count_steps(const BandPlan *plan)
{
	return plan->compare_all ? 1 : plan->bands - plan->matches + 1;
}

/* Start, when the caller has filled in what to do and given memory. */
void
cluster_begin(Clustering *clustering)
{
	uint64_t	state = clustering->secret;

	clustering->signatures = 0;
	clustering->compared = 0;
	clustering->verified = 0;
	clustering->steps = count_steps(&clustering->plan);
	clustering->nibbles_threshold = nibbles_threshold(clustering->plan.threshold);
	for (int i = 0; i < FOLD_SECRET_WORDS; i++)
		clustering->fold_secret[i] = splitmix64(&state);
	for (size_t i = 0; i < clustering->max_rows; i += ROWS_AT_ONCE)
	{
		size_t		left = clustering->max_rows - i;

		tick(clustering);
		memset(clustering->work + 2 * i, 0xFF, 2 * sizeof(uint64_t) *
			   (left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE));
	}
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
	hash = (uint32_t) XXH3_64bits_withSecret(slots, bytes,
											 clustering->fold_secret,
											 sizeof(clustering->fold_secret));
	entry = fold_lookup(clustering, slots, hash);
	if (*entry == FREE_ENTRY)
	{
		size_t		signature = clustering->signatures++;

		*entry = (uint64_t) hash << HASH_SHIFT | signature;
		memcpy(signature_slots(clustering, signature), slots, bytes);
		nibbles_make(slots, clustering->num_hashes,
					 signature_nibbles(clustering, signature));
		clustering->parents[signature] = (uint32_t) signature;
	}
	*label = entry_signature(*entry);
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
	{
		all.entries[i] = i;
		if (i % TICK_EVERY == 0)
			tick(clustering);
	}
	return all;
}

/* Fill the entries with the hashed keys of one band. */
static void
hash_band(Clustering *clustering, uint64_t *entries, int band)
{
	for (size_t i = 0; i < clustering->signatures; i++)
	{
		uint64_t	key = band_key(signature_slots(clustering, i),
								   clustering->num_hashes,
								   plan_band(&clustering->plan, band),
								   clustering->plan.rows);

		entries[i] = mix64(key) >> 32 << HASH_SHIFT | i;
		if (i % TICK_EVERY == 0)
			tick(clustering);
	}
}

/*
 * Tell whether all pairs are better compared at once than band by band: if as
 * many have been compared already, with those of this band, and the bands that
 * are left would come to as many again if they were like this one.
 */
static bool
is_futile(Clustering *clustering, const Bucket *all)
{
	double		all_pairs = (double) all->count * (double) (all->count - 1) / 2;
	int			bands_left = clustering->steps - clustering->step + 1;
	double		pairs = 0;

	for (size_t i = 0; i < all->count;)
	{
		size_t		end = bucket_run_end(all, i);

		pairs += (double) (end - i) * (double) (end - i - 1) / 2;
		tick_between(clustering, i, end);
		i = end;
	}
	return (double) clustering->compared + pairs >= all_pairs &&
		pairs * bands_left >= all_pairs;
}

/*
 * Merge what agrees in one band and is similar; return false if all pairs had
 * better be compared.
 */
static bool
process_band(Clustering *clustering, int band)
{
	Bucket		all = all_signatures(clustering);

	hash_band(clustering, all.entries, band);
	bucket_sort(clustering, &all);
	if (is_futile(clustering, &all))
		return false;
	for (size_t i = 0; i < all.count;)
	{
		size_t		end = bucket_run_end(&all, i);

		tick_between(clustering, i, end);
		if (end - i > 1)
		{
			Bucket		bucket = bucket_part(&all, i, end - i);

			tick(clustering);
			bucket_process(clustering, &bucket);
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

/* Merge what is similar, wherever it is; this is the last step. */
static void
process_all(Clustering *clustering)
{
	Bucket		all = all_signatures(clustering);

	clustering->steps = clustering->step;
	bucket_process(clustering, &all);
}

/* Find the components, when all rows have been added. */
void
cluster_run(Clustering *clustering)
{
	bool		by_band = !clustering->plan.compare_all &&
		clustering->signatures > FEW_SIGNATURES;

	clustering->components = clustering->signatures;
	if (clustering->plan.max_different == 0)
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
		clustering->plan.threshold <= 0)
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

		if (i % TICK_EVERY == 0)
			tick(clustering);
		if (*label == NO_SIGNATURE || *label == EMPTY_SET)
		{
			*label = (uint32_t) i;
			continue;
		}
		root = component_root(clustering, *label);
		if (first_rows[root] == UINT32_MAX)
			first_rows[root] = (uint32_t) i;
		*label = first_rows[root];
	}
}
