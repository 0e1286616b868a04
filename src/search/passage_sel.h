/*-------------------------------------------------------------------------
 *
 * passage_sel.h
 *	  Selectivity estimates for shares_passage() and the operator &&~.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PASSAGE_SEL_H
#define PASSAGE_SEL_H

#include "nodes/pathnodes.h"

/*
 * Estimate the share of rows that satisfy a call of the function, whose
 * arguments are (text, text, run), or the function of &&~, (text,
 * passage_query).
 */
extern Selectivity passage_estimate_search(PlannerInfo *root, List *args,
										   int varRelid, Oid function);

/* Estimate the share of pairs of rows that share a passage. */
extern Selectivity passage_estimate_join(PlannerInfo *root, List *args,
										 JoinType jointype);

#endif							/* PASSAGE_SEL_H */
