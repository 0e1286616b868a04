/*-------------------------------------------------------------------------
 *
 * shingle_set.h
 *	  Hashes of the distinct shingles of a text, or a sample of them.
 *
 * Call shingle_set_begin(), then shingle_set_read() for one text after the
 * other, and shingle_set_end().  Memory belongs to the context that is current
 * in shingle_set_begin() and is reused for the next text: 8 bytes a shingle
 * and 8 to 16 for the hash table, of the longest text so far, up to doubled.
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
