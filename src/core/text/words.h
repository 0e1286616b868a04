/*-------------------------------------------------------------------------
 *
 * words.h
 *	  Which characters are part of a word.
 *
 * See words.c for the definition.  In ASCII a word is a run of letters, digits
 * and underscores; classify_block() finds these in 64 bytes at once, 16 at a
 * time with SSE2, which every x86-64 has, otherwise 8 at a time in a 64-bit
 * number.
 *
 *-------------------------------------------------------------------------
 */
#ifndef WORDS_H
#define WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/base/bits.h"

#if defined(__SSE2__) && !defined(LSHSIM_PLAIN_C)
#include <emmintrin.h>
#define WORDS_SSE2
#endif

typedef enum WordClass
{
	WORD_SEPARATOR,				/* between words */
	WORD_PART,					/* continues a word */
	WORD_ALONE					/* is a word of its own */
} WordClass;

/* Return true if an ASCII character is part of a word. */
static inline bool
is_ascii_word_part(uint8_t c)
{
	bool		letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
	bool		digit = c >= '0' && c <= '9';

	return letter || digit || c == '_';
}

/* Do what word_class() does, for a character that is not ASCII. */
extern WordClass words_other_class(const uint8_t *p, size_t left,
								   size_t *char_len);

/*
 * Classify the first character of left bytes of valid UTF-8, at least 1, and
 * set *char_len to its length in bytes.
 */
static inline WordClass
word_class(const uint8_t *p, size_t left, size_t *char_len)
{
	if (*p >= 0x80)
		return words_other_class(p, left, char_len);
	*char_len = 1;
	return is_ascii_word_part(*p) ? WORD_PART : WORD_SEPARATOR;
}

#define WORD_BLOCK 64			/* bytes that are classified together */

#ifdef WORDS_SSE2

#define WORD_STEP 16

/* Set all bits of those of 16 bytes that are between first and last. */
static inline __m128i
bytes_between(__m128i bytes, char first, char last)
{
	/* The comparison is signed, so move the range to the low end. */
	__m128i		moved = _mm_add_epi8(bytes, _mm_set1_epi8((char) (128 - first)));

	return _mm_cmplt_epi8(moved, _mm_set1_epi8((char) (last - first - 127)));
}

/* Classify 16 bytes. */
static inline void
classify_step(const uint8_t *text, uint64_t *parts, uint64_t *others)
{
	__m128i		bytes = _mm_loadu_si128((const __m128i *) text);
	__m128i		folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
	__m128i		letter = bytes_between(folded, 'a', 'z');
	__m128i		digit = bytes_between(bytes, '0', '9');
	__m128i		underscore = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_'));
	__m128i		part = _mm_or_si128(letter, _mm_or_si128(digit, underscore));

	*parts = (uint64_t) _mm_movemask_epi8(part);
	*others = (uint64_t) _mm_movemask_epi8(bytes);
}

#else

#define WORD_STEP 8

/* Collect the highest bits of 8 bytes; that of the lowest byte comes lowest. */
static inline uint64_t
gather_bits(uint64_t bytes)
{
	return ((bytes & BYTES_OF(0x80)) >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

/*
 * Classify 8 bytes.  Sums leave out the highest bit of each byte, so that none
 * overflows into the next.
 */
static inline void
classify_step(const uint8_t *text, uint64_t *parts, uint64_t *others)
{
	uint64_t	bytes;
	uint64_t	low;
	uint64_t	folded;
	uint64_t	letter;
	uint64_t	digit;
	uint64_t	underscore;

	memcpy(&bytes, text, sizeof(bytes));
	bytes = little_endian(bytes);
	low = bytes & BYTES_OF(0x7F);
	folded = low | BYTES_OF(0x20);
	letter = (folded + BYTES_OF(0x80 - 'a')) & ~(folded + BYTES_OF(0x7F - 'z'));
	digit = (low + BYTES_OF(0x80 - '0')) & ~(low + BYTES_OF(0x7F - '9'));
	underscore = BYTES_OF(0x80) - (low ^ BYTES_OF('_'));
	*parts = gather_bits((letter | digit | underscore) & ~bytes);
	*others = gather_bits(bytes);
}

#endif							/* WORDS_SSE2 */

/*
 * Classify the WORD_BLOCK bytes of a block: bit i of parts is set if byte i is
 * ASCII and part of a word, bit i of others if it is not ASCII.
 */
static inline void
classify_block(const uint8_t *text, uint64_t *parts, uint64_t *others)
{
	*parts = *others = 0;
	for (int i = 0; i < WORD_BLOCK; i += WORD_STEP)
	{
		uint64_t	part;
		uint64_t	other;

		classify_step(text + i, &part, &other);
		*parts |= part << i;
		*others |= other << i;
	}
}

#endif							/* WORDS_H */
