/*-------------------------------------------------------------------------
 *
 * units.c
 *	  Number the units of texts, code points or words, so that equal units have
 *	  equal numbers.
 *
 * Units are looked up by their XXH3 hash with the secret of the table as its seed.
 * So two different units of two texts have one number with probability 2^-64, and
 * no author of a text can choose such units.
 *
 * Memory: 4 bytes for each unit, 12 with positions, up to doubled, plus 21 to 43
 * for each different unit.
 *
 *-------------------------------------------------------------------------
 */
#include "units.h"

#include <string.h>

#include "core/base/hash.h"

/* Initialize an empty list of units. */
void
units_begin(Units *units, HashTable *numbers, bool only_known)
{
	memset(units, 0, sizeof(*units));
	units->numbers = numbers;
	units->only_known = only_known;
}

/* Make room for the next units, and for their positions if there are any. */
static void
enlarge_list(Units *units, bool spans)
{
	units->list = memory_grow(units->list, units->count, UNITS_AT_ONCE, &units->room,
							  sizeof(uint32_t));
	if (spans)
		units->spans = memory_grow(units->spans, units->count, UNITS_AT_ONCE,
								   &units->span_room, sizeof(Span));
}

/* Return the number of a string, or UNKNOWN_UNIT. */
static inline uint32_t
number_of(Units *units, const void *string, size_t length)
{
	uint64_t	hash = XXH3_64bits_withSeed(string, length, units->numbers->factor);
	HashEntry  *entry = units->only_known ?
		hash_table_find(units->numbers, hash) : hash_table_enter(units->numbers, hash);

	if (entry->value == 0 && !units->only_known)
		entry->value = (uint32_t) units->numbers->used;
	return entry->value - 1;
}

/* Return the number of a code point. */
static inline uint32_t
char_number(Units *units, const uint8_t *text, size_t length)
{
	uint32_t	number;

	if (*text < ASCII_END && units->ascii[*text] != 0)
		return units->ascii[*text] - 1;
	number = number_of(units, text, length);
	if (*text < ASCII_END)
		units->ascii[*text] = number + 1;
	return number;
}

/* Append a part of a long word to those before it; length may be 0. */
static void
append_part(Units *units, const Cutter *cutter, const Cut *cut)
{
	size_t		length = units->word_length + cut->length;

	units->word = memory_grow(units->word, units->word_length, cut->length,
							  &units->word_room, 1);
	memcpy(units->word + units->word_length, cut->text, cut->length);
	if (cutter->spans != NULL && cut->length > 0)
	{
		Span		span = cutter_span(cutter, cut);

		if (units->word_length == 0)
			units->word_span = span;
		units->word_span.end = span.end;
	}
	units->word_length = length;
}

/* Add a unit with its position. */
static void
add_cut(Units *units, const Cutter *cutter, const Cut *cut)
{
	Span		span = {0};
	uint32_t	number;

	if (cut->goes_on || units->word_length > 0)
	{
		append_part(units, cutter, cut);
		if (cut->goes_on)
			return;
		number = number_of(units, units->word, units->word_length);
		units->word_length = 0;
		span = units->word_span;
	}
	else
	{
		number = cutter->words ? number_of(units, cut->text, cut->length) :
			char_number(units, cut->text, cut->length);
		if (cutter->spans != NULL)
			span = cutter_span(cutter, cut);
	}
	if (cutter->spans != NULL)
		units->spans[units->count] = span;
	units->list[units->count++] = number;
}

/* Begin again. */
void
units_clear(Units *units)
{
	units->count = 0;
	units->word_length = 0;
}

/* Add the next units of a text. */
void
units_add(Units *units, Cutter *cutter)
{
	size_t		end = units->count + UNITS_AT_ONCE;
	Cut			cut;

	enlarge_list(units, cutter->spans != NULL);
	/* Code points without positions need no cuts, which take as long again. */
	if (!cutter->words && cutter->spans == NULL && cutter->start < cutter->len)
	{
		size_t		start = cutter->start;

		while (start < cutter->len && units->count < end)
		{
			const uint8_t *text = cutter->buffer + start;
			size_t		length = utf8_char_length(*text);

			units->list[units->count++] = char_number(units, text, length);
			start += length;
		}
		cutter->start = cutter->end = start;
		return;
	}
	while (units->count < end && cutter_next(cutter, &cut))
		add_cut(units, cutter, &cut);
}
