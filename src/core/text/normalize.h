/*-------------------------------------------------------------------------
 *
 * normalize.h
 *	  Normalize a UTF-8 text piece by piece.
 *
 * Call normalize_begin(), then normalize_next() until normalize_done() returns
 * true.  The concatenated pieces are the normal form of the text, which does not
 * depend on the sizes of the pieces.  A text that is not UTF-8 is reported to the
 * host (core/base/host.h).
 *
 *-------------------------------------------------------------------------
 */
#ifndef NORMALIZE_H
#define NORMALIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segment.h"

/* The least room for normalize_next(): that of a segment. */
#define NORMALIZE_MIN_ROOM SEGMENT_ROOM

/* The state of a normalization; it holds no memory. */
typedef struct Normalizer
{
	const uint8_t *next;		/* the rest of the text */
	const uint8_t *end;
	bool		raw;			/* only validate and copy */
	bool		started;		/* something other than white space was read */
	bool		space;			/* white space was read after it */
} Normalizer;

/* Return true if an ASCII byte is white space. */
static inline bool
is_ascii_space(uint8_t c)
{
	return (c == ' ') | ((c >= '\t') & (c <= '\r'));
}

/* Count the bytes before the first that is not ASCII, at most limit. */
extern size_t normalize_ascii_length(const uint8_t *p, size_t limit);

/*
 * Begin to normalize a text of len bytes, which must stay valid until the end.
 * A raw text is only validated and copied.
 */
extern void normalize_begin(Normalizer *normalizer, const char *text,
							size_t len, bool raw);

/*
 * Write the next piece of the normal form, whole code points, at most room
 * bytes.
 *
 * room is at least NORMALIZE_MIN_ROOM.  Returns the number of bytes.  It can be 0
 * before the end, for example in long white space: a call checks for interrupts,
 * and reads at most about 64 kB.
 */
extern size_t normalize_next(Normalizer *normalizer, uint8_t *out, size_t room);

/*
 * Write the normal form of the next segment, the least part of the text that can
 * be normalized alone, at most NORMALIZE_MIN_ROOM bytes.  Of a raw text that is a
 * code point.  Returns the number of bytes.
 */
extern size_t normalize_segment(Normalizer *normalizer, uint8_t *out);

/* Return true if the whole normal form has been written. */
static inline bool
normalize_done(const Normalizer *normalizer)
{
	return normalizer->next == normalizer->end;
}

#endif							/* NORMALIZE_H */
