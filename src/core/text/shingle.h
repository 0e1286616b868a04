/*-------------------------------------------------------------------------
 *
 * shingle.h
 *	  From a text to the hashes of its shingles.
 *
 * Call shingle_begin(), then shingle_next() until done is set.  The reader itself
 * takes about 24 kB; nothing else is allocated.  Errors and interrupts are those
 * of the cutter.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SHINGLE_H
#define SHINGLE_H

#include "core/base/hash.h"
#include "cutter.h"

/*
 * Reads a text.  Keep it on the stack, because XXH3_state_t must be aligned to
 * 64 bytes.  Callers read only done and seed.
 */
typedef struct ShingleReader
{
	XXH3_state_t long_word;		/* the hash of the start of a long word */
	bool		in_long_word;
	bool		done;			/* the last shingle has been returned */
	bool		any;			/* a shingle has been returned */
	int			size;			/* n, the units of a shingle */
	uint64_t	seed;
	int			window;			/* code points in the window */
	int			num_words;		/* number of word hashes */
	uint64_t	words[2 * SHINGLE_MAX_SIZE];	/* little-endian */
	Cutter		cutter;
} ShingleReader;

/*
 * Begin to read a text of len bytes, which must stay valid until the end.  The
 * unit of the shingling must be char or word.  A bag is read like a set: the
 * caller counts repetitions (shingle_hash_occurrence() in hash.h).
 */
extern void shingle_begin(ShingleReader *reader, uint32_t shingling,
						  int32_t seed, const char *text, size_t len);

/*
 * Store the hashes of up to max more shingles, in text order; max is at least
 * 1.
 *
 * Returns their number.  0 does not mean the end of the text: test reader->done.
 * A call takes bounded time.
 */
extern int	shingle_next(ShingleReader *reader, uint64_t *hashes, int max);

#endif							/* SHINGLE_H */
