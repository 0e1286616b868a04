/*-------------------------------------------------------------------------
 *
 * shingling.h
 *	  Shinglings: how a document becomes a set, in four bytes.
 *
 * A shingling is unit | n << 8 | flags << 16; the top 8 bits are zero.  It is
 * part of the signature format.
 *
 *	unit	text form	a member of the set is
 *	1		char:n		a run of n code points
 *	2		word:n		a run of n words
 *	3		integer		an element of an integer array
 *	4		text		an element of an array of strings
 *	5		lexeme		a lexeme of a tsvector
 *	6		other		an element of an array of another type
 *
 *	flag	word		effect
 *	1		raw			the text is not normalized
 *	2		bag			repetitions count (a multiset)
 *
 * n is 1 to 255 for char and word.  The other units have n = 0 and no flags.
 * The inline functions below require a valid shingling.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SHINGLING_H
#define SHINGLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ShingleUnit
{
	SHINGLE_CHAR = 1,
	SHINGLE_WORD = 2,
	SHINGLE_INTEGER = 3,
	SHINGLE_TEXT = 4,
	SHINGLE_LEXEME = 5,
	SHINGLE_OTHER = 6
} ShingleUnit;

#define SHINGLE_RAW 1
#define SHINGLE_BAG 2

#define SHINGLE_MAX_SIZE 255	/* n is stored in one byte */
#define SHINGLING_TEXT_SIZE 24	/* bytes for any text form, with its end */

#define SHINGLING(unit, n, flags) \
	((uint32_t) (unit) | (uint32_t) (n) << 8 | (uint32_t) (flags) << 16)

/* Return the unit of a shingling. */
static inline ShingleUnit
shingling_unit(uint32_t shingling)
{
	return (ShingleUnit) (shingling & 0xFF);
}

/* Return n, the number of units in a shingle. */
static inline int
shingling_size(uint32_t shingling)
{
	return (int) (shingling >> 8 & 0xFF);
}

/* Return true if texts are not normalized. */
static inline bool
shingling_is_raw(uint32_t shingling)
{
	return (shingling >> 16 & SHINGLE_RAW) != 0;
}

/* Return true if repetitions count. */
static inline bool
shingling_is_bag(uint32_t shingling)
{
	return (shingling >> 16 & SHINGLE_BAG) != 0;
}

/* Return true if a shingling cuts texts, false if it is for elements. */
static inline bool
shingling_is_for_text(uint32_t shingling)
{
	return shingling_unit(shingling) <= SHINGLE_WORD;
}

/* Errors in the text form of a shingling. */
typedef enum ShinglingError
{
	SHINGLING_OK,
	SHINGLING_BAD_UNIT,
	SHINGLING_BAD_SIZE,
	SHINGLING_BAD_OPTION
} ShinglingError;

/* Return true if an untrusted number is a shingling. */
extern bool shingling_is_valid(uint32_t shingling);

/*
 * Read a text form of len bytes, such as "word:3 bag".  *shingling is undefined
 * unless the result is SHINGLING_OK.
 */
extern ShinglingError shingling_parse(const char *str, size_t len,
									  uint32_t *shingling);

/* Write the text form of a valid shingling, in SHINGLING_TEXT_SIZE bytes. */
extern void shingling_print(uint32_t shingling, char *str);

#endif							/* SHINGLING_H */
