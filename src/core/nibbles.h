/*-------------------------------------------------------------------------
 *
 * nibbles.h
 *	  Four mixed bits of every slot, to reject pairs without their slots.
 *
 *-------------------------------------------------------------------------
 */
#ifndef NIBBLES_H
#define NIBBLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sketch.h"

#define NIBBLES_BLOCK 64		/* slots whose bits share four words */
#define NIBBLES_MAX_WORDS (4 * SKETCH_MAX_HASHES / NIBBLES_BLOCK)

/* Return how many words of 64 bits the nibbles of a signature take. */
static inline size_t
nibbles_words(int num_hashes)
{
	return 4 * (((size_t) num_hashes + NIBBLES_BLOCK - 1) / NIBBLES_BLOCK);
}

extern void nibbles_make(const uint16_t *slots, int num_hashes,
						 uint64_t *nibbles);
extern uint32_t nibbles_threshold(double threshold);
extern bool nibbles_are_near(const uint64_t *a, const uint64_t *b,
							 int num_hashes, uint32_t threshold);
extern uint32_t nibbles_near(const uint64_t *tile, int count,
							 const uint64_t *nibbles, int num_hashes,
							 uint32_t threshold);

#endif							/* NIBBLES_H */
