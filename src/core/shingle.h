/*-------------------------------------------------------------------------
 *
 * shingle.h
 *	  From a text to the hashes of its shingles.
 *
 * Call shingle_begin(), then shingle_next() until done is set or it returns
 * -1.  The reader itself takes about 24 kB; nothing else is allocated.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SHINGLE_H
#define SHINGLE_H

#include "hash.h"
#include "normalize.h"
#include "shingling.h"

/* Bytes of normalized text in the reader; a shingle has at most 1020. */
#define SHINGLE_BUFFER_SIZE 16384
#define SHINGLE_BUFFER_TAIL 64	/* zeros behind it, so that blocks can be read */

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
	int			unit;
	int			size;			/* n, the units of a shingle */
	uint64_t	seed;
	Normalizer	normalizer;
	size_t		start;			/* start of the window or word */
	size_t		end;			/* how far it has been read */
	size_t		len;			/* bytes in the buffer */
	int			window;			/* units in the window */
	int			num_words;		/* number of word hashes */
	uint64_t	words[2 * SHINGLE_MAX_SIZE];	/* little-endian */
	uint8_t		buffer[SHINGLE_BUFFER_SIZE + SHINGLE_BUFFER_TAIL];
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
 * Returns their number, or -1 if the text is not valid UTF-8.  A result of 0
 * does not mean the end of the text: test reader->done.  A call takes bounded
 * time, so that the caller can check for interrupts between calls.
 */
extern int	shingle_next(ShingleReader *reader, uint64_t *hashes, int max);

/*
 * Return the number of bytes of the text that have been read.  They contain all
 * shingles returned so far.
 */
static inline size_t
shingle_bytes_read(const ShingleReader *reader, const char *text)
{
	return (size_t) (reader->normalizer.next - (const uint8_t *) text);
}

/* Return the length in bytes of a valid UTF-8 character, given its first byte. */
static inline size_t
utf8_char_length(uint8_t lead)
{
	return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

#endif							/* SHINGLE_H */
