/*-------------------------------------------------------------------------
 *
 * pairs.h
 *	  Find the similar pairs among signatures in memory, or the connected
 *	  components that they form.
 *
 * Order of calls: fill in the task and the memory of a PairSearch; then
 * pairs_begin(), one pairs_add function for each signature, pairs_find(), and,
 * in a search for components, pairs_label(), with representatives_choose() before
 * it for representatives.
 *
 * Signatures are numbered from 0 in the order in which they are added.  The
 * search neither allocates nor frees memory.  It holds no resources, so that
 * hooks may leave it by a long jump.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PAIRS_H
#define PAIRS_H

#include "core/sketch/planes.h"
#include "pair_search.h"

/*
 * Return the bytes of memory that max_signatures need, in addition to parents.
 */
extern uint64_t pairs_memory_size(int num_hashes, size_t max_signatures);

/* Start a search.  The task and the memory must have been set. */
extern void pairs_begin(PairSearch *search);

/* Add a signature by its slots, which are copied. */
extern void pairs_add(PairSearch *search, const uint16_t *slots);

/* Add a signature by its four planes. */
extern void pairs_add_planes(PairSearch *search, const Planes *planes);

/* Add a NULL: it takes the next number, and is in no pair. */
extern void pairs_add_null(PairSearch *search);

/* Find the pairs or components of all signatures that have been added. */
extern void pairs_find(PairSearch *search);

/*
 * Let the next pairs_find() run under another plan, and go on from the
 * components that have been found.
 */
extern void pairs_change_plan(PairSearch *search, const BandPlan *plan);

/*
 * Choose representatives (representatives.c): in the order of their numbers, each
 * signature joins the first earlier representative that it is similar to, or becomes
 * one.  Set the parent of each signature to its representative, which for a
 * representative is itself, and that of a copy to the signature it equals.
 *
 * Call it after pairs_find() has found components and before pairs_label().  The
 * choice adds one step to steps and step.
 */
extern void representatives_choose(PairSearch *search);

/*
 * Replace each entry of parents by the first signature of its component, when
 * components have been found.
 */
extern void pairs_label(PairSearch *search);

#endif							/* PAIRS_H */
