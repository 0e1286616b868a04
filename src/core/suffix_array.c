/*-------------------------------------------------------------------------
 *
 * suffix_array.c
 *	  Sort the suffixes of a string of numbers, in linear time.
 *
 * Induced sorting (SA-IS; Nong, Zhang, Chan: Two Efficient Algorithms for
 * Linear Time Suffix Array Construction, IEEE Transactions on Computers 60,
 * 2011).  A suffix is small (S) if it is less than the one that follows it,
 * otherwise large (L).  An S that follows an L is a leftmost S (LMS).  Once
 * these are sorted, a pass from the left sorts the L suffixes, and a pass from
 * the right the S suffixes: each suffix is put at the next free place of the
 * bucket of its first symbol, just after the suffix that it precedes has been
 * seen.  To sort the leftmost S, the same passes first sort the pieces of the
 * string between two of them.  The pieces are named in that order, and the
 * string of their names, at most half as long, is sorted by recursion if names
 * repeat.
 *
 * The overlap of a suffix is the number of symbols that it shares with the
 * suffix before it in the order (Kasai et al. 2001; by position, after
 * Kaerkkaeinen, Manzini, Puglisi 2009).
 *
 * Memory: in addition to the arrays of the caller, at most 4.5 bytes for each
 * symbol of the string, and 4 for each different one.  The depth of the
 * recursion is at most 31.
 *
 *-------------------------------------------------------------------------
 */
#include "suffix_array.h"

#include <stdbool.h>
#include <string.h>

#include "interrupt.h"

#define NOTHING (-1)

/* A string to be sorted, at one level of the recursion. */
typedef struct Level
{
	const int32_t *string;
	int32_t    *suffixes;
	int32_t		length;
	int32_t		symbols;		/* they are 0 .. symbols - 1 */
	int32_t    *buckets;		/* for each symbol, the place of the next
								 * suffix */
	uint8_t    *small;			/* one bit for each suffix */
	const Memory *memory;
} Level;

/* Return true if a suffix is small. */
static inline bool
is_small(const Level *level, int32_t i)
{
	return level->small[i >> 3] >> (i & 7) & 1;
}

/* Return true if a suffix is small and the one before it is large. */
static inline bool
is_leftmost(const Level *level, int32_t i)
{
	return i > 0 && is_small(level, i) && !is_small(level, i - 1);
}

/* Find out which suffixes are small. */
static void
classify(Level *level)
{
	const int32_t *string = level->string;
	int32_t		last = level->length - 1;
	bool		small = true;

	memset(level->small, 0, (size_t) level->length / 8 + 1);
	for (int32_t i = last; i >= 0; i--)
	{
		check_sometimes((size_t) i);
		if (i < last && string[i] != string[i + 1])
			small = string[i] < string[i + 1];
		if (small)
			level->small[i >> 3] |= (uint8_t) (1 << (i & 7));
	}
}

/* Point every bucket to its first place, or past its last. */
static void
set_buckets(Level *level, bool to_end)
{
	int32_t		sum = 0;

	memset(level->buckets, 0, sizeof(int32_t) * (size_t) level->symbols);
	for (int32_t i = 0; i < level->length; i++)
	{
		check_sometimes((size_t) i);
		level->buckets[level->string[i]]++;
	}
	for (int32_t symbol = 0; symbol < level->symbols; symbol++)
	{
		int32_t		count = level->buckets[symbol];

		sum += count;
		level->buckets[symbol] = to_end ? sum : sum - count;
	}
}

/* Put the large suffixes at the starts of their buckets, from the left. */
static void
induce_large(Level *level)
{
	set_buckets(level, false);
	for (int32_t i = 0; i < level->length; i++)
	{
		int32_t		before = level->suffixes[i] - 1;

		check_sometimes((size_t) i);
		if (before >= 0 && !is_small(level, before))
			level->suffixes[level->buckets[level->string[before]]++] = before;
	}
}

/* Put the small suffixes at the ends of their buckets, from the right. */
static void
induce_small(Level *level)
{
	set_buckets(level, true);
	for (int32_t i = level->length - 1; i >= 0; i--)
	{
		int32_t		before = level->suffixes[i] - 1;

		check_sometimes((size_t) i);
		if (before >= 0 && is_small(level, before))
			level->suffixes[--level->buckets[level->string[before]]] = before;
	}
}

/* Clear the suffixes from a place on. */
static void
clear_from(Level *level, int32_t first)
{
	for (int32_t i = first; i < level->length; i++)
	{
		check_sometimes((size_t) i);
		level->suffixes[i] = NOTHING;
	}
}

