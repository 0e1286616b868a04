/*-------------------------------------------------------------------------
 *
 * search_cost.h
 *	  Attach the cost of a GIN index scan to the value searched for.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SEARCH_COST_H
#define SEARCH_COST_H

#include "minhash_sel.h"

/*
 * Wrap value, a minhash or minhash_query expression, in a call that returns a
 * minhash_query and carries the cost of searching an index of some number of
 * rows for it.  A minhash becomes the query of %, with the threshold of the
 * setting when the scan starts.  sibling is the OID of a function in the
 * extension's schema.  Returns NULL if minhash_with_cost does not exist.
 */
extern Node *add_cost(Node *value, const SearchEstimate *estimate,
					  double rows, Oid sibling);

/* Return the expression that add_cost() wrapped, or the argument itself. */
extern Node *without_cost(Node *query);

#endif							/* SEARCH_COST_H */
