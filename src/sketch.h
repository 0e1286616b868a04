/*-------------------------------------------------------------------------
 *
 * sketch.h
 *	  From element hashes to the slots of a signature.  Pure: no PostgreSQL.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SKETCH_H
#define SKETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SKETCH_MIN_HASHES 16	/* fewer have a standard error above 0.1 */
#define SKETCH_MAX_HASHES 4096	/* 8 kB: a signature still fits into a page */
#define SKETCH_DEFAULT_HASHES 128

#define SLOT_MAX 45055			/* code of the largest 32-bit value */
#define SLOT_EMPTY 0xFFFF		/* no element fell into the slot */

typedef enum SketchMethod
{
	SKETCH_ONE_PERMUTATION = 1,
	SKETCH_K_PERMUTATION = 2
} SketchMethod;

/* The minima of a set that is still being read. */
typedef struct Sketch
{
	SketchMethod method;
	int			num_hashes;
	bool		empty;			/* no element yet */
	uint32_t	minima[SKETCH_MAX_HASHES];
	uint32_t	multiplier[SKETCH_MAX_HASHES];	/* k-permutation only */
	uint32_t	addend[SKETCH_MAX_HASHES];	/* k-permutation only */
} Sketch;

extern uint64_t mix64(uint64_t x);
extern uint16_t slot_encode(uint32_t value);
extern void sketch_begin(Sketch *sketch, SketchMethod method, int num_hashes,
						 int32_t seed);
extern void sketch_add(Sketch *sketch, const uint64_t *hashes, size_t count);
extern void sketch_end(const Sketch *sketch, uint16_t *slots);
extern void slots_compare(const uint16_t *a, const uint16_t *b, int num_hashes,
						  int *equal, int *compared);
extern bool slots_differ_at_most(const uint16_t *a, const uint16_t *b,
								 int num_hashes, int limit);
extern bool slots_are_valid(const uint16_t *slots, int num_hashes,
							SketchMethod method);

#endif							/* SKETCH_H */
