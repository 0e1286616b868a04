/*-------------------------------------------------------------------------
 *
 * judged.h
 *	  Find the judged pairs of a signature.
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

#endif							/* JUDGED_H */
