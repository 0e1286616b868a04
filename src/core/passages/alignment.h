/*-------------------------------------------------------------------------
 *
 * alignment.h
 *	  The rule for passages, and extending a common run across edits.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALIGNMENT_H
#define ALIGNMENT_H

#include <stdint.h>

#define PASSAGE_MAX_LENGTH 10000
#define PASSAGE_MAX_EDITS 16

/*
 * A passage is an alignment of a part of one text with a part of another.  An
 * edit replaces one unit by another, or leaves out one unit of either text.
 */
typedef struct PassageRule
{
	uint32_t	run;			/* equal units in a row, at least 1 */
	uint32_t	length;			/* equal units in all, run or more, at most
								 * PASSAGE_MAX_LENGTH */
	uint32_t	edits;			/* the most edits, up to PASSAGE_MAX_EDITS */
} PassageRule;

/*
 * Return the size of a seed, the shortest that the longest run of equal units in
 * a passage can be.  It is at least rule->run.
 */
extern uint32_t passage_seed_size(const PassageRule *rule);

/* The units of a text from a place on, towards its end or its start. */
typedef struct Ray
{
	const uint32_t *units;		/* what lies after the place */
	uint32_t	count;
} Ray;

/* An alignment that begins where two rays do. */
typedef struct Reach
{
	uint32_t	equal;			/* units */
	uint32_t	edits;
	uint32_t	units_a;		/* units of each text that it takes */
	uint32_t	units_b;
} Reach;

/*
 * For 0, 1, ... edits, find the alignment of two rays that has the most equal
 * units with at most that number of edits.  Of several, that is the one with the
 * fewest edits, then the fewest units of a, then of b.
 *
 * step is 1 if the rays go forward, -1 if they go backward.  The search ends at
 * the first alignment with enough equal units, which then stands for all that
 * have more edits.  Stores edits + 1 reaches.  Checks for interrupts.
 */
extern void alignment_extend(Ray a, Ray b, int step, uint32_t edits,
							 uint32_t enough, Reach *reaches);

#endif							/* ALIGNMENT_H */
