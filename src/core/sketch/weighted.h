/*-------------------------------------------------------------------------
 *
 * weighted.h
 *	  Signatures of weighted sets.
 *
 * Call weighted_unique() on the elements, unless all are different, then
 * darts_begin() and darts_throw().  No function allocates memory.  All check for
 * interrupts, which can leave by a long jump.
 *
 *-------------------------------------------------------------------------
 */
#ifndef WEIGHTED_H
#define WEIGHTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sketch.h"

/* An element of a weighted set. */
typedef struct WeightedElement
{
	uint64_t	hash;			/* see hash.h */
	double		weight;			/* positive and finite */
} WeightedElement;

/* The best darts of a weighted set so far. */
typedef struct Darts
{
	int			num_hashes;
	int			slots_hit;
	int			scale;			/* done and limit are multiples of 2^-scale */
	double		done;			/* darts of lower ranks have been thrown */
	double		limit;			/* darts of lower ranks are being thrown */
	uint64_t	ranks[SKETCH_MAX_HASHES];	/* of the best dart of each slot:
											 * its comparable_rank() */
	uint16_t   *codes;			/* and its code */
} Darts;

/*
 * Sort elements by hash, add up the weights of equal ones, and return the
 * number of different ones, which are first in the array.  scratch has room for
 * count elements.  A sum can be infinite; the caller checks that.
 */
extern size_t weighted_unique(WeightedElement *elements,
							  WeightedElement *scratch, size_t count);

/*
 * Begin the signature of a set of count different elements, at least 1, with
 * weights that are positive and finite.
 */
extern void darts_begin(Darts *darts, int num_hashes,
						const WeightedElement *elements, size_t count);

/* Compute the slots of the set that darts_begin() was called for. */
extern void darts_throw(Darts *darts, const WeightedElement *elements,
						size_t count, uint16_t *slots);

#endif							/* WEIGHTED_H */
