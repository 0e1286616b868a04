/*-------------------------------------------------------------------------
 *
 * minhash_sel.h
 *	  Estimate how many rows are similar.
 *
 *-------------------------------------------------------------------------
 */
#ifndef MINHASH_SEL_H
#define MINHASH_SEL_H

#include "nodes/pathnodes.h"

/* What a comparison of signatures costs, in operators such as int4eq. */
#define MINHASH_COMPARISON_COST 4

extern double minhash_constant_number(PlannerInfo *root, Node *node,
									  double otherwise);
extern Selectivity minhash_selectivity(PlannerInfo *root, List *args,
									   int varRelid, Oid function,
									   double threshold);
extern Selectivity minhash_join_selectivity(PlannerInfo *root, List *args,
											JoinType jointype,
											SpecialJoinInfo *sjinfo,
											Oid function, double threshold);

#endif							/* MINHASH_SEL_H */
