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

/* The least room for normalize_next(): that of two segments. */
#define NORMALIZE_MIN_ROOM (2 * SEGMENT_ROOM)

/* The state of a normalization; it holds no memory. */
typedef struct Normalizer
{
	const uint8_t *next;		/* the rest of the text */
	const uint8_t *end;
	bool		raw;			/* only validate and copy */
	bool		started;		/* something other than white space was read */
	bool		space;			/* white space was read after it */
	int			segment_read;	/* code points of the text in the segment */
	int			segment_len;	/* and of its canonical decomposition */
	int32_t		segment[SEGMENT_CAPACITY];
} Normalizer;

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

/* Return true if the whole normal form has been written. */
extern bool normalize_done(const Normalizer *normalizer);

/*
 * Return the length in bytes of the segment that starts at start: the least
 * part of the text that can be normalized alone.  It is 0 only at the end.
 */
extern size_t normalize_segment_size(const Normalizer *normalizer,
									 const uint8_t *start, const uint8_t *end);

#endif							/* NORMALIZE_H */
