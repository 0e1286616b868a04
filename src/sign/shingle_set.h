/*-------------------------------------------------------------------------
 *
 * shingle_set.h
 *	  The set of a text's shingles, as hashes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SHINGLE_SET_H
#define SHINGLE_SET_H

#include "postgres.h"

/* A set whose memory is used again for the next text. */
typedef struct ShingleSet
{
	MemoryContext context;
	uint64	   *hashes;			/* all different, in no order */
	uint32		count;
	uint32		room;
	uint64		highest;		/* hashes above are left out */
	uint64		factor;			/* secret: nobody can choose the places */
	uint32	   *table;			/* numbers of hashes, from 1 */
	uint32		table_size;		/* a power of 2 */
} ShingleSet;

extern void shingle_set_begin(ShingleSet *set);
extern void shingle_set_read(ShingleSet *set, text *document, uint32 shingling);
extern uint32 shingle_set_common(const ShingleSet *a, const ShingleSet *b);
extern void shingle_set_end(ShingleSet *set);

#endif							/* SHINGLE_SET_H */
