/*-------------------------------------------------------------------------
 *
 * cutter.h
 *	  Normalize a text, and cut it into units: code points or words.
 *
 * Call cutter_begin(), then cutter_next() until done is set.  The cutter itself
 * takes about 16 kB; nothing else is allocated.  A text that is not UTF-8 is
 * reported to the host (core/base/host.h), and interrupts are checked for.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CUTTER_H
#define CUTTER_H

#include "core/base/bits.h"
#include "core/base/host.h"
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
 * Cuts a text.
 *
 * Before the first call a caller may set in_bytes, and spans to memory for
 * CUTTER_BUFFER of them, if it needs positions, which make the cutter several
 * times slower.  It may read words, done and spans.
 *
 * If the unit is a code point, it may also read units from buffer itself, from
 * start up to len, and then set start and end behind what it has read.
 * cutter_fill() gets more, until normalize_done(&normalizer).
 */
typedef struct Cutter
{
	bool		words;
	bool		done;			/* the last unit has been returned */
	bool		in_long_word;
	bool		in_bytes;		/* positions count bytes, not code points */
	Normalizer	normalizer;
	uint32_t	position;		/* up to which the text has been read */
	uint32_t	last_end;		/* where the last normalized byte ends */
	Span	   *spans;			/* of the bytes in the buffer */
	uint64_t	edges;			/* where the words that are known begin and
								 * end, in a block of ASCII */
	size_t		block;			/* where that begins */
	size_t		start;			/* start of the next unit after these words */
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

/* Do what cutter_next() does, if the next unit is not known yet. */
extern bool cutter_read(Cutter *cutter, Cut *cut);

/*
 * Drop the bytes before start from the buffer, and fill it up.  cutter_next()
 * does this by itself.
 */
extern void cutter_fill(Cutter *cutter);

/* Return the length in bytes of a valid UTF-8 character, given its first byte. */
static inline size_t
utf8_char_length(uint8_t lead)
{
	return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/* Count the characters of valid UTF-8. */
static inline uint32_t
utf8_count(const uint8_t *text, size_t len)
{
	uint32_t	count = 0;

	for (size_t i = 0; i < len;)
	{
		count += (text[i] & 0xC0) != 0x80;
		check_sometimes(++i);
	}
	return count;
}

/*
 * Set *cut to the next unit of the text.  Return false, and leave *cut alone, if
 * none was found yet, which does not mean the end of the text: test cutter->done.
 * A call takes bounded time.
 */
static inline bool
cutter_next(Cutter *cutter, Cut *cut)
{
	const uint8_t *text = cutter->buffer + cutter->start;

	if (cutter->edges != 0)
	{
		int			start = lowest_bit(cutter->edges);
		uint64_t	rest = cutter->edges & (cutter->edges - 1);

		*cut = (Cut) {
			cutter->buffer + cutter->block + start,
			(uint32_t) (lowest_bit(rest) - start), false
		};
		cutter->edges = rest & (rest - 1);
		return true;
	}
	if (cutter->words || cutter->start == cutter->len)
		return cutter_read(cutter, cut);
	*cut = (Cut) {text, (uint32_t) utf8_char_length(*text), false};
	cutter->end = cutter->start += cut->length;
	return true;
}

/* Return the position of a cut that is not empty, if there are spans. */
static inline Span
cutter_span(const Cutter *cutter, const Cut *cut)
{
	const Span *first = &cutter->spans[cut->text - cutter->buffer];

	return (Span) {first->start, first[cut->length - 1].end};
}

#endif							/* CUTTER_H */
