/*-------------------------------------------------------------------------
 *
 * large_division.h
 *	  Divide a component that is too large for a matrix of its groups.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LARGE_DIVISION_H
#define LARGE_DIVISION_H

#include "division.h"

/* A large component, in a list. */
typedef struct LargeComponent
{
	struct LargeComponent *next;
	uint32_t	count;
	uint32_t	nodes[];		/* its signatures, in ascending order */
} LargeComponent;

/*
 * Return a list of a component, by its entries as those of a bucket, and others.
 */
extern LargeComponent *large_component(const Division *division, const uint64_t *entries,
									   size_t count, LargeComponent *next);

/*
 * Divide a component that pairs_find() has found, release it, and return the next
 * one.  Overwrites the work and the hashes of the search, and the weights of the
 * component's signatures.
 */
extern LargeComponent *large_divide(PairSearch *search, const Division *division,
									LargeComponent *component);

#endif							/* LARGE_DIVISION_H */
