/*-------------------------------------------------------------------------
 *
 * minhash_sel.h
 *	  Estimate the candidates, the matching rows and the cost of a search.
 *
 * The functions are called during planning.  args holds the two compared
 * expressions, in either order, then threshold and recall if the condition has
 * them; varRelid is as in restriction estimators: 0, or the range table index
 * of the relation that is searched for one row of another.  function is the OID
 * of the function that evaluates the condition; the statistics of a column are
 * used only if the user may read the column or the function is leakproof.
 * None of them fails for lack of statistics.
 *
 *-------------------------------------------------------------------------
 */
#ifndef MINHASH_SEL_H
#define MINHASH_SEL_H

#include "nodes/pathnodes.h"

#include "core/bands.h"

/* What a comparison of signatures costs, in operators such as int4eq. */
#define MINHASH_COMPARISON_COST 4

/* Estimate of a search; the shares are fractions of the rows of the table. */
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
