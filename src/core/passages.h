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

/* The maximum number of units of both texts; each takes 28 bytes. */
#define PASSAGES_MAX_UNITS ((size_t) 1 << 28)

/* A passage: positions from 0, in code points, or bytes if Units.in_bytes. */
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
