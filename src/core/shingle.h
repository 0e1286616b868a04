/*-------------------------------------------------------------------------
 *
 * shingle.h
 *	  From a text to the hashes of its shingles.  Pure: no PostgreSQL.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SHINGLE_H
#define SHINGLE_H

#include "hash.h"
#include "normalize.h"
#include "shingling.h"

/* Normalised text at hand: the longest shingle, 1020 bytes, is far smaller. */
#define SHINGLE_BUFFER_SIZE 16384
#define SHINGLE_BUFFER_TAIL 64	/* zeros behind it, to read by 64 bytes */

/* Reads a text; keep it on the stack, since XXH3_state_t must be aligned. */
typedef struct ShingleReader
{
	XXH3_state_t long_word;		/* the part of a long word that has passed */
	bool		in_long_word;
	bool		done;			/* the last shingle has been returned */
	bool		any;			/* a shingle has been returned */
	int			unit;
	int			size;			/* units of a shingle, n */
	uint64_t	seed;
	Normalizer	normalizer;
	size_t		start;			/* the window, or word, begins here */
	size_t		end;			/* and has been read to here */
	size_t		len;			/* bytes in the buffer */
	int			window;			/* units in the window */
	int			num_words;		/* word hashes at hand */
	uint64_t	words[2 * SHINGLE_MAX_SIZE];	/* little-endian */
	uint8_t		buffer[SHINGLE_BUFFER_SIZE + SHINGLE_BUFFER_TAIL];
} ShingleReader;

extern void shingle_begin(ShingleReader *reader, uint32_t shingling,
						  int32_t seed, const char *text, size_t len);
extern int	shingle_next(ShingleReader *reader, uint64_t *hashes, int max);

/* Return the number of bytes of a character, by its first. */
static inline size_t
utf8_char_length(uint8_t lead)
{
	return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

#endif							/* SHINGLE_H */
