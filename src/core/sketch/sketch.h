/*-------------------------------------------------------------------------
 *
 * sketch.h
 *	  From element hashes to the slots of a signature.
 *
 * Call sketch_begin(), then sketch_add() in any number, then sketch_end().  The
 * order of the elements, and repetitions of them, do not matter.  No function
 * fails or allocates memory.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SKETCH_H
#define SKETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "slots.h"

#define SKETCH_MIN_HASHES 16	/* standard error of up to 0.125 */
#define SKETCH_MAX_HASHES 4096	/* standard error below 0.008; 8 kB of slots */
#define SKETCH_DEFAULT_HASHES 128

/*
 * The minima of a set that is still being read.
 *
 * Only the first k numbers are in use, or 3 * k with k-permutation, so that a
 * sketch can be allocated with sketch_size() bytes.
 */
typedef struct Sketch
{
	SketchMethod method;		/* one-permutation or k-permutation */
	int			num_hashes;		/* k */
	int32_t		seed;
	bool		empty;			/* no element yet */
	uint32_t	numbers[3 * SKETCH_MAX_HASHES]; /* minima, factors, addends */
} Sketch;

/* Return the number of bytes of a sketch that are in use. */
extern size_t sketch_size(SketchMethod method, int num_hashes);

/*
 * Begin a sketch of the empty set.  The method is one-permutation or
 * k-permutation; num_hashes is 1 to SKETCH_MAX_HASHES; the seed chooses the
 * permutations of k-permutation.
 */
extern void sketch_begin(Sketch *sketch, SketchMethod method, int num_hashes,
						 int32_t seed);

/* Add elements, given by their 64-bit hashes (see hash.h). */
extern void sketch_add(Sketch *sketch, const uint64_t *hashes, size_t count);

/* Add an element to the slots of a signature that was made by one permutation. */
extern void sketch_add_to_slots(uint16_t *slots, int num_hashes, uint64_t hash);

/* Write the num_hashes slots of a sketch, which stays as it is. */
extern void sketch_end(const Sketch *sketch, uint16_t *slots);

#endif							/* SKETCH_H */
