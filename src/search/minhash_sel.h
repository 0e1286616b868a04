/*-------------------------------------------------------------------------
 *
 * minhash_sel.h
 *	  Estimate how many rows are candidates of a search, and how many match.
 *
 * lsh/lsh_cost.c asks minhash_estimate_search for each condition of an index
 * scan, with the table's relid as varRelid.
 *
 *-------------------------------------------------------------------------
 */
#ifndef MINHASH_SEL_H
#define MINHASH_SEL_H

#include "nodes/pathnodes.h"

#include "core/bands.h"

/* What a comparison of signatures costs, in operators such as int4eq. */
#define MINHASH_COMPARISON_COST 4

/* What is known of a search when it is planned. */
typedef struct SearchEstimate
{
	BandPlan	plan;			/* how an index is searched */
	double		entries;		/* entries that the look-ups find, each row
								 * counted as often as its bands agree, in
								 * rows of the table */
	double		candidates;		/* share of the rows that are compared */
	double		matches;		/* share of the rows that are similar */
} SearchEstimate;

extern SearchEstimate minhash_estimate_search(PlannerInfo *root,
											  OpExpr *condition, int varRelid);
extern SearchEstimate minhash_estimate_call(PlannerInfo *root, List *args,
											int varRelid, Oid function);
extern Selectivity minhash_estimate_matches(PlannerInfo *root, List *args,
											int varRelid, Oid function);
extern Selectivity minhash_estimate_join(PlannerInfo *root, List *args,
										 JoinType jointype,
										 SpecialJoinInfo *sjinfo,
										 Oid function, bool candidates);

#endif							/* MINHASH_SEL_H */
