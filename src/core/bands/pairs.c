/*-------------------------------------------------------------------------
 *
 * pairs.c
 *	  Process the bands of a plan: group signatures by keys, and compare those
 *	  of a group.
 *
 * Two signatures are similar if slots_are_similar() of bands.c returns true:
 * the estimate reaches the threshold, and enough bands of the plan agree.  The
 * search finds exactly these pairs without comparing all pairs.
 *
 * Bands.  A pair that agrees in no band of the plan is not similar.  So the
 * search processes one band after the other: it hashes the key of every
 * signature to 32 bits, drops most signatures whose hash is unique, and
 * radix-sorts (hash, signature).  A run of equal hashes is a bucket, whose
 * pairs are compared.  The hashes of several bands are computed at once, because
 * reading the slots takes longer than hashing them.  If m of n bands must agree,
 * n - m + 1 bands suffice.  A pair is reported in the first band in which it
 * agrees, hence once.
 *
 * Components.  A search for components keeps a forest of parents (union-find
 * with path halving) and skips pairs within a component.  A root is always the
 * first signature of its component.
 *
 * Copies.  All but the first of equal signatures are set aside before the bands, so
 * that copies cost no comparisons.  If the plan has changed, as in a search for
 * links, they are compared like others.
 *
 * Large buckets.  Template text makes buckets of thousands of signatures, and
 * none may be dropped; bucket.c keeps them cheap.  A plan to compare everything
 * is one bucket of all signatures.  So are few signatures: to compare n of them
 * takes n / 2 comparisons of a comb for each, a band as long as 25 with 128 hashes.
 * Where all signatures share some template, band after band would compare the
 * same pairs; so the search changes to one bucket of all signatures once the
 * remaining bands would cost as much.  The costs are those of package
 * descriptions at thresholds from .3 to .95.
 *
 * Empty sets are similar to nothing.
 *
 * Memory: 2 bytes for each hash and 53 for each signature, and a comb (comb.c).
 *
 * Limits: at low thresholds buckets are large, because the plan has few rows
 * a band (a key has 14 bits for one row, 26 for two).  Then the time grows with
 * the square of the number of signatures.
 *
 *-------------------------------------------------------------------------
 */
#include "pairs.h"

#include <string.h>

#include "bucket.h"
#include "core/base/hash.h"
#include "core/base/processor.h"
#include "core/sketch/slots.h"

#define FEW_SIGNATURES 64		/* comparing all is faster than sorting */
#define BAND_COST 3200			/* slots that a comb compares in the time that
								 * a band takes for a signature */
#define PREFETCH_AHEAD 16		/* entries */
#define CELLS 4					/* cells for each signature, at least */

/* Return the bytes of the comb, which few signatures do not need. */
static size_t
comb_bytes(int num_hashes, size_t max_signatures)
{
	return max_signatures < PAIRS_COMB_LEAST ? 0 : comb_size(num_hashes);
}

/* Add up the arrays of pairs_begin(). */
uint64_t
pairs_memory_size(int num_hashes, size_t max_signatures)
{
	size_t		each = 2 * sizeof(uint64_t) + BANDS_AT_ONCE * sizeof(uint32_t) +
		sizeof(uint16_t) * (size_t) num_hashes + sizeof(bool);

	return (uint64_t) each * max_signatures + CACHE_LINE + comb_bytes(num_hashes, max_signatures);
}

/*** Adding signatures ***/

/* Return the time that bands take for each signature, in comparisons of a comb. */
static double
band_cost(const PairSearch *search, int bands)
{
	return (double) BAND_COST / search->num_hashes * bands;
}

/* Return true if comparing all pairs of some signatures is faster than bands. */
static bool
are_few(const PairSearch *search, size_t signatures)
{
	return search->plan.compare_all || signatures <= FEW_SIGNATURES ||
		(double) signatures / 2 <= band_cost(search, search->steps);
}

/* Compute what depends on the plan: steps, and the tables of queries and keys. */
static void
prepare_plan(PairSearch *search)
{
	const BandPlan *plan = &search->plan;

	search->steps = plan->compare_all ? 1 : plan->bands - plan->agreeing + 1;
	search->step = 0;
	if (search->max_signatures >= PAIRS_COMB_LEAST)
		comb_set_threshold(&search->comb, plan->threshold);
	if (!are_few(search, search->max_signatures))
		band_hasher_init(&search->hasher, plan, search->num_hashes);
}

