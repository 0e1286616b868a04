/*-------------------------------------------------------------------------
 *
 * shingling.c
 *	  Read and write the text forms of shinglings.
 *
 *-------------------------------------------------------------------------
 */
#include "shingling.h"

#include <stdio.h>
#include <string.h>

/* Text forms of the units, in the order of their codes. */
static const char *const unit_names[] = {
	[SHINGLE_CHAR] = "char",
	[SHINGLE_WORD] = "word",
	[SHINGLE_INTEGER] = "integer",
	[SHINGLE_TEXT] = "text",
	[SHINGLE_LEXEME] = "lexeme",
	[SHINGLE_OTHER] = "other"
};

/* Check the unit, the size of those for texts, and that all else is zero. */
bool
shingling_is_valid(uint32_t shingling)
{
	int			unit = shingling_unit(shingling);
	int			size = shingling_size(shingling);

	if (unit < SHINGLE_CHAR || unit > SHINGLE_OTHER)
		return false;
	if (shingling_is_for_text(shingling))
		return size >= 1 && shingling >> 16 <= (SHINGLE_RAW | SHINGLE_BAG);
	return shingling >> 8 == 0;
}

/* Return true if len bytes at str are a word. */
static bool
is_word(const char *str, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(str, word, len) == 0;
}

/* Return the shingle size, 1 to 255, in a string, or 0 if it is not one. */
static int
parse_size(const char *str, size_t len)
{
	int			size = 0;

	for (size_t i = 0; i < len; i++)
	{
		if (str[i] < '0' || str[i] > '9')
			return 0;
		size = size * 10 + (str[i] - '0');
		if (size > SHINGLE_MAX_SIZE)
			return 0;
	}
	return size;
}

/* Find the next word in a string; return its length, 0 at the end. */
static size_t
next_word(const char **str, const char *end, const char **word)
{
	const char *p = *str;

	while (p < end && *p == ' ')
		p++;
	*word = p;
	while (p < end && *p != ' ')
		p++;
	*str = p;
	return (size_t) (p - *word);
}

/* Read the unit and its size, as in "char:5". */
static ShinglingError
parse_unit(const char *word, size_t len, uint32_t *shingling)
{
	const char *colon = memchr(word, ':', len);
	size_t		name_len = colon ? (size_t) (colon - word) : len;
	int			unit = SHINGLE_CHAR;
	int			size = 0;

	while (unit <= SHINGLE_OTHER && !is_word(word, name_len, unit_names[unit]))
		unit++;
	if (unit > SHINGLE_OTHER)
		return SHINGLING_BAD_UNIT;
	if (colon)
		size = parse_size(colon + 1, len - name_len - 1);
	*shingling = SHINGLING(unit, size, 0);
	if (!shingling_is_valid(*shingling) || (colon && size == 0))
		return SHINGLING_BAD_SIZE;
	return SHINGLING_OK;
}

/* Read the unit, then options in any order. */
ShinglingError
shingling_parse(const char *str, size_t len, uint32_t *shingling)
{
	const char *end = str + len;
	const char *word;
	size_t		word_len = next_word(&str, end, &word);
	ShinglingError error = parse_unit(word, word_len, shingling);

	if (error != SHINGLING_OK)
		return error;
	while ((word_len = next_word(&str, end, &word)) > 0)
	{
		int			flag;

		if (is_word(word, word_len, "raw"))
			flag = SHINGLE_RAW;
		else if (is_word(word, word_len, "bag"))
			flag = SHINGLE_BAG;
		else
			return SHINGLING_BAD_OPTION;
		*shingling |= SHINGLING(0, 0, flag);
	}
	return shingling_is_valid(*shingling) ? SHINGLING_OK : SHINGLING_BAD_OPTION;
}

/* Write the text form of a shingling. */
void
shingling_print(uint32_t shingling, char *str)
{
	const char *name = unit_names[shingling_unit(shingling)];

	if (!shingling_is_for_text(shingling))
		snprintf(str, SHINGLING_TEXT_SIZE, "%s", name);
	else
		snprintf(str, SHINGLING_TEXT_SIZE, "%s:%d%s%s", name,
				 shingling_size(shingling),
				 shingling_is_raw(shingling) ? " raw" : "",
				 shingling_is_bag(shingling) ? " bag" : "");
}
