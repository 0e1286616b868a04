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

/*
 * Estimate the number of elements of a set; 0 for the empty set.  The method is
 * one-permutation or k-permutation.
 */
extern double slots_cardinality(const uint16_t *slots, int num_hashes,
								SketchMethod method);

/*
 * Estimate the fraction of the elements of A that are in B, 0 to 1; return
 * false if A is empty.  The method is not weighted.
 */
extern bool slots_containment(const uint16_t *a, const uint16_t *b,
							  int num_hashes, SketchMethod method,
							  double *containment);

#endif							/* SIZES_H */
