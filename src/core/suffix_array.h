/*-------------------------------------------------------------------------
 *
 * suffix_array.h
 *	  Sort the suffixes of a string of numbers.
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
extern void suffix_array_overlaps(const int32_t *string,
								  const int32_t *suffixes, int32_t *overlaps,
								  int32_t length);

#endif							/* SUFFIX_ARRAY_H */
