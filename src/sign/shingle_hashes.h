/*-------------------------------------------------------------------------
 *
 * shingle_hashes.h
 *	  Read the hashes of a text's shingles.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SHINGLE_HASHES_H
#define SHINGLE_HASHES_H

#define HASHES_AT_ONCE 1024		/* the most that a function gets in one call */

/* A function that takes hashes: its state, the hashes, their number. */
typedef void (*TakeHashes) (void *state, const uint64 *hashes, int count);

/*
 * Pass the hashes of the shingles of len bytes of text in the database encoding
 * to a function, in the order of the text.  A shingle comes once for every time
 * that it occurs, for a bag with a different hash each time.
 *
 * Errors out if the text is not valid in its encoding.  A bag takes up to 64
 * bytes for each distinct shingle until the function returns.
 */
extern void read_shingle_hashes(const char *bytes, Size len, uint32 shingling,
								int32 seed, TakeHashes take, void *state);

#endif							/* SHINGLE_HASHES_H */
