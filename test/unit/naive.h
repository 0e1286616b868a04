/*-------------------------------------------------------------------------
 *
 * naive.h
 *	  Normal form, words and shingles of whole texts, by their definitions.
 *
 * Tests compare this with the code that reads a text piece by piece.  Each text
 * is in memory of exactly its length, so that an address sanitizer detects a
 * read past its end.
 *
 *-------------------------------------------------------------------------
 */
#ifndef NAIVE_H
#define NAIVE_H

#include <string.h>
#include <utf8proc.h>

#include "unit.h"
#include "core/text/words.h"

#ifndef MAX_TEXT
#define MAX_TEXT (1 << 20)		/* bytes of a text, normalised or not */
#endif
#define MAX_HASHES MAX_TEXT

/* A text, or any bytes, in memory of exactly its length. */
typedef struct Text
{
	uint8_t    *bytes;
	size_t		len;
} Text;

/* Copy bytes to memory of exactly their length. */
static Text
make_text(const void *bytes, size_t len)
{
	Text		text = {malloc(len), len};

	memcpy(text.bytes, bytes, len);
	return text;
}

/* Normalize a text by calls with some room; return the length, or -1. */
__attribute__((unused)) static ptrdiff_t
normalize(Text text, bool raw, size_t room, uint8_t *out)
{
	Normalizer	normalizer;
	uint8_t    *start = out;
	uint8_t    *piece = malloc(room);

	if (setjmp(invalid_text) != 0)
	{
		free(piece);
		return -1;
	}
	normalize_begin(&normalizer, (char *) text.bytes, text.len, raw);
	while (!normalize_done(&normalizer))
	{
		size_t		len = normalize_next(&normalizer, piece, room);

		memcpy(out, piece, len);
		out += len;
	}
	free(piece);
	return out - start;
}

/* Return true if a code point is white space in normalised text. */
static bool
is_space(int32_t c)
{
	return (c >= '\t' && c <= '\r') || c == ' ' || c == 0x85 || c == 0x1680 ||
		c == 0x2028 || c == 0x2029;
}

/* Drop the default-ignorable code points; return the length. */
static ptrdiff_t
drop_ignorable(uint8_t *text, ptrdiff_t len)
{
	static const int32_t ranges[][2] = {
		{0xAD, 0xAD}, {0x34F, 0x34F}, {0x61C, 0x61C}, {0x115F, 0x1160},
		{0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x200B, 0x200F},
		{0x202A, 0x202E}, {0x2060, 0x206F}, {0x3164, 0x3164},
		{0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0},
		{0xFFF0, 0xFFF8}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
		{0xE0000, 0xE0FFF}
	};
	uint8_t    *out = text;
	ptrdiff_t	char_len;

	for (ptrdiff_t i = 0; i < len; i += char_len)
	{
		int32_t		c;
		bool		dropped = false;

		char_len = utf8proc_iterate(text + i, len - i, &c);
		for (int j = 0; j < lengthof(ranges); j++)
			dropped |= c >= ranges[j][0] && c <= ranges[j][1];
		if (dropped)
			continue;
		memmove(out, text + i, (size_t) char_len);
		out += char_len;
	}
	return out - text;
}

/* Count the bytes before the next U+11A7, except one at the start. */
static ptrdiff_t
length_before_11a7(const uint8_t *text, ptrdiff_t len)
{
	for (ptrdiff_t i = 1; i + 3 <= len; i++)
		if (memcmp(text + i, "\xE1\x86\xA7", 3) == 0)
			return i;
	return len;
}

/*
 * Replace a text by the result of utf8proc_map(); return its length.
 *
 * The text is cut before every U+11A7, which older versions lose behind a
 * Hangul syllable; it composes with nothing, nor is it reordered.
 */
static ptrdiff_t
map_text(uint8_t **text, ptrdiff_t len, utf8proc_option_t options)
{
	uint8_t    *mapped = malloc(1);
	ptrdiff_t	mapped_len = 0;
	ptrdiff_t	piece_len;

	for (ptrdiff_t i = 0; i < len; i += piece_len)
	{
		uint8_t    *piece;
		ptrdiff_t	to_len;

		piece_len = length_before_11a7(*text + i, len - i);
		to_len = utf8proc_map(*text + i, piece_len, &piece, options);
		mapped = realloc(mapped, (size_t) (mapped_len + to_len + 1));
		memcpy(mapped + mapped_len, piece, (size_t) to_len);
		mapped_len += to_len;
		free(piece);
	}
	free(*text);
	*text = mapped;
	return mapped_len;
}

