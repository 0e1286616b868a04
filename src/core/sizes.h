/*-------------------------------------------------------------------------
 *
 * sizes.h
 *	  Estimates of the sizes of sets and of their overlap.
 *
 * Signatures have num_hashes slots; two of them must be of one kind (method,
 * num_hashes, seed and shingling).  No function fails.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIZES_H
#define SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include "sketch.h"

extern double slots_cardinality(const uint16_t *slots, int num_hashes,
								SketchMethod method);
extern bool slots_containment(const uint16_t *a, const uint16_t *b,
							  int num_hashes, SketchMethod method,
							  double *containment);
extern void jaccard_limits(int equal, int compared, int num_hashes,
						   double confidence, double *low, double *high);

#endif							/* SIZES_H */
