/*-------------------------------------------------------------------------
 *
 * words.h
 *	  Which characters are part of a word.
 *
 *-------------------------------------------------------------------------
 */
#ifndef WORDS_H
#define WORDS_H

#include <stddef.h>
#include <stdint.h>

typedef enum WordClass
{
	WORD_SEPARATOR,				/* between words */
	WORD_PART,					/* continues a word */
	WORD_ALONE					/* is a word of its own */
} WordClass;

extern WordClass word_class(const uint8_t *p, size_t left, size_t *char_len);

#endif							/* WORDS_H */