/* Normalize a whole text at once, by the definition; return the length. */
__attribute__((unused)) static size_t
normalize_simply(Text text, uint8_t *out)
{
	static const int steps[] = {
		UTF8PROC_STABLE | UTF8PROC_DECOMPOSE,
		UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD
	};
	uint8_t    *start = out;
	uint8_t    *last = make_text(text.bytes, text.len).bytes;
	ptrdiff_t	len = (ptrdiff_t) text.len;
	bool		space = false;
	ptrdiff_t	char_len;

	for (int i = 0; i < lengthof(steps); i++)
	{
		len = map_text(&last, len, steps[i]);
		if (i == 0)
			len = drop_ignorable(last, len);
	}
	for (ptrdiff_t i = 0; i < len; i += char_len)
	{
		int32_t		c;

		char_len = utf8proc_iterate(last + i, len - i, &c);
		if (is_space(c))
		{
			space = out > start;
			continue;
		}
		if (space)
			*out++ = ' ';
		space = false;
		memcpy(out, last + i, (size_t) char_len);
		out += char_len;
	}
	free(last);
	return (size_t) (out - start);
}

/* Read a text in batches; return the number of hashes, or -1. */
static int
read_hashes(Text text, uint32_t shingling, int max, uint64_t *hashes)
{
	ShingleReader reader;
	volatile int total = 0;

	if (setjmp(invalid_text) != 0)
		return -1;
	shingle_begin(&reader, shingling, 7, (char *) text.bytes, text.len);
	while (!reader.done)
	{
		int			count = shingle_next(&reader, hashes + total, max);

		if (count > max)
			abort();
		total += count;
	}
	return total;
}

/* Find the starts of the code points of a text, and its end; count them. */
static int
cut_chars(const uint8_t *text, size_t len, uint32_t *starts)
{
	int			count = 0;

	for (size_t i = 0; i < len; i += utf8_char_length(text[i]))
		starts[count++] = (uint32_t) i;
	starts[count] = (uint32_t) len;
	return count;
}

/* Hash the words of a normalized text, little-endian; return their number. */
static int
cut_words(const uint8_t *text, size_t len, uint8_t (*words)[8])
{
	int			count = 0;
	size_t		start = 0;
	size_t		char_len;

	for (size_t i = 0; i <= len; i += char_len)
	{
		WordClass	class = WORD_SEPARATOR;
		uint64_t	hash;

		char_len = 1;
		if (i < len)
			class = word_class(text + i, len - i, &char_len);
		if (class == WORD_PART)
			continue;
		for (int ends = 0; ends < 2; ends++)
		{
			/* First the word before this character, then the character. */
			size_t		end = ends == 0 ? i : i + char_len;

			if (ends == 0 ? end > start : class == WORD_ALONE)
			{
				hash = shingle_hash(text + start, end - start, 7);
				for (int j = 0; j < 8; j++)
					words[count][j] = (uint8_t) (hash >> (8 * j));
				count++;
			}
			start = end;
		}
	}
	return count;
}

/* Hash the shingles of a normalized text; return their number. */
__attribute__((unused)) static int
hash_simply(const uint8_t *text, size_t len, uint32_t shingling,
			uint64_t *hashes)
{
	static uint32_t starts[MAX_TEXT + 1];
	static uint8_t words[MAX_TEXT][8];
	bool		by_word = shingling_unit(shingling) == SHINGLE_WORD;
	int			units = by_word ? cut_words(text, len, words) :
		cut_chars(text, len, starts);
	int			size = shingling_size(shingling);

	if (units == 0)
		return 0;
	size = units < size ? units : size;
	for (int i = 0; i + size <= units; i++)
		hashes[i] = by_word ? shingle_hash(words[i], 8 * (size_t) size, 7) :
			shingle_hash(text + starts[i], starts[i + size] - starts[i], 7);
	return units - size + 1;
}

/* Return true if bytes are UTF-8 (the Unicode Standard, table 3-7). */
__attribute__((unused)) static bool
is_utf8(const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len;)
	{
		uint8_t		lead = p[i];
		size_t		size = utf8_char_length(lead);
		uint8_t		low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
		uint8_t		high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;

		if ((lead >= 0x80 && lead < 0xC2) || lead > 0xF4 || size > len - i)
			return false;
		for (size_t j = 1; j < size; j++)
		{
			if (p[i + j] < low || p[i + j] > high)
				return false;
			low = 0x80;
			high = 0xBF;
		}
		i += size;
	}
	return true;
}

#endif							/* NAIVE_H */
