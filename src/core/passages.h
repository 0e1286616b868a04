/*-------------------------------------------------------------------------
 *
 * passages.h
 *	  The passages that two texts share.
 *
 * Add the units of the first text to empty Units, note their count, call
 * passages_end_text(), do both for the second text, then passages_find().
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

/* Mark the end of a text; to be called after each of the two. */
extern void passages_end_text(Units *units);

/*
 * Find the passages of at least shingle_size units, in the order of the first
 * text, of which count_a units have been added.
 *
 * Returns the number of passages, and sets *passages to new memory of
 * units->memory, which can be NULL if there are none.
 */
extern size_t passages_find(Units *units, size_t count_a, size_t shingle_size,
							Passage **passages);

#endif							/* PASSAGES_H */
