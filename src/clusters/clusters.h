/*-------------------------------------------------------------------------
 *
 * clusters.h
 *	  Cluster rows that are read one by one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CLUSTERS_H
#define CLUSTERS_H

#include "core/bands/division.h"

/* The row to find for each row. */
typedef enum ClusterTarget
{
	FIRST_OF_CLUSTER,
	REPRESENTATIVE,
	LINKED
} ClusterTarget;

/* Rows to cluster, set by the caller. */
typedef struct ClusterTask
{
	const char *name;			/* of the SQL function, for messages */
	ClusterTarget target;
	double		threshold;		/* above 0, unless for representatives */
	double		recall;
	Division	division;		/* agreement and judged pairs */
	uint64		rows;

	/* Return the signature of a row; called once for each row, in order. */
	Datum		(*fetch) (void *source, uint64 row, bool *isnull);
	void	   *source;
} ClusterTask;

/*
 * Return the number, from 0, of the row to find for each row, palloc'd.  Raises an
 * error if there are too many rows, too little memory, or signatures of different
 * kinds.  Does not use judged pairs or agreement for representatives.
 */
extern uint32 *cluster_rows(ClusterTask *task);

/* Allocate memory that the rows need; raises an error if there is not enough. */
extern void *cluster_alloc(const ClusterTask *task, uint64 bytes, uint64 needed);

#endif							/* CLUSTERS_H */
