/*-------------------------------------------------------------------------
 *
 * sample_join.h
 *	  Compare sets that pass by with all sets of a sample.
 *
 * Begin; count all sets of the sample; place the lists; add the sets again;
 * compare one set after the other; end.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SAMPLE_JOIN_H
#define SAMPLE_JOIN_H

#include <stdint.h>

#include "memory.h"

/* A hash that some set of the sample has. */
typedef struct SampleEntry
{
	uint64_t	hash;
	uint32_t	end;			/* of its list */
	uint32_t	count;			/* sets that have it; 0: the entry is free */
} SampleEntry;

typedef struct SampleJoin
{
	const Memory *memory;
	uint64_t	factor;			/* secret: nobody can choose the places */
	uint32_t	sets;
	SampleEntry *entries;
	int			size_bits;		/* there are 2^size_bits entries */
	uint32_t   *lists;			/* numbers of sets */
	uint32_t   *common;			/* with the set that passes, of every set */
	uint64_t	work;			/* steps that comparisons took so far */
} SampleJoin;

extern void sample_join_begin(SampleJoin *join, uint32_t sets, uint64_t hashes,
							  uint64_t secret, const Memory *memory);
extern void sample_join_count(SampleJoin *join, const uint64_t *hashes,
							  uint32_t count);
extern void sample_join_place(SampleJoin *join);
extern void sample_join_add(SampleJoin *join, uint32_t set,
							const uint64_t *hashes, uint32_t count);
extern void sample_join_compare(SampleJoin *join, const uint64_t *hashes,
								uint32_t count);
extern void sample_join_end(SampleJoin *join);

#endif							/* SAMPLE_JOIN_H */
