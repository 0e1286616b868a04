/*-------------------------------------------------------------------------
 *
 * jaccard.h
 *	  Estimate similarities from signatures.
 *
 *-------------------------------------------------------------------------
 */
#ifndef JACCARD_H
#define JACCARD_H

#include "type/minhash.h"

extern bool minhash_estimate(const MinHash *a, const MinHash *b,
							 double *jaccard);

#endif							/* JACCARD_H */
