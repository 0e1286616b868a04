/*-------------------------------------------------------------------------
 *
 * pair_search.h
 *	  The state of a search for pairs, which the files of the search share.
 *
 * pairs.h has the functions of the search and the order of calls.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PAIR_SEARCH_H
#define PAIR_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bands.h"
#include "core/sketch/comb.h"
#include "core/sketch/sketch.h"

#define PAIRS_TICK_EVERY 1024
#define PAIRS_COMB_LEAST 100	/* signatures for which a comb pays */
#define PAIRS_ONE_COST 10		/* time to compare a pair one by one, compared
								 * with that of a comb */
#define PAIRS_COMB_COST 500		/* time to add a signature to a comb, compared
								 * with the same */
#define PAIRS_VERIFIED_AT_ONCE 64	/* comparisons of slots between ticks */

typedef struct PairSearch PairSearch;

struct PairSearch
{
	/* The task, set by the caller. */
	int			num_hashes;
	SketchMethod method;
	BandPlan	plan;
	const BandPlan *within;		/* pairs are similar under it, too; or NULL */
	const uint8_t *judged;		/* max_signatures: not 0 for those that are
								 * compared even if they are copies; or NULL */
	void	   *hook_data;		/* for the hooks */
	void	   *progress;		/* for tick and step_done */

	/* Called every few microseconds, to check for interrupts. */
	void		(*tick) (PairSearch *search);

	/* Called when a step is complete. */
	void		(*step_done) (PairSearch *search);

	/*
	 * Called once for each similar pair, in no particular order.  NULL to
	 * find components instead, which skips pairs within a component.
	 */
	void		(*found) (PairSearch *search, uint32_t a, uint32_t b);

	/*
	 * Called for a signature that equals an earlier one.  The copy is not
	 * compared any more and takes part in no pair reported to found().  Set
	 * if and only if found is set.
	 */
	void		(*found_copy) (PairSearch *search, uint32_t first, uint32_t copy);

	/*
	 * In a search for components, called before the components of a similar
	 * pair are merged; or NULL.  Return false to keep them apart.
	 */
	bool		(*join) (PairSearch *search, uint32_t a, uint32_t b);

	/*
	 * Return false if join() would keep two components apart, given by their
	 * roots: then their pairs are not compared.  Set only if join is set; or
	 * NULL.
	 */
	bool		(*may_join) (PairSearch *search, uint32_t root_a, uint32_t root_b);

	/* Memory, allocated by the caller. */
	size_t		max_signatures;
	uint32_t   *parents;		/* max_signatures: the forest of components */
	void	   *memory;			/* pairs_memory_size() bytes */

	/* Progress; read-only for the caller. */
	size_t		added;			/* signatures added */
	size_t		signatures;		/* signatures added and not skipped */
	size_t		components;		/* of signatures not skipped */
	int			steps;			/* bands to process, or 1 */
	int			step;			/* the current one, from 1; 0 before */
	double		done;			/* share of the current step, 0 to 1 */
	uint64_t	compared;		/* pairs */
	uint64_t	verified;		/* of them, those that seemed to be similar */
	uint64_t	max_compared;	/* the search ends at about this number */

	/* Private. */
	double		cost;			/* of comparisons so far, see PAIRS_ONE_COST */
	double		last_cost;		/* the same before the last band */
	uint64_t   *work;			/* 2 * max_signatures: entries, and to sort */
	uint32_t   *hashes;			/* BANDS_AT_ONCE * max_signatures: of keys */
	uint16_t   *slots;			/* max_signatures * num_hashes */
	const uint32_t *nodes;		/* the places of signatures in slots; NULL:
								 * their numbers */
	bool	   *skipped;		/* max_signatures: not to be compared */
	bool		by_band;		/* the current step processes a band */
	bool		plan_changed;	/* hashes are not those of the first bands */
	BandHasher	hasher;
	Comb		comb;			/* of the current tile */
};

/* Return the slots of a signature that has been added. */
static inline uint16_t *
pairs_slots(const PairSearch *search, size_t signature)
{
	size_t		place = search->nodes != NULL ? search->nodes[signature] : signature;

	return search->slots + place * (size_t) search->num_hashes;
}

/* Let the caller check for interrupts. */
static inline void
pairs_tick(PairSearch *search)
{
	search->tick(search);
}

/* Call pairs_tick() every PAIRS_TICK_EVERY steps of a loop; i counts up by 1. */
static inline void
pairs_tick_sometimes(PairSearch *search, size_t i)
{
	if (i % PAIRS_TICK_EVERY == 0)
		pairs_tick(search);
}

/* Call pairs_tick() if a loop passes a multiple of PAIRS_TICK_EVERY between i and end. */
static inline void
pairs_tick_between(PairSearch *search, size_t i, size_t end)
{
	if (i / PAIRS_TICK_EVERY != end / PAIRS_TICK_EVERY)
		pairs_tick(search);
}

/* Find the first signature of a component in a forest. */
static inline uint32_t
pairs_root(uint32_t *parents, uint32_t signature)
{
	while (parents[signature] != signature)
	{
		parents[signature] = parents[parents[signature]];
		signature = parents[signature];
	}
	return signature;
}

/* Count a pair to verify; bands can borrow thousands of slots. */
static inline void
pairs_count_verified(PairSearch *search)
{
	if (search->verified++ % PAIRS_VERIFIED_AT_ONCE == 0)
		pairs_tick(search);
}

/* Return true if two signatures are similar, by all slots. */
static inline bool
pairs_are_similar(const PairSearch *search, uint32_t a, uint32_t b)
{
	const uint16_t *slots_a = pairs_slots(search, a);
	const uint16_t *slots_b = pairs_slots(search, b);

	return similar_estimate(slots_a, slots_b, search->num_hashes, &search->plan) >= 0 &&
		(search->within == NULL ||
		 similar_estimate(slots_a, slots_b, search->num_hashes, search->within) >= 0);
}

#endif							/* PAIR_SEARCH_H */