/* Sort the pieces between leftmost small suffixes; return their number. */
static int32_t
sort_pieces(Level *level)
{
	int32_t		count = 0;

	clear_from(level, 0);
	set_buckets(level, true);
	for (int32_t i = 1; i < level->length; i++)
	{
		check_sometimes((size_t) i);
		if (is_leftmost(level, i))
			level->suffixes[--level->buckets[level->string[i]]] = i;
	}
	induce_large(level);
	induce_small(level);
	for (int32_t i = 0; i < level->length; i++)
	{
		check_sometimes((size_t) i);
		if (is_leftmost(level, level->suffixes[i]))
			level->suffixes[count++] = level->suffixes[i];
	}
	return count;
}

/* Return true if the pieces that start at two positions are equal. */
static bool
same_piece(const Level *level, int32_t a, int32_t b)
{
	for (int32_t i = 0;; i++)
	{
		check_sometimes((size_t) i + 1);
		if (level->string[a + i] != level->string[b + i] ||
			is_small(level, a + i) != is_small(level, b + i))
			return false;
		/* The last symbol is unique, so the loop ends within the string. */
		if (i > 0 && (is_leftmost(level, a + i) || is_leftmost(level, b + i)))
			return true;
	}
}

/*
 * Name the sorted pieces in their order, and write the string of the names to
 * the end of the array of suffixes.  Returns the number of different names.
 */
static int32_t
name_pieces(Level *level, int32_t count)
{
	int32_t    *suffixes = level->suffixes;
	int32_t		names = 0;
	int32_t		last = level->length;

	clear_from(level, count);
	for (int32_t i = 0; i < count; i++)
	{
		check_sometimes((size_t) i);
		if (i == 0 || !same_piece(level, suffixes[i], suffixes[i - 1]))
			names++;
		/* Two pieces never start side by side. */
		suffixes[count + suffixes[i] / 2] = names - 1;
	}
	for (int32_t i = level->length - 1; i >= count; i--)
	{
		check_sometimes((size_t) i);
		if (suffixes[i] != NOTHING)
			suffixes[--last] = suffixes[i];
	}
	return names;
}

/* Put the leftmost small suffixes, whose order is known, into their places. */
static void
place_leftmost(Level *level, int32_t count)
{
	int32_t    *suffixes = level->suffixes;
	int32_t    *places = suffixes + level->length - count;
	int32_t		next = 0;

	for (int32_t i = 1; i < level->length; i++)
	{
		check_sometimes((size_t) i);
		if (is_leftmost(level, i))
			places[next++] = i;
	}
	for (int32_t i = 0; i < count; i++)
	{
		check_sometimes((size_t) i);
		suffixes[i] = places[suffixes[i]];
	}
	clear_from(level, count);
	set_buckets(level, true);
	for (int32_t i = count - 1; i >= 0; i--)
	{
		int32_t		suffix = suffixes[i];

		check_sometimes((size_t) i);
		suffixes[i] = NOTHING;
		suffixes[--level->buckets[level->string[suffix]]] = suffix;
	}
}

/* Sort the string of the names of the pieces, which is in the array. */
static void
sort_names(const Level *level, int32_t count, int32_t names)
{
	int32_t    *string = level->suffixes + level->length - count;

	if (names < count)
	{
		suffix_array(string, level->suffixes, count, names, level->memory);
		return;
	}
	for (int32_t i = 0; i < count; i++)
	{
		check_sometimes((size_t) i);
		level->suffixes[string[i]] = i;
	}
}

/* Sort the suffixes of a string. */
void
suffix_array(const int32_t *string, int32_t *suffixes, int32_t length,
			 int32_t symbols, const Memory *memory)
{
	Level		level = {
		.string = string,.suffixes = suffixes,.length = length,
		.symbols = symbols,.memory = memory
	};
	int32_t		count;

	if (length == 1)
	{
		suffixes[0] = 0;
		return;
	}
	level.buckets = memory->allocate(sizeof(int32_t) * (size_t) symbols);
	level.small = memory->allocate((size_t) length / 8 + 1);
	classify(&level);
	count = sort_pieces(&level);
	sort_names(&level, count, name_pieces(&level, count));
	place_leftmost(&level, count);
	induce_large(&level);
	induce_small(&level);
	memory->release(level.small);
	memory->release(level.buckets);
}

/* Count the symbols that each suffix shares with the one before it. */
void
suffix_array_overlaps(const int32_t *string, const int32_t *suffixes,
					  int32_t *overlaps, int32_t length)
{
	int32_t		overlap = 0;

	overlaps[suffixes[0]] = NOTHING;
	for (int32_t i = 1; i < length; i++)
	{
		check_sometimes((size_t) i);
		overlaps[suffixes[i]] = suffixes[i - 1];
	}
	for (int32_t i = 0; i < length; i++)
	{
		int32_t		other = overlaps[i];

		check_sometimes((size_t) i);
		overlap = overlap > 0 && other != NOTHING ? overlap - 1 : 0;
		while (other != NOTHING && string[i + overlap] == string[other + overlap])
		{
			check_sometimes((size_t) overlap + 1);
			overlap++;
		}
		overlaps[i] = overlap;
	}
}
