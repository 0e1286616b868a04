/*-------------------------------------------------------------------------
 *
 * component.h
 *	  The groups of a component that is divided, and the joins of two of them.
 *
 * Order of calls: set the task; component_begin(), which makes a group of each
 * signature, and joins those judged the same; component_join() for each similar
 * pair; component_end().
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMPONENT_H
#define COMPONENT_H

#include "division.h"

/* Two groups that may not join. */
typedef struct Refusal
{
	uint64_t	roots;			/* a division_pair(), the first one first */
	double		until;			/* with fewer pairs between them they may not */
} Refusal;

typedef struct Component
{
	/* The task, set by the caller. */
	PairSearch *search;			/* of all signatures, with the threshold's
								 * plan */
	const Division *division;
	uint32_t	count;			/* signatures of the component */
	const uint32_t *nodes;		/* the signature of each node, in ascending
								 * order */

	bool	   *similar;		/* count * count: the similar pairs of nodes;
								 * NULL: compare slots */

	/* Private, but for parents. */
	uint32_t   *parents;		/* the forest of groups, by node */
	uint32_t   *sizes;			/* of the group of each root: signatures with
								 * their copies */
	uint32_t  **members;		/* of the group of each root: nodes, once for
								 * each copy; NULL: the root alone */
	bool		has_copies;
	Refusal    *refusals;		/* a table by hash */
	uint32_t	num_refusals;	/* entries of it, a power of 2 */
} Component;

/* Allocate memory for the groups. */
extern void component_begin(Component *component);

/* Return the estimate of two nodes that are similar, otherwise -1. */
extern double component_estimate(const Component *component, uint32_t a, uint32_t b);

/*
 * Return false if the groups of two roots were refused, and cannot have gained
 * enough similar pairs since.
 */
extern bool component_may_join(const Component *component, uint32_t a, uint32_t b);

/*
 * Join the groups of two nodes, a similar pair unless links are not wanted, if
 * they may join; return true if they have.
 */
extern bool component_join(Component *component, uint32_t a, uint32_t b);

/*
 * Set the parents of the component's signatures in the search to the first of
 * their groups, and the links of groups; release the memory.
 */
extern void component_end(Component *component);

#endif							/* COMPONENT_H */
