/*-------------------------------------------------------------------------
 *
 * division.h
 *	  Find groups of signatures in which enough pairs are similar.
 *
 * Pairs are taken from the most similar to the least, and join the groups of
 * their two signatures if
 *	- the share of similar pairs, of all pairs between the groups, is at least
 *	  the agreement, and
 *	- no pair between them was judged different.
 * Copies, which are equal signatures, join before that, unless they are judged; from
 * then on only the first copy is compared, and its pairs count once for each
 * copy.  Pairs judged the same join first, similar or not.  So
 * agreement 0 gives the connected components, and with 1 all pairs of a group are
 * similar, except those that judgments connect.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DIVISION_H
#define DIVISION_H

#include "core/base/host.h"
#include "pairs.h"

typedef struct Division
{
	/* The task, set by the caller. */
	double		agreement;		/* 0 to 1 */
	double		recall;			/* of the plan of the search */
	const uint64_t *same;		/* pairs judged the same, as division_pair() */
	size_t		num_same;
	const uint64_t *different;	/* pairs judged different */
	size_t		num_different;
	size_t		max_sorted;		/* signatures of a component whose pairs are
								 * sorted; 0: as many as there is room for */

	/*
	 * max_signatures numbers, or NULL.  Gets the signature by whose
	 * similarity each one joined its group: the links of a group are a tree
	 * of similar pairs, the strongest first.  The first signature of a group
	 * is linked to itself.
	 */
	uint32_t   *links;

	/*
	 * max_signatures numbers, or NULL.  Gets for each signature one that
	 * stands for its connected component before the division.  Pairs judged
	 * the same connect, too.
	 */
	uint32_t   *components;

	/* Private. */
	uint32_t   *weights;		/* signatures that each stands for, with
								 * copies */
	uint8_t    *judged;			/* of each signature: JUDGED_SAME and
								 * JUDGED_DIFFERENT */
} Division;

/* Signatures that are in a pair judged the same, or different. */
#define JUDGED_SAME 1
#define JUDGED_DIFFERENT 2

/*
 * Return a pair of signatures that was judged.  The arrays of pairs have each one
 * in both directions, and are sorted in ascending order.
 */
static inline uint64_t
division_pair(uint32_t a, uint32_t b)
{
	return (uint64_t) a << 32 | b;
}

/* Return the first place in sorted pairs that is not before a signature. */
static inline size_t
judged_place(const uint64_t *pairs, size_t count, uint32_t signature)
{
	size_t		low = 0;

	while (low < count)
	{
		size_t		middle = (low + count) / 2;

		if (pairs[middle] < division_pair(signature, 0))
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

/* Return true if a place has a pair of a signature. */
static inline bool
judged_at(const uint64_t *pairs, size_t count, size_t place, uint32_t signature)
{
	return place < count && pairs[place] >> 32 == signature;
}

/*
 * Find groups: call it in place of pairs_find(), in a search for components with
 * a threshold greater than 0.  pairs_label() then labels each signature with the
 * first one of its group.
 */
extern void division_find(PairSearch *search, Division *division);

#endif							/* DIVISION_H */
