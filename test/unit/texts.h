/*-------------------------------------------------------------------------
 *
 * texts.h
 *	  Random texts that are difficult to normalize and to cut.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TEXTS_H
#define TEXTS_H

#include "naive.h"

#define MAX_PIECES 60

/* The pieces of texts, and how often each may be repeated. */
static const struct
{
	const char *bytes;
	int			repeat;
}			pieces[] = {
	{"The quick brown fox, jumps over 13 lazy_dogs. ", 20},
	{"@AZ[`az{ /09:^_ \x7F\x01\x08\x0E\x1F!~  #", 50},	/* ends of ranges */
	{"aB", 20000},				/* a word longer than the reader's buffer */
	{" \t\n\v\f\r", 12000},		/* white space longer than a read */
	{"-", 20000},
	{"x ", 3000},
	{"\xC3\x84\xC3\x96\xC3\x9F\xCE\xA3\xCF\x82 ", 50},	/* to be folded */
	{"A\xCC\x8A\xCC\xA7", 40},	/* marks to be ordered and composed */
	{"\xE1\xBA\x9E\xC4\xB0\xC7\x85", 40},	/* folds to more or other letters */
	{"\xCE\x91\xCD\x85\xCC\x81\xE1\xBE\x88", 40},	/* a mark folds to a letter */
	{"\xEF\xB7\xBA", 40},		/* U+FDFA: 18 code points */
	{"\xEF\xAC\x83\xC2\xBD\xE2\x85\xA7\xE3\x8E\x8F", 40},	/* compatibility */
	{"\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8", 40},	/* Hangul to be composed */
	{"\xEA\xB0\x80\xEA\xB0\x81", 40},	/* Hangul syllables */
	{"\xEA\xB0\x80\xE1\x86\xA7\xE1\x86\xA8", 40},	/* U+11A7 composes with none */
	{"\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E\xE3\x81\xAE", 2000},	/* Han, kana */
	{"\xE0\xB9\x80\xE0\xB8\x81\xE0\xB8\xB4\xE0\xB8\x99", 40},	/* Thai */
	{"\xE0\xA4\x95\xE0\xA5\x8D\xE0\xA4\xB7\xE0\xA4\xBF", 40},	/* Devanagari */
	{"\xC2\xA0\xE2\x80\x83\xE3\x80\x80\xC2\x85\xE2\x80\xA8", 40},	/* spaces */
	{"\xE2\x80\x8B\xE2\x80\x8D\xEF\xBB\xBF\xC2\xAD", 40},	/* nothing to see */
	{"e\xCC\x81\xCD\x8F\xCC\xA3", 30},	/* nothing between marks */
	{"\xE2\x80\x8C", 30000},	/* nothing, longer than a read */
	{"\xF3\xA0\x84\x80\xCC\x81\xCE\xB1\xE2\x81\xA0\xCD\x85", 40},
	{"\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x9A\x80", 40},	/* emoji */
	{"\xF0\x9D\x95\xB3\xF0\x90\x90\x80", 2000},	/* 4 bytes, folding */
	{"\xF4\x8F\xBF\xBF\xEF\xBF\xBE", 10}	/* noncharacters */
};

/* Make a random text, without runs of marks longer than a segment. */
static Text
random_text(void)
{
	static char buffer[MAX_TEXT];
	size_t		len = 0;

	for (int i = random_below(MAX_PIECES); i > 0; i--)
	{
		int			piece = random_below(lengthof(pieces));
		size_t		piece_len = strlen(pieces[piece].bytes);
		int			repeat = 1;

		/* Repeat only some pieces. */
		if (random_below(4) == 0)
			repeat += random_below(random_below(pieces[piece].repeat) + 1);
		for (; repeat > 0 && len + piece_len <= MAX_TEXT / 8; repeat--)
		{
			memcpy(buffer + len, pieces[piece].bytes, piece_len);
			len += piece_len;
		}
	}
	return make_text(buffer, len);
}

/* Parse a valid shingling. */
static uint32_t
parse(const char *str)
{
	uint32_t	shingling;

	if (shingling_parse(str, strlen(str), &shingling) != SHINGLING_OK)
		abort();
	return shingling;
}

#endif							/* TEXTS_H */
