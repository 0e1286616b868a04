/*-------------------------------------------------------------------------
 *
 * suffix_array.h
 *	  Sort the suffixes of a string of numbers.
 *
 * length is at least 1, and arrays have length elements.  Both functions check
 * for interrupts.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SUFFIX_ARRAY_H
#define SUFFIX_ARRAY_H

#include <stdint.h>

#include "memory.h"

/*
 * Write the start positions of all suffixes, in the order of the suffixes.
 *
 * Symbols are 0 to symbols - 1.  The last symbol of the string must be 0, and
 * no other may be.  Working memory is released before the function returns.
 */
extern void suffix_array(const int32_t *string, int32_t *suffixes,
						 int32_t length, int32_t symbols, const Memory *memory);

/*
 * For every position of a string, write the number of symbols that its suffix
 * shares with the suffix before it in the order; 0 for the first of the order.
 */
extern void suffix_array_overlaps(const int32_t *string,
								  const int32_t *suffixes, int32_t *overlaps,
								  int32_t length);

#endif							/* SUFFIX_ARRAY_H */
