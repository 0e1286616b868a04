/*-------------------------------------------------------------------------
 *
 * cutter.c
 *	  Normalize a text, and cut it into units: code points or words.
 *
 * The text is normalized into a small buffer (normalize.c), so memory does not
 * grow with it.  In ASCII, the words of 64 bytes are found at once (words.h).
 *
 * If positions in the original text are asked for, it is normalized segment by
 * segment, and every byte in the buffer has the position of its segment.  So a
 * letter of a ligature has the position of the ligature.  A space that replaces
 * a run of white space has that of the run.
 *
 *-------------------------------------------------------------------------
 */
#include "cutter.h"

#include <string.h>

#include "words.h"

/* The size from which a word is returned piece by piece. */
#define LONG_WORD (CUTTER_BUFFER / 2)

_Static_assert(CUTTER_TAIL >= WORD_BLOCK, "the tail is long enough");

/* Otherwise cutter_fill() might have no room. */
_Static_assert(CUTTER_BUFFER - LONG_WORD >= NORMALIZE_MIN_ROOM,
			   "a long word leaves room in the buffer");

/* Begin to cut a text. */
void
cutter_begin(Cutter *cutter, uint32_t shingling, const char *text, size_t len)
{
	cutter->words = shingling_unit(shingling) == SHINGLE_WORD;
	cutter->done = false;
	cutter->in_long_word = false;
	cutter->in_bytes = false;
	normalize_begin(&cutter->normalizer, text, len,
					shingling_is_raw(shingling));
	cutter->position = cutter->last_end = 0;
	cutter->spans = NULL;
	cutter->edges = 0;
	cutter->start = cutter->end = cutter->len = 0;
}

/*** Filling the buffer ***/

/* Normalize segments into the buffer, and note the spans of all bytes. */
static void
fill_with_spans(Cutter *cutter)
{
	Normalizer *normalizer = &cutter->normalizer;

	while (!normalize_done(normalizer) &&
		   CUTTER_BUFFER - cutter->len >= NORMALIZE_MIN_ROOM)
	{
		const uint8_t *segment = normalizer->next;
		bool		after_space = normalizer->space;
		size_t		len = normalize_segment(normalizer, cutter->buffer + cutter->len);
		size_t		size = (size_t) (normalizer->next - segment);
		Span		span = {cutter->position,
		cutter->position + (cutter->in_bytes ? (uint32_t) size :
							utf8_count(segment, size))};
		Span	   *spans = cutter->spans + cutter->len;

		for (size_t i = 0; i < len; i++)
			spans[i] = span;
		if (len > 0 && after_space)
			spans[0] = (Span) {cutter->last_end, span.start};
		if (len > 0)
			cutter->last_end = span.end;
		cutter->position = span.end;
		cutter->len += len;
	}
}

/* Drop what has been cut, and fill the buffer. */
void
cutter_fill(Cutter *cutter)
{
	cutter->len -= cutter->start;
	cutter->end -= cutter->start;
	memmove(cutter->buffer, cutter->buffer + cutter->start, cutter->len);
	if (cutter->spans != NULL)
	{
		memmove(cutter->spans, cutter->spans + cutter->start,
				sizeof(Span) * cutter->len);
		fill_with_spans(cutter);
	}
	else
		cutter->len += normalize_next(&cutter->normalizer, cutter->buffer + cutter->len,
									  CUTTER_BUFFER - cutter->len);
	cutter->start = 0;
	memset(cutter->buffer + cutter->len, 0, CUTTER_TAIL);
}

/*** Units ***/

/*
 * Note the words that end within the next 64 bytes and before the first that is
 * not ASCII.  A word that may go on is read again later.  Return false if no
 * byte was read.
 */
static bool
read_block(Cutter *cutter)
{
	size_t		limit = cutter->len - cutter->start;
	uint64_t	parts;
	uint64_t	others;
	uint64_t	before;			/* bits before the limit */
	uint64_t	edges;			/* where a word begins or has ended */

	classify_block(cutter->buffer + cutter->start, &parts, &others);
	if (limit > WORD_BLOCK - 1)
		limit = WORD_BLOCK - 1;
	if (others != 0 && limit > (size_t) lowest_bit(others))
		limit = (size_t) lowest_bit(others);
	before = (UINT64_C(1) << limit) - 1;
	edges = (parts ^ parts << 1) & before;
	if ((parts & before) > before >> 1)
	{
		limit = (size_t) highest_bit(edges);
		edges ^= UINT64_C(1) << limit;
	}
	cutter->edges = edges;
	cutter->block = cutter->start;
	cutter->end = cutter->start += limit;
	return limit > 0;
}

/* Return true if a word has begun and not ended. */
static inline bool
in_word(const Cutter *cutter)
{
	return cutter->end > cutter->start || cutter->in_long_word;
}

/* Set *cut to what has been read of the current word, and return true. */
static bool
take_word(Cutter *cutter, bool goes_on, Cut *cut)
{
	*cut = (Cut) {cutter->buffer + cutter->start,
	(uint32_t) (cutter->end - cutter->start), goes_on};
	cutter->in_long_word = goes_on;
	cutter->start = cutter->end;
	return true;
}

/* Read a code point; return true if a word ends with it or before it. */
static bool
next_word_char(Cutter *cutter, Cut *cut)
{
	size_t		char_len;
	WordClass	class = word_class(cutter->buffer + cutter->end,
								   cutter->len - cutter->end, &char_len);

	if (class != WORD_PART && in_word(cutter))
		return take_word(cutter, false, cut);
	cutter->end += char_len;
	if (class == WORD_ALONE)
		return take_word(cutter, false, cut);
	if (class == WORD_SEPARATOR)
		cutter->start = cutter->end;
	return false;
}

/* Read up to the end of a word; return true for one, or a part of a long one. */
static bool
read_word(Cutter *cutter, Cut *cut)
{
	while (cutter->end < cutter->len)
	{
		if (!in_word(cutter) && cutter->buffer[cutter->end] < 0x80 &&
			read_block(cutter))
		{
			if (cutter->edges != 0)
				return cutter_next(cutter, cut);
		}
		else if (next_word_char(cutter, cut))
			return true;
	}
	return cutter->end - cutter->start >= LONG_WORD &&
		take_word(cutter, true, cut);
}

/* Read the next unit of a text, or fill the buffer. */
bool
cutter_read(Cutter *cutter, Cut *cut)
{
	if (read_word(cutter, cut))
		return true;
	if (!normalize_done(&cutter->normalizer))
	{
		cutter_fill(cutter);
		return false;
	}
	cutter->done = true;
	return in_word(cutter) && take_word(cutter, false, cut);
}
