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

/*
 * Call a function for each judged pair of nodes, in both directions.  nodes are the
 * signatures of a component, in ascending order; a and b are places in it.
 */
static inline void
judged_pairs(const Division *division, bool same, const uint32_t *nodes, uint32_t num_nodes,
			 void (*judged) (void *data, uint32_t a, uint32_t b), void *data)
{
	const uint64_t *pairs = same ? division->same : division->different;
	size_t		count = same ? division->num_same : division->num_different;
	uint32_t	other;

	for (uint32_t node = 0; node < num_nodes && count > 0; node++)
	{
		size_t		place = judged_place(pairs, count, nodes[node]);

		for (; judged_at(pairs, count, place, nodes[node]); place++)
			if (judged_find(nodes, num_nodes, (uint32_t) pairs[place], &other))
				judged(data, node, other);
	}
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

/* Link two signatures by which their groups join, if links are wanted. */
static inline void
links_add(uint32_t *links, uint32_t a, uint32_t b, bool a_is_larger)
{
	if (links != NULL)
		links_turn(links, a_is_larger ? b : a, a_is_larger ? a : b);
}

#endif							/* JUDGED_H */
