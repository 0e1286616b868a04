/*-------------------------------------------------------------------------
 *
 * normalize.h
 *	  Normalize a UTF-8 text piece by piece.
 *
 * Call normalize_begin(), then normalize_next() until normalize_done() returns
 * true or normalize_next() returns -1.  The pieces, put together, are the
 * normal form of the text.  It does not depend on the sizes of the pieces.
 *
 *-------------------------------------------------------------------------
 */
#ifndef NORMALIZE_H
#define NORMALIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A segment (see normalize.c) is closed when it has this many code points. */
#define SEGMENT_LIMIT 128

/*
 * Code points that a segment can decompose into: the first 18 (U+FDFA), the
 * others 3 each; and one that is ignorable after each.
 */
#define SEGMENT_CAPACITY 640

/* Room that one segment can need in UTF-8. */
#define SEGMENT_ROOM (4 * SEGMENT_CAPACITY + 8)

/* A call of normalize_next must have room for two, and some to be fast. */
#define NORMALIZE_MIN_ROOM (2 * SEGMENT_ROOM)

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

/* Eight times the same byte. */
#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

extern size_t ascii_length(const uint8_t *p, size_t limit);
extern void normalize_begin(Normalizer *normalizer, const char *text,
							size_t len, bool raw);
extern size_t normalize_segment(const Normalizer *normalizer,
								const uint8_t *start, const uint8_t *end);
extern bool normalize_done(const Normalizer *normalizer);
extern ptrdiff_t normalize_next(Normalizer *normalizer, uint8_t *out,
								size_t room);

#endif							/* NORMALIZE_H */
