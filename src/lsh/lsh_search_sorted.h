/*-------------------------------------------------------------------------
 *
 * lsh_search_sorted.h
 *	  Searching sorted keys from a guess (galloping search).
 *
 * Keys are hashes and evenly spread, so a guess by interpolation is off by a
 * few places.  From there the step doubles until it has passed the key, and a
 * binary search ends it (Bentley and Yao, "An almost optimal algorithm for
 * unbounded searching", 1976).  However wrong the guess, the search takes
 * O(log n) steps.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_SEARCH_SORTED_H
#define LSH_SEARCH_SORTED_H

#define LSH_GALLOP_STEP 8

/* Guess the place of a key among count keys spread evenly over 0 to span. */
static inline int
lsh_guess_place(uint64 key, uint64 span, int count)
{
	return (int) (Min((double) key / ((double) span + 1), 1) * count);
}

/* Return key i of an array of 8-byte (wide) or 4-byte keys. */
static inline uint64
lsh_key_at(const void *keys, bool wide, int i)
{
	return wide ? ((const uint64 *) keys)[i] : ((const uint32 *) keys)[i];
}

/*
 * Return the place of the first of count sorted keys that is not below from,
 * or count if all are; guess is between 0 and count.
 */
static inline int
lsh_first_from(const void *keys, bool wide, int count, uint64 from, int guess)
{
	int			low = 0;
	int			high = guess;
	int			step = LSH_GALLOP_STEP;

	if (guess < count && lsh_key_at(keys, wide, guess) < from)
	{
		for (low = guess; low + step < count &&
			 lsh_key_at(keys, wide, low + step) < from; step *= 2)
			low += step;
		high = Min(low + step, count);
	}
	else
	{
		for (; high > step && lsh_key_at(keys, wide, high - step) >= from;
			 step *= 2)
			high -= step;
		low = Max(high - step, 0);
	}
	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (lsh_key_at(keys, wide, middle) < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif							/* LSH_SEARCH_SORTED_H */
