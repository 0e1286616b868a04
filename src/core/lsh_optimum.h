/*-------------------------------------------------------------------------
 *
 * lsh_optimum.h
 *	  The bands and rows that fit a threshold best.  Pure: no PostgreSQL.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_OPTIMUM_H
#define LSH_OPTIMUM_H

/* What a banding is to be good at, and the best one found so far. */
typedef struct LshOptimum
{
	double		threshold;
	double		fp_weight;		/* of candidates below the threshold */
	double		fn_weight;		/* of pairs above it that are missed */
	double		error;
	int			bands;
	int			rows;
} LshOptimum;

extern void lsh_optimum_try(LshOptimum *best, int bands, int max_rows);

#endif							/* LSH_OPTIMUM_H */