/* Divide the memory among the arrays, the widest entries first; reset the state. */
void
pairs_begin(PairSearch *search)
{
	size_t		max = search->max_signatures;
	uintptr_t	start = ((uintptr_t) search->memory + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;

	if (max >= PAIRS_COMB_LEAST)
		comb_begin(&search->comb, (void *) start, search->num_hashes);
	search->work = (uint64_t *) (start + comb_bytes(search->num_hashes, max));
	search->hashes = (uint32_t *) (search->work + 2 * max);
	search->slots = (uint16_t *) (search->hashes + BANDS_AT_ONCE * max);
	search->skipped = (bool *) (search->slots + max * (size_t) search->num_hashes);
	search->plan_changed = false;
	search->added = search->signatures = search->components = 0;
	search->compared = search->verified = 0;
	search->max_compared = UINT64_MAX;
	search->cost = 0;
	search->nodes = NULL;
	prepare_plan(search);
}

/* Hash the keys again when the search needs them. */
void
pairs_change_plan(PairSearch *search, const BandPlan *plan)
{
	search->plan = *plan;
	search->plan_changed = true;
	prepare_plan(search);
}

/* Hash the keys of a signature for some bands of the plan, from first on. */
static void
hash_signature(PairSearch *search, size_t signature, int first)
{
	int			left = search->steps - first;
	int			count = left < BANDS_AT_ONCE ? left : BANDS_AT_ONCE;
	uint32_t	hashes[BANDS_AT_ONCE];

	band_hashes(&search->hasher, pairs_slots(search, signature), first, count,
				hashes);
	for (int band = 0; band < count; band++)
		search->hashes[(size_t) band * search->max_signatures + signature] = hashes[band];
}

/* Add a NULL. */
void
pairs_add_null(PairSearch *search)
{
	size_t		signature = search->added++;

	search->parents[signature] = (uint32_t) signature;
	search->skipped[signature] = true;
}

/* Count a signature whose slots are in place. */
static void
count_signature(PairSearch *search)
{
	size_t		signature = search->added;

	pairs_add_null(search);
	if (slots_are_empty(pairs_slots(search, signature), search->num_hashes))
		return;
	search->skipped[signature] = false;
	search->signatures++;
	search->components++;
	if (!are_few(search, search->max_signatures))
		hash_signature(search, signature, 0);
}

/* Add a signature by its slots. */
void
pairs_add(PairSearch *search, const uint16_t *slots)
{
	memcpy(pairs_slots(search, search->added), slots,
		   sizeof(uint16_t) * (size_t) search->num_hashes);
	count_signature(search);
}

/* Add a signature by its planes. */
void
pairs_add_planes(PairSearch *search, const Planes *planes)
{
	planes_join(planes, search->num_hashes, search->method,
				pairs_slots(search, search->added));
	count_signature(search);
}

/*** Copies ***/

/* Return true if two signatures are copies: equal, and therefore similar. */
static bool
are_copies(const PairSearch *search, uint32_t a, uint32_t b)
{
	return memcmp(pairs_slots(search, a), pairs_slots(search, b),
				  sizeof(uint16_t) * (size_t) search->num_hashes) == 0;
}

/* Set a copy of an earlier signature aside. */
static void
fold_copy(PairSearch *search, uint32_t first, uint32_t copy)
{
	search->skipped[copy] = true;
	search->signatures--;
	search->components--;
	if (search->found_copy != NULL)
		search->found_copy(search, first, copy);
	else
		search->parents[copy] = first;
}

/* Return the signatures sorted by a hash of all slots, equal ones in their order. */
static Bucket
sort_by_slots(PairSearch *search)
{
	Bucket		all = bucket_of_all(search);

	for (size_t i = 0; i < all.count; i++)
	{
		uint32_t	signature = entry_signature(all.entries[i]);
		uint64_t	hash = XXH3_64bits(pairs_slots(search, signature),
									   sizeof(uint16_t) * (size_t) search->num_hashes);

		all.entries[i] = make_entry((uint32_t) (hash >> 32), signature);
		pairs_tick_sometimes(search, i);
	}
	bucket_sort(&all);
	return all;
}

/*
 * Set copies aside.
 *
 * Copies whose hash is that of a different signature before them stay; they
 * are compared like others, and so are those that the caller names.
 */
static void
fold_copies(PairSearch *search)
{
	Bucket		all = sort_by_slots(search);
	const uint64_t *first = NULL;

	for (size_t i = 0; i < all.count; i++)
	{
		const uint64_t *entry = &all.entries[i];
		uint32_t	signature = entry_signature(*entry);

		pairs_tick_sometimes(search, i);
		if (search->judged != NULL && search->judged[signature] != 0)
			continue;
		if (first != NULL && entry_hash(*first) == entry_hash(*entry) &&
			are_copies(search, entry_signature(*first), signature))
			fold_copy(search, entry_signature(*first), signature);
		else
			first = entry;
	}
}

/*** Bands ***/

/* Return by how many bits to shift a hash to get its cell. */
static int
cell_shift(size_t signatures)
{
	int			shift = ENTRY_HASH_SHIFT - 3;

	while (shift > 0 && UINT64_C(1) << (ENTRY_HASH_SHIFT - shift) < CELLS * (uint64_t) signatures)
		shift--;
	return shift;
}

/* Count a hash in its cell, which has two bits: one hash, and more than one. */
static inline void
mark_cell(uint8_t *cells, uint32_t cell)
{
	unsigned	at = 2 * (cell & 3);
	unsigned	has_one = cells[cell >> 2] >> at & 1;

	cells[cell >> 2] |= (uint8_t) ((has_one << 1 | 1) << at);
}

/* Return true if a cell has more than one hash. */
static inline bool
cell_is_shared(const uint8_t *cells, uint32_t cell)
{
	return (cells[cell >> 2] >> (2 * (cell & 3)) & 2) != 0;
}

/*
 * Return the signatures that share their key for a band with others, sorted by
 * the hash of the key; collisions can add a few more.
 *
 * Most signatures share no key, and this drops most of them before the sort:
 * the first loop counts the hashes in an array of cells that fits the
 * processor's cache, the second keeps the hashes in cells with more than one,
 * without a branch, because which are kept cannot be predicted.
 */
static Bucket
sort_by_band(PairSearch *search)
{
	size_t		band = (size_t) (search->step - 1) % BANDS_AT_ONCE;
	const uint32_t *hashes = search->hashes + band * search->max_signatures;
	Bucket		all = {search->work, search->work + search->signatures, 0, 0, 1};
	uint8_t    *cells = (uint8_t *) all.scratch;
	int			shift = cell_shift(search->signatures);

	/* The first bands were hashed when the signatures were added. */
	if (band == 0 && (search->step > 1 || search->plan_changed))
		for (size_t i = 0; i < search->added; i++)
		{
			if (!search->skipped[i])
				hash_signature(search, i, search->step - 1);
			pairs_tick_sometimes(search, i);
		}
	memset(cells, 0, (size_t) 1 << (ENTRY_HASH_SHIFT - shift - 2));
	for (size_t i = 0; i < search->added; i++)
	{
		if (!search->skipped[i])
			mark_cell(cells, hashes[i] >> shift);
		pairs_tick_sometimes(search, i);
	}
	for (size_t i = 0; i < search->added; i++)
	{
		if (!search->skipped[i])
		{
			all.entries[all.count] = make_entry(hashes[i], i);
			all.count += cell_is_shared(cells, hashes[i] >> shift);
		}
		pairs_tick_sometimes(search, i);
	}
	bucket_sort(&all);
	return all;
}

/*
 * Return true if comparing all pairs at once is better than comparing band by
 * band: if the remaining bands cost as much, should they be like this one, and
 * either the bands so far, with this one, cost as much, or the remaining ones do if
 * they are like the last.  The first bands say little, because components grow.
 */
static bool
should_compare_all(PairSearch *search, const Bucket *all)
{
	int			bands_left = search->steps - search->step + 1;
	double		all_pairs = bucket_cost(search->signatures);
	double		cost = band_cost(search, 1) * (double) search->signatures +
		bucket_runs_cost(search, all);

	return cost * bands_left >= all_pairs &&
		(search->cost + cost >= all_pairs ||
		 (search->step > 2 && (search->cost - search->last_cost) * bands_left >= all_pairs));
}

/* Prefetch the first slots of some entries into the processor's cache. */
static inline void
prefetch_run(const PairSearch *search, const Bucket *all, size_t i, size_t end)
{
	for (; i < end && i < all->count; i++)
	{
		const uint16_t *slots = pairs_slots(search, entry_signature(all->entries[i]));

		prefetch_line(slots);
		prefetch_line(slots + CACHE_LINE / sizeof(uint16_t) - 1);
	}
}

/* Compare the pairs that agree in a band, unless comparing all is better. */
static bool
process_band(PairSearch *search)
{
	Bucket		all = sort_by_band(search);
	size_t		end;

	if (should_compare_all(search, &all))
		return false;
	search->by_band = true;
	search->last_cost = search->cost;
	for (size_t i = 0; i < all.count && search->compared < search->max_compared; i = end)
	{
		end = bucket_run_end(&all, i);
		pairs_tick_between(search, i, end);
		prefetch_run(search, &all, i + PREFETCH_AHEAD, end + PREFETCH_AHEAD);
		if (end - i > 1)
		{
			Bucket		bucket = bucket_part(&all, i, end - i);

			pairs_tick(search);
			bucket_process(search, &bucket);
		}
	}
	return true;
}

/* Process a band or, where that is better, all remaining bands at once. */
static void
process_step(PairSearch *search)
{
	search->done = 0;
	if (search->step == 1 && !search->plan_changed)
		fold_copies(search);
	if (are_few(search, search->signatures) || !process_band(search))
	{
		Bucket		all = bucket_of_all(search);

		search->steps = search->step;	/* the last */
		search->by_band = false;
		bucket_process(search, &all);
	}
	search->done = 1;
	search->step_done(search);
}

/* Process the steps until one component is left. */
void
pairs_find(PairSearch *search)
{
	for (int step = 1; step <= search->steps && search->components > 1 &&
		 search->compared < search->max_compared; step++)
	{
		search->step = step;
		process_step(search);
		if (search->plan.max_different == 0)
			return;				/* only copies are similar */
	}
}

/* Replace parents by the first signatures of components. */
void
pairs_label(PairSearch *search)
{
	for (size_t i = 0; i < search->added; i++)
	{
		search->parents[i] = search->parents[search->parents[i]];
		pairs_tick_sometimes(search, i);
	}
}
