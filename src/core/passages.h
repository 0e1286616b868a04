/*-------------------------------------------------------------------------
 *
 * passages.h
 *	  The passages that two texts share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PASSAGES_H
#define PASSAGES_H

#include "suffix_array.h"
#include "units.h"

/* More units together would take too much memory: 28 bytes for each. */
#define PASSAGES_MAX_UNITS ((size_t) 1 << 28)

/* A passage: characters of both texts as they came, from 0. */
typedef struct Passage
{
	uint32_t	start_a;
	uint32_t	length_a;
	uint32_t	start_b;
	uint32_t	length_b;
} Passage;

extern void passages_end_text(Units *units);
extern size_t passages_find(Units *units, size_t count_a, size_t shingle_size,
							Passage **passages);

#endif							/* PASSAGES_H */
