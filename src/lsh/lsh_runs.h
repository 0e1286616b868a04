/*-------------------------------------------------------------------------
 *
 * lsh_runs.h
 *	  Runs of entries of the tree whose keys begin alike.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_RUNS_H
#define LSH_RUNS_H

#include "lsh_tree.h"

/* Is shown the numbers of the records of a run, two or more. */
typedef void (*LshRunVisitor) (const LshNumbers *run, void *arg);

extern void lsh_visit_runs(Relation index, Snapshot snapshot, int band,
						   int rows, LshRunVisitor visit, void *arg);

#endif							/* LSH_RUNS_H */
