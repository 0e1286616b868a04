/*-------------------------------------------------------------------------
 *
 * minhash_stats.h
 *	  Statistics of a column of signatures in pg_statistic.
 *
 * minhash_analyze.c stores and describes them, minhash_sel.c reads them.  The
 * values are one bytea with the sampled forms of up to MINHASH_STATS_ROWS rows, 16
 * kB.  The numbers are those of struct SigNumbers.
 *
 *-------------------------------------------------------------------------
 */
#ifndef MINHASH_STATS_H
#define MINHASH_STATS_H

#include "type/minhash.h"

#define STATISTIC_KIND_MINHASH 20817	/* from the range for private use */

#define MINHASH_STATS_ROWS 128
#define MINHASH_STATS_SLOTS 64	/* of each row */

/* The numbers, an array of float4. */
typedef struct SigNumbers
{
	float4		pairs[MINHASH_STATS_SLOTS + 1]; /* shares of the pairs of
												 * rows, by the number of
												 * equal slots */
	float4		num_hashes;		/* of the rows */
} SigNumbers;

/*
 * Compute the sampled form of a signature, MINHASH_STATS_SLOTS numbers: its first
 * slots, densified and hashed to 16 bits, so that sets of all sizes are compared
 * in the same way.
 */
extern void minhash_sample_slots(const MinHash *sig, uint16 *sampled);

/* Return the number of equal slots of two sampled forms, 0 to MINHASH_STATS_SLOTS. */
extern int	minhash_sample_equal(const uint16 *a, const uint16 *b);

#endif							/* MINHASH_STATS_H */
