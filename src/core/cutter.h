/*-------------------------------------------------------------------------
 *
 * cutter.h
 *	  Normalize a text, and cut it into units: code points or words.
 *
 * Call cutter_begin(), then cutter_next() until done is set or it returns -1.
 * The cutter itself takes about 16 kB; nothing else is allocated.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CUTTER_H
#define CUTTER_H

#include "normalize.h"
#include "shingling.h"

/* Bytes of normalized text in the cutter; a run of 255 code points fits. */
#define CUTTER_BUFFER 16384
#define CUTTER_TAIL 64			/* zeros behind it, so that blocks can be read */

/* A position in the original text, in code points or bytes. */
typedef struct Span
{
	uint32_t	start;			/* from 0 */
	uint32_t	end;
} Span;

/* A unit, or a part of a word that is too long for the buffer. */
typedef struct Cut
{
	const uint8_t *text;		/* valid until the next call */
	uint32_t	length;			/* bytes; 0 if only the end of a word is left */
	bool		goes_on;		/* the word continues in the next cut */
} Cut;

/*
 * Cuts a text.  Callers read only done, and may set spans before the first
 * call: memory for CUTTER_BUFFER spans, or NULL if they do not need positions.
 * These make it several times slower.
 */
typedef struct Cutter
{
	bool		words;
	bool		done;			/* the last unit has been returned */
	bool		in_long_word;
	bool		in_bytes;		/* positions count bytes, not code points */
	Normalizer	normalizer;
	const uint8_t *end_of_text;
	uint32_t	position;		/* up to which the text has been read */
	uint32_t	last_end;		/* where the last normalized byte ends */
	Span	   *spans;			/* of the bytes in the buffer */
	size_t		start;			/* start of the next unit */
	size_t		end;			/* how far it has been read */
	size_t		len;			/* bytes in the buffer */
	uint8_t		buffer[CUTTER_BUFFER + CUTTER_TAIL];
} Cutter;

/*
 * Begin to cut a text of len bytes, which must stay valid until the end, by the
 * unit of a shingling, char or word.
 */
extern void cutter_begin(Cutter *cutter, uint32_t shingling, const char *text,
						 size_t len);

/*
 * Store up to max more units, in text order; max is at least 1.
 *
 * Returns their number, or -1 if the text is not valid UTF-8.  A result of 0
 * does not mean the end of the text: test cutter->done.  A call takes bounded
 * time, so that the caller can check for interrupts between calls.
 */
extern int	cutter_next(Cutter *cutter, Cut *cuts, int max);

/*
 * Drop the bytes before start from the buffer, and fill it up.  Return false if
 * the text is not valid UTF-8.  cutter_next() does this by itself.
 */
extern bool cutter_fill(Cutter *cutter);

/* Return the position of a cut that is not empty, if there are spans. */
static inline Span
cutter_span(const Cutter *cutter, const Cut *cut)
{
	const Span *first = &cutter->spans[cut->text - cutter->buffer];

	return (Span) {first->start, first[cut->length - 1].end};
}

/* Return the length in bytes of a valid UTF-8 character, given its first byte. */
static inline size_t
utf8_char_length(uint8_t lead)
{
	return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

#endif							/* CUTTER_H */
