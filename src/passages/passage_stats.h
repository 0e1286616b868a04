/*-------------------------------------------------------------------------
 *
 * passage_stats.h
 *	  A small sample of the texts of a column, from its statistics.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PASSAGE_STATS_H
#define PASSAGE_STATS_H

#include "access/htup.h"

#define PASSAGE_STATS_VALUES 20 /* of the most common ones, and of the others */

typedef struct TextSample
{
	int			count;
	text	   *values[2 * PASSAGE_STATS_VALUES];	/* no NULLs */
	double		weights[2 * PASSAGE_STATS_VALUES];	/* shares of the rows */
	uint64		search;			/* a hash of the search estimated last, or 0 */
	double		share;			/* of the rows that it finds */
} TextSample;

/*
 * Return a sample of a column, given its row of pg_statistic.  It is valid
 * until the next call, and kept for later calls with search and share as the
 * caller leaves them.  The caller must make sure that the user may see the
 * statistics.
 */
extern TextSample *passage_stats_sample(HeapTuple tuple);

#endif							/* PASSAGE_STATS_H */
