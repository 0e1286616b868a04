/*-------------------------------------------------------------------------
 *
 * passages.h
 *	  The passages that two texts share.
 *
 * Which passages are listed is defined as follows.  A seed is a common run that
 * no equal unit before or after it would extend, and that has at least
 * length / (edits + 1) units, rounded up, and at least those of the run.  From
 * each place of a, only the longest seed counts, of equal ones the first in b,
 * and only if it ends behind all seeds from places before.
 *
 * The longest of these seeds is taken, of equal ones the leftmost in a, then in
 * b.  It is extended to the alignment that has it and the most equal units, then
 * the fewest edits, then the fewest units of a, then of b, then the leftmost.
 * That is a passage, and covers its part of a.  Parts of other seeds that it
 * covers are cut off, and what remains stays a seed if it is long enough; no
 * alignment contains a covered unit.  A seed whose alignment is no passage is
 * dropped.
 *
 * So the passages do not overlap in a, but may in b.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PASSAGES_H
#define PASSAGES_H

#include "seeds.h"

/*
 * The maximum number of units of a text.  A unit of the first takes up to 60
 * bytes, one of the second up to 170, and a passage up to 120.
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
 * Find the passages of two texts, in the order of the first.
 *
 * The units of both have spans, are numbered by one table, and are at most
 * PASSAGES_MAX_UNITS.  secret should be random.  Returns the number of passages,
 * and sets *passages to new memory.
 */
extern size_t passages_find(const Units *a, const Units *b,
							const PassageRule *rule, uint64_t secret,
							Passage **passages);

#endif							/* PASSAGES_H */
