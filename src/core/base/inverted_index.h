/*-------------------------------------------------------------------------
 *
 * inverted_index.h
 *	  Compare a stream of sets with all sets of a sample.
 *
 * Call inverted_index_begin(); inverted_index_count() for each set of the
 * sample; inverted_index_place(); inverted_index_add() for each set of the
 * sample again; inverted_index_compare() for each set of the stream;
 * inverted_index_end(), which may come earlier, too.  A set is an array of
 * different hashes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef INVERTED_INDEX_H
#define INVERTED_INDEX_H

#include "bit_counts.h"
#include "hash_table.h"

#define COUNT_LEVELS 32			/* bits of a count */

/* The sample.  Callers read only common. */
typedef struct InvertedIndex
{
	uint32_t	columns;		/* rows of a bitmap of the sets */
	size_t		hashes;			/* of all sets */
	HashTable	table;			/* by hash: the number of sets with it; the
								 * place of its list */
	uint32_t   *lists;			/* numbers of sets, or a bitmap of them */
	RowPart    *counts;			/* of bitmaps: COUNT_LEVELS rows a column */
	void	   *lists_memory;	/* lists and counts are aligned in these */
	void	   *counts_memory;
	uint32_t   *common;			/* for each set, the size of its intersection
								 * with the set compared last */
} InvertedIndex;

/* Begin, given the number of sets in the sample.  The secret should be random. */
extern void inverted_index_begin(InvertedIndex *index, uint32_t sets,
								 uint64_t secret);

/* Count the hashes of a set of the sample. */
extern void inverted_index_count(InvertedIndex *index, const uint64_t *hashes,
								 uint32_t count);

/* Lay out the lists, after all sets have been counted. */
extern void inverted_index_place(InvertedIndex *index);

/* Add a set of the sample, from 0, with the hashes that were counted. */
extern void inverted_index_add(InvertedIndex *index, uint32_t set,
							   const uint64_t *hashes, uint32_t count);

/* Set common[] to the sizes of the intersections with a set. */
extern void inverted_index_compare(InvertedIndex *index, const uint64_t *hashes,
								   uint32_t count);

/* Release the memory. */
extern void inverted_index_end(InvertedIndex *index);

#endif							/* INVERTED_INDEX_H */
