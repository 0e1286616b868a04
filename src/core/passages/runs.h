/*-------------------------------------------------------------------------
 *
 * runs.h
 *	  The longest run from each place of a text that another text has, too.
 *
 *-------------------------------------------------------------------------
 */
#ifndef RUNS_H
#define RUNS_H

#include "units.h"

/* The longest run from a place, and its first place in the other text. */
typedef struct CommonRun
{
	uint32_t	length;
	uint32_t	at;				/* undefined if length is 0 */
} CommonRun;

/*
 * Find the longest run from each place of a that b has, too, both numbered by
 * one table that has all units of b.  They have fewer than 2^30 units
 * together.  Returns an array of a->count runs in new memory.
 */
extern CommonRun *runs_find_longest(const Units *a, const Units *b);

#endif							/* RUNS_H */
