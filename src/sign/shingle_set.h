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

/* The set of the text read last; callers read the first three fields. */
typedef struct ShingleSet
{
	uint64	   *hashes;			/* distinct; keep their order */
	uint32		count;
	uint64		highest;		/* larger hashes are left out */
	MemoryContext context;
	uint32		room;			/* of hashes */
	uint64		factor;			/* secret and odd */
	uint32	   *table;			/* positions in hashes, from 1; 0 if free */
	uint32		table_size;		/* a power of 2 */
} ShingleSet;

/* Start an empty set, which keeps all hashes until highest is lowered. */
extern void shingle_set_begin(ShingleSet *set);

/*
 * Replace the set by that of a text, given in the database encoding.  Errors
 * out if the text is not valid in it.
 */
extern void shingle_set_read(ShingleSet *set, text *document, uint32 shingling);

/* Count the hashes that two sets share: the size of their intersection. */
extern uint32 shingle_set_common(const ShingleSet *a, const ShingleSet *b);

/* Free the memory. */
extern void shingle_set_end(ShingleSet *set);

#endif							/* SHINGLE_SET_H */
