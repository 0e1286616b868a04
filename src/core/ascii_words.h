/*-------------------------------------------------------------------------
 *
 * ascii_words.h
 *	  Which bytes of a text are part of words, if they are ASCII: letters,
 *	  digits and underscores.  Pure: no PostgreSQL.
 *
 * A block of 64 bytes is classified at once, into one bit for each: 16 bytes
 * at a time where there is SSE2, which is every x86-64, or else 8 at a time in
 * a 64-bit number.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ASCII_WORDS_H
#define ASCII_WORDS_H

#include <string.h>

#include "normalize.h"
#include "hash.h"

#if defined(__SSE2__) && !defined(LSHSIM_PLAIN_C)
#include <emmintrin.h>
#define ASCII_WORDS_SSE2
#endif

#define BLOCK_SIZE 64			/* bytes that are looked at together */

/* Tell whether an ASCII character is part of a word. */
static inline bool
is_ascii_word_part(uint8_t c)
{
	bool		letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
	bool		digit = c >= '0' && c <= '9';

	return letter || digit || c == '_';
}

#ifdef ASCII_WORDS_SSE2

#define STEP_SIZE 16

/* Mark which of 16 bytes are from first to last, in all bits of a byte. */
static inline __m128i
bytes_between(__m128i bytes, char first, char last)
{
	/* Signed numbers are compared, so the range is moved to their low end. */
	__m128i		moved = _mm_add_epi8(bytes, _mm_set1_epi8((char) (128 - first)));

	return _mm_cmplt_epi8(moved, _mm_set1_epi8((char) (last - first - 127)));
}

/* Mark which of 16 bytes are part of a word, and which are not ASCII. */
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

#define STEP_SIZE 8

/* Gather the highest bits of 8 bytes, that of the first one lowest. */
static inline uint64_t
gather_bits(uint64_t bytes)
{
	return ((bytes & EACH(0x80)) >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

/*
 * Mark which of 8 bytes are part of a word, and which are not ASCII.  Sums are
 * taken without the highest bit of a byte, so that none overflows into another.
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
	low = bytes & EACH(0x7F);
	folded = low | EACH(0x20);
	letter = (folded + EACH(0x80 - 'a')) & ~(folded + EACH(0x7F - 'z'));
	digit = (low + EACH(0x80 - '0')) & ~(low + EACH(0x7F - '9'));
	underscore = EACH(0x80) - (low ^ EACH('_'));
	*parts = gather_bits((letter | digit | underscore) & ~bytes);
	*others = gather_bits(bytes);
}

#endif							/* ASCII_WORDS_SSE2 */

/*
 * Mark which bytes of a block are part of a word, by bits from the lowest on,
 * and which are not ASCII.
 */
static inline void
classify_block(const uint8_t *text, uint64_t *parts, uint64_t *others)
{
	*parts = *others = 0;
	for (int i = 0; i < BLOCK_SIZE; i += STEP_SIZE)
	{
		uint64_t	part;
		uint64_t	other;

		classify_step(text + i, &part, &other);
		*parts |= part << i;
		*others |= other << i;
	}
}

#endif							/* ASCII_WORDS_H */
