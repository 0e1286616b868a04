/*-------------------------------------------------------------------------
 *
 * pairs.h
 *	  Find the similar pairs among signatures in memory, or the connected
 *	  components that they form.
 *
 * Order of calls: fill in the task and the memory of a PairSearch; then
 * pairs_begin(), one pairs_add function for each signature, pairs_find(), and,
 * in a search for components, pairs_label() or representatives_choose().
 *
 * Signatures are numbered from 0 in the order in which they are added.  The
 * search neither allocates nor frees memory.  It holds no resources, so that
 * hooks may leave it by a long jump.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PAIRS_H
#define PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bands.h"
#include "planes.h"
#include "sketch.h"

typedef struct PairSearch PairSearch;

struct PairSearch
{
	/* The task, set by the caller. */
	int			num_hashes;
	SketchMethod method;
	BandPlan	plan;
	void	   *hook_data;		/* for the hooks */
	void	   *progress;		/* for tick and step_done */

	/* Called every few microseconds, to check for interrupts; or NULL. */
	void		(*tick) (PairSearch *search);

	/* Called when a step is complete; or NULL. */
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
	 * Return false to drop a signature, with its copies.  Called for the
	 * signatures of large buckets before they are compared; or NULL.
	 */
	bool		(*is_wanted) (PairSearch *search, uint32_t signature);

	/* Memory, allocated by the caller. */
	size_t		max_signatures;
	uint32_t   *parents;		/* max_signatures: the forest of components */
	void	   *memory;			/* pairs_memory_size() bytes */

	/* Progress; read-only for the caller. */
	size_t		added;			/* signatures added */
	size_t		signatures;		/* of them, not skipped */
	size_t		components;		/* of signatures not skipped */
	int			steps;			/* bands to process, or 1 */
	int			step;			/* the current one, from 1; 0 before */
	double		done;			/* share of the current step, 0 to 1 */
	uint64_t	compared;		/* pairs compared by their planes */
	uint64_t	verified;		/* of them, pairs compared by their slots */

	/* Private. */
	uint64_t   *work;			/* 2 * max_signatures: entries, and to sort */
	uint32_t   *hashes;			/* BANDS_AT_ONCE * max_signatures: of keys */
	uint16_t   *slots;			/* max_signatures * num_hashes */
	uint8_t    *planes;			/* max_signatures * pairs_planes_size() */
	bool	   *skipped;		/* max_signatures: not to be compared */
	bool		by_band;		/* the current step processes a band */
	size_t		asked;			/* signatures that is_wanted() was asked about */
	size_t		unwanted;		/* of them, dropped */
	const uint16_t *block_order;	/* of the large bucket, or NULL */
	int			block;			/* the current block of it */
	uint32_t	block_stop;		/* hashes of that block below this are done */
	BandHasher	hasher;
	PlaneQuery	query;
	uint16_t	query_memory[SKETCH_MAX_HASHES + 1 + SKETCH_MAX_HASHES / 8];
};

/* Return the bytes of the planes that the search keeps for a signature. */
static inline size_t
pairs_planes_size(int num_hashes)
{
	return 2 * plane_size(num_hashes);
}

/* Return the slots of a signature that has been added. */
static inline uint16_t *
pairs_slots(const PairSearch *search, size_t signature)
{
	return search->slots + signature * (size_t) search->num_hashes;
}

/*
 * Return the bytes of memory that max_signatures need, in addition to parents.
 */
extern uint64_t pairs_memory_size(int num_hashes, size_t max_signatures);

/* Start a search.  The task and the memory must have been set. */
extern void pairs_begin(PairSearch *search);

/* Add a signature by its slots, which are copied. */
extern void pairs_add(PairSearch *search, const uint16_t *slots);

/* Add a signature by its four planes, which are copied. */
extern void pairs_add_planes(PairSearch *search, const Planes *planes);

/* Add a NULL: it takes the next number, and is in no pair. */
extern void pairs_add_null(PairSearch *search);

/* Find the pairs or components of all signatures that have been added. */
extern void pairs_find(PairSearch *search);

/*
 * Replace each entry of parents by the first signature of its component, when
 * components have been found.
 */
extern void pairs_label(PairSearch *search);

#endif							/* PAIRS_H */
