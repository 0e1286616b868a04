/*-------------------------------------------------------------------------
 *
 * passages.h
 *	  The passages that two texts share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PASSAGES_H
#define PASSAGES_H

#include "seeds.h"

/*
 * The maximum number of units of a text.  A unit of the first takes up to 60
 * bytes, one of the second up to 170, and a passage up to 80.
 */
#define PASSAGES_MAX_UNITS ((size_t) 1 << 28)

/* A passage: its positions in both texts, in units or as Span counts them. */
typedef struct Passage
{
	Span		a;
	Span		b;
	uint32_t	equal;			/* units */
	uint32_t	edits;
} Passage;

/*
 * Find the passages of two texts, in the order of the first.  The units of both
 * have spans, and are numbered by one interner.  secret should be random.
 *
 * Returns the number of passages, and sets *passages to new memory of
 * a->memory.
 */
extern size_t passages_find(const Units *a, const Units *b,
							const PassageRule *rule, uint64_t secret,
							Passage **passages);

#endif							/* PASSAGES_H */
