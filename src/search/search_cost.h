/*-------------------------------------------------------------------------
 *
 * search_cost.h
 *	  What a search of a GIN index costs and finds, told to the planner.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SEARCH_COST_H
#define SEARCH_COST_H

#include "minhash_sel.h"

extern Node *add_estimate(Node *query, const SearchEstimate *estimate,
						  double rows, Oid sibling);
extern Node *without_estimate(Node *query);
extern bool find_candidates(List *args, double *candidates);

#endif							/* SEARCH_COST_H */
