/*-------------------------------------------------------------------------
 *
 * search_cost.h
 *	  What a search of a GIN index costs, told to the planner.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SEARCH_COST_H
#define SEARCH_COST_H

#include "minhash_sel.h"

extern double gin_search_cost(const SearchEstimate *estimate, double rows);
extern Node *add_search_cost(Node *query, double cost, Oid sibling);
extern Node *without_search_cost(Node *query);

#endif							/* SEARCH_COST_H */
