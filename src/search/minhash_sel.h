/*-------------------------------------------------------------------------
 *
 * minhash_sel.h
 *	  Estimate the candidates and the matching rows of a search.
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

#include "core/bands/bands.h"

/* Estimate of a search; the shares are fractions of the rows of the table. */
typedef struct SearchEstimate
{
	BandPlan	plan;			/* how an index is searched */
	double		entries;		/* entries of an index to read, which count a
								 * row once for each band that agrees; may
								 * exceed 1 */
	double		candidates;		/* share of the rows to compare */
	double		matches;		/* share of the rows that are similar */
} SearchEstimate;

/*
 * Estimate a condition from its arguments.  For a condition of an index scan,
 * varRelid is the relid of the table.
 */
extern SearchEstimate minhash_estimate_call(PlannerInfo *root, List *args,
											int varRelid, Oid function);

/*
 * Estimate the selectivity of a join condition, 0 to 1.  For semi-joins and
 * anti-joins the result is the share of the outer rows that have a partner.
 */
extern Selectivity minhash_estimate_join(PlannerInfo *root, List *args,
										 JoinType jointype,
										 SpecialJoinInfo *sjinfo,
										 Oid function);

#endif							/* MINHASH_SEL_H */
