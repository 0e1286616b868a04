/*-------------------------------------------------------------------------
 *
 * words.c
 *	  Words outside ASCII, by general category and script.
 *
 * A word is a maximal run of letters, marks, numbers (general categories L,
 * M, N) and ASCII underscores.  In scripts without spaces between words (Han,
 * Hiragana, Katakana, Thai, Lao, Khmer and Myanmar, by the ranges below) every
 * such character is a word of its own.
 *
 *-------------------------------------------------------------------------
 */
#include "words.h"

#include <utf8proc.h>

#include "segment.h"

/* Ranges of scripts without spaces between words. */
static const CodePointRange alone_ranges[] = {
	{0x0E00, 0x0EFF},			/* Thai, Lao */
	{0x1000, 0x109F},			/* Myanmar */
	{0x1780, 0x17FF},			/* Khmer */
	{0x2E80, 0x2FDF},			/* Han radicals */
	{0x3005, 0x3007},			/* Han iteration mark, closing mark, zero */
	{0x3021, 0x3029},			/* Hangzhou numerals */
	{0x3038, 0x303B},			/* Hangzhou numerals, vertical marks */
	{0x3041, 0x30FF},			/* Hiragana, Katakana */
	{0x31F0, 0x31FF},			/* Katakana phonetic extensions */
	{0x3400, 0x4DBF},			/* Han extension A */
	{0x4E00, 0x9FFF},			/* Han */
	{0xA9E0, 0xA9FF},			/* Myanmar extended B */
	{0xAA60, 0xAA7F},			/* Myanmar extended A */
	{0xF900, 0xFAFF},			/* Han compatibility */
	{0xFF66, 0xFF9F},			/* halfwidth Katakana */
	{0x1AFF0, 0x1B16F},			/* Kana extensions */
	{0x20000, 0x3FFFF},			/* Han extensions B and later */
};

/* Classify a character that is not ASCII, and set its length. */
WordClass
words_other_class(const uint8_t *p, size_t left, size_t *char_len)
{
	int32_t		c;
	ptrdiff_t	len = utf8proc_iterate(p, (ptrdiff_t) left, &c);
	int			category = utf8proc_category(c);

	*char_len = len > 0 ? (size_t) len : 1;
	if (category < UTF8PROC_CATEGORY_LU || category > UTF8PROC_CATEGORY_NO)
		return WORD_SEPARATOR;	/* also if the character is not valid */
	return IN_RANGES(c, alone_ranges) ? WORD_ALONE : WORD_PART;
}
