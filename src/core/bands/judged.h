/*-------------------------------------------------------------------------
 *
 * judged.h
 *	  Judged pairs and links, for both ways to divide a component.
 *
 *-------------------------------------------------------------------------
 */
#ifndef JUDGED_H
#define JUDGED_H

#include "division.h"

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

/* Return true if a signature is in a judged pair. */
static inline bool
judged_any(const uint64_t *pairs, size_t count, uint32_t signature)
{
	return judged_at(pairs, count, judged_place(pairs, count, signature), signature);
}

/* Find the node of a signature, among count ones in ascending order. */
static inline bool
judged_find(const uint32_t *nodes, uint32_t count, uint32_t signature,
			uint32_t *node)
{
	uint32_t	low = 0;
	uint32_t	high = count;

	while (low < high)
	{
		uint32_t	middle = (low + high) / 2;

		if (nodes[middle] < signature)
			low = middle + 1;
		else
			high = middle;
	}
	*node = low;
	return low < count && nodes[low] == signature;
}

/* Link a signature to another one or to itself; make it the root until then. */
static inline void
links_turn(uint32_t *links, uint32_t signature, uint32_t target)
{
	uint32_t	next = links[signature];

	links[signature] = target;
	while (next != signature)
	{
		target = signature;
		signature = next;
		next = links[signature];
		links[signature] = target;
	}
}

#endif							/* JUDGED_H */
