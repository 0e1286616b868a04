/*-------------------------------------------------------------------------
 *
 * sample_join.h
 *	  Compare a stream of sets with all sets of a sample.
 *
 * Call sample_join_begin(); sample_join_count() for each set of the sample;
 * sample_join_place(); sample_join_add() for each set of the sample again;
 * sample_join_compare() for each set of the stream; sample_join_end().  A set
 * is an array of different hashes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SAMPLE_JOIN_H
#define SAMPLE_JOIN_H

#include "core/base/hash_table.h"

#define SAMPLE_JOIN_POWERS 32	/* powers of two of a count */

/* The sample.  Callers read only common and work. */
typedef struct SampleJoin
{
	const Memory *memory;
	uint32_t	words;			/* of a bitmap of the sets */
	HashTable	table;			/* by hash: the number of sets with it; the
								 * place of its list */
	uint32_t   *lists;			/* numbers of sets, or a bitmap of them */
	uint32_t   *sums;			/* bitmaps: for each power of two, a sum and
								 * two carries */
	const uint32_t *waiting[SAMPLE_JOIN_POWERS];	/* one of the next, or
													 * NULL */
	uint32_t   *common;			/* for each set, the size of its intersection
								 * with the set compared last */
	uint64_t	work;			/* steps of all comparisons so far */
} SampleJoin;

/*
 * Begin, given the number of sets in the sample and of the hashes in all of
 * them.  The secret should be random.
 */
extern void sample_join_begin(SampleJoin *join, uint32_t sets, uint64_t hashes,
							  uint64_t secret, const Memory *memory);

/* Count the hashes of a set of the sample. */
extern void sample_join_count(SampleJoin *join, const uint64_t *hashes,
							  uint32_t count);

/* Lay out the lists, after all sets have been counted. */
extern void sample_join_place(SampleJoin *join);

/* Add a set of the sample, from 0, with the hashes that were counted. */
extern void sample_join_add(SampleJoin *join, uint32_t set,
							const uint64_t *hashes, uint32_t count);

/* Set common[] to the sizes of the intersections with a set. */
extern void sample_join_compare(SampleJoin *join, const uint64_t *hashes,
								uint32_t count);

/* Release the memory. */
extern void sample_join_end(SampleJoin *join);

#endif							/* SAMPLE_JOIN_H */
