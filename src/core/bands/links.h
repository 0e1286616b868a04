/*-------------------------------------------------------------------------
 *
 * links.h
 *	  Find components, and the strongest links that hold each of them together.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LINKS_H
#define LINKS_H

#include "pairs.h"

#define LINK_LEVELS 20			/* levels between similarity 0 and 1 */

/* Memory, allocated by the caller: max_signatures numbers each. */
typedef struct Links
{
	uint32_t   *to;				/* the signature that each is linked to */
	uint32_t   *sizes;			/* of the component of each root */
} Links;

/*
 * Find the components that pairs_find() finds, and link each signature to one
 * that it is similar to, or to itself if it is the first one of its component.
 * The links of a component are a tree.
 *
 * Call it in place of pairs_find(), with the recall of the search's plan.  It sets
 * hook_data and joined.  steps and step count the steps of a level.
 */
extern void links_find(PairSearch *search, double recall, Links *links);

#endif							/* LINKS_H */
