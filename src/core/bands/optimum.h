/*-------------------------------------------------------------------------
 *
 * optimum.h
 *	  The numbers of bands and rows that fit a threshold best.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMUM_H
#define OPTIMUM_H

/* The goal, set by the caller, and the best banding so far. */
typedef struct LshOptimum
{
	double		threshold;		/* 0 to 1 */
	double		fp_weight;		/* weight of false positives, 0 to 1 */
	double		fn_weight;		/* weight of false negatives, 0 to 1 */
	double		error;			/* weighted sum of errors */
	int			bands;			/* set it to 0 before the first call */
	int			rows;			/* rows of each band */
} LshOptimum;

/*
 * Compute the errors of a number of bands, at least 1, of 1 to max_rows rows
 * each, and keep the banding with the smallest error.  Call it for each number
 * of bands from 1 to the number of hashes.
 */
extern void optimum_try(LshOptimum *best, int bands, int max_rows);

#endif							/* OPTIMUM_H */
