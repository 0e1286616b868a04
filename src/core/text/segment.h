/*-------------------------------------------------------------------------
 *
 * segment.h
 *	  The normal form of a segment: code points that are normalized together.
 *
 * See segment.c for what a segment is.  Code points are int32_t, as in
 * utf8proc, and must be valid: 0 to 0x10FFFF.  Nothing here fails.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SEGMENT_H
#define SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A segment is closed when it has this many code points of the text. */
#define SEGMENT_LIMIT 128

/*
 * The code points that a segment can decompose into: 18 for the first
 * (U+FDFA), 3 for each of the others, and an ignorable one after each.
 */
#define SEGMENT_CAPACITY 640

/* The UTF-8 bytes that the normal form of a segment can take. */
#define SEGMENT_ROOM (4 * SEGMENT_CAPACITY + 8)

/*
 * Results of simple_form() that are not code points of a text, because they are
 * surrogates.
 */
#define FORM_MARK 0xD800		/* a mark that moves but does not change */
#define FORM_NONE 0xD801		/* needs segment_normalize() */

/* The code points from first to last. */
typedef struct CodePointRange
{
	int32_t		first;
	int32_t		last;
} CodePointRange;

/* Return true if a code point is in one of the ranges, which are in order. */
static inline bool
code_point_in(int32_t c, const CodePointRange *ranges, size_t count)
{
	for (size_t i = 0; i < count && c >= ranges[i].first; i++)
		if (c <= ranges[i].last)
			return true;
	return false;
}

#define IN_RANGES(c, ranges) \
	code_point_in((c), (ranges), sizeof(ranges) / sizeof(*(ranges)))

/* Return true if a code point has property Default_Ignorable_Code_Point. */
extern bool segment_is_ignorable(int32_t c);

/* Return true if a segment starts at a code point that is not ignorable. */
extern bool segment_starts(int32_t c);

/*
 * Append the canonical decomposition of a code point to a segment of length
 * len, and return the new length, at most SEGMENT_CAPACITY.
 */
extern int	segment_append(int32_t *segment, int len, int32_t c);

/*
 * Replace a segment built by segment_append() by its normal form, and return
 * the length of that.  The array must have SEGMENT_CAPACITY elements.
 */
extern int	segment_normalize(int32_t *segment, int len);

/* Sort each run of marks by combining class, keeping the order of equals. */
extern void segment_order_marks(int32_t *segment, int len);

/* The simple forms that are known; 0: not known yet. */
extern uint16_t simple_forms[0x10000];

/* Compute the simple form of a code point below 0x10000, and keep it. */
extern uint16_t segment_compute_simple_form(uint16_t c);

/*
 * Return the simple form of a code point below 0x10000: its normal form, if
 * it starts a segment and its normal form is one code point below 0xD800 or
 * from 0xE000 to 0xFFFF; else FORM_MARK or FORM_NONE.  Never 0.
 */
static inline uint16_t
simple_form(uint16_t c)
{
	return simple_forms[c] != 0 ? simple_forms[c] : segment_compute_simple_form(c);
}

#endif							/* SEGMENT_H */
