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
 * rows for it, and the estimated share of candidates.  A minhash becomes the
 * query of %, with the threshold of the setting when the scan starts.  sibling is
 * the OID of a function in the extension's schema.  Returns NULL if
 * minhash_with_estimate does not exist.
 */
extern Node *add_estimate(Node *value, const SearchEstimate *estimate,
						  double rows, Oid sibling);

/* Return the expression that add_estimate() wrapped, or the argument itself. */
extern Node *without_estimate(Node *query);

/*
 * Set *candidates to the share attached to one of args and return true, or
 * return false if there is none or if it is not from 0 to 1.
 */
extern bool find_candidates(List *args, double *candidates);

#endif							/* SEARCH_COST_H */
