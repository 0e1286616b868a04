/*-------------------------------------------------------------------------
 *
 * shingle_hashes.h
 *	  Read the hashes of a text's shingles, or the set or a sample of them.
 *
 * For sets, call shingle_set_begin(), then shingle_set_read() for one text after
 * the other, and shingle_set_end().  Memory belongs to the context that is
 * current in shingle_set_begin(): 8 bytes a shingle of the longest text so far, up
 * to doubled, and the hash table of the last one (see core/base/hash_table.h).
 *
 *-------------------------------------------------------------------------
 */
#ifndef SHINGLE_HASHES_H
#define SHINGLE_HASHES_H

#include "core/base/hash_table.h"

#define HASHES_AT_ONCE 1024		/* the most that a function gets in one call */

/* A function that takes hashes: its state, the hashes, their number. */
typedef void (*TakeHashes) (void *state, const uint64 *hashes, int count);

/*
 * Pass the hashes of the shingles of len bytes of text in the database encoding
 * to a function, in the order of the text.  A shingle comes once for every time
 * that it occurs, for a bag with a different hash each time.
 *
 * Raises an error if the text is not valid in its encoding.  A bag takes up to 64
 * bytes for each distinct shingle until the function returns.
 */
extern void shingle_hashes_read(const char *bytes, Size len, uint32 shingling,
								int32 seed, TakeHashes take, void *state);

/* The set of the text read last; callers read the first three fields. */
typedef struct ShingleSet
{
	uint64	   *hashes;			/* distinct, in the order of the text */
	uint32		count;
	uint64		highest;		/* larger hashes are left out */
	MemoryContext context;
	uint32		room;			/* of hashes */
	HashTable	table;			/* by hash: its occurrences */
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

#endif							/* SHINGLE_HASHES_H */
