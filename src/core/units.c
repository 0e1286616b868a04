/*-------------------------------------------------------------------------
 *
 * units.c
 *	  Cut texts into units, code points or words, and note their positions.
 *
 * The units are those of the normalized text (see normalize.c and shingle.c).
 * The text is normalized segment by segment, so that the position of each unit
 * in the original text is known.  A letter of a ligature has the position of
 * the ligature; a space that replaces a run of white space has that of the run.
 *
 * Memory: 12 bytes for each unit, plus the different units (see intern.c).
 *
 *-------------------------------------------------------------------------
 */
#include "units.h"

#include <string.h>

#include "interrupt.h"
#include "normalize.h"
#include "shingle.h"
#include "words.h"

#define ASCII_END 128

/* A text that is being cut. */
typedef struct Cutter
{
	Units	   *units;
	bool		words;
	Normalizer	normalizer;
	uint32_t	position;		/* where the segment starts */
	uint32_t	segment_end;	/* where it ends */
	uint32_t	text_end;		/* end of the last one with any output */
	char	   *word;			/* the current word */
	size_t		word_length;
	size_t		word_room;
	uint32_t	word_start;
	uint32_t	word_end;
	uint32_t	ascii[ASCII_END];	/* symbol + 1; 0: not known yet */
} Cutter;

/* Initialize an empty list of units. */
void
units_begin(Units *units, size_t room, size_t limit, uint64_t secret,
			const Memory *memory)
{
	units->memory = memory;
	units->in_bytes = false;
	units->count = 0;
	units->room = room > 0 ? room : 1;
	units->limit = limit;
	units->full = false;
	units->list = memory->allocate(sizeof(Unit) * units->room);
	intern_begin(&units->interner, secret, memory);
}

/* Add a unit. */
void
units_add(Units *units, Unit unit)
{
	units->full |= units->count >= units->limit;
	if (units->full)
		return;
	if (units->count == units->room)
	{
		units->room *= 2;
		units->list = enlarge(units->list, sizeof(Unit) * units->count,
							  sizeof(Unit) * units->room, units->memory);
	}
	units->list[units->count++] = unit;
}

/* Release the memory. */
void
units_end(Units *units)
{
	intern_end(&units->interner);
	units->memory->release(units->list);
}

/* Add a code point as a unit. */
static void
add_char(Cutter *cutter, const uint8_t *c, size_t length, uint32_t start,
		 uint32_t end)
{
	uint32_t	number;

	if (*c < ASCII_END && cutter->ascii[*c] != 0)
		number = cutter->ascii[*c] - 1;
	else
		number = intern(&cutter->units->interner, (const char *) c,
						(uint32_t) length);
	if (*c < ASCII_END)
		cutter->ascii[*c] = number + 1;
	units_add(cutter->units, (Unit) {number, start, end});
}

/* Add the current word, if there is one. */
static void
finish_word(Cutter *cutter)
{
	uint32_t	number;

	if (cutter->word_length == 0)
		return;
	number = intern(&cutter->units->interner, cutter->word,
					(uint32_t) cutter->word_length);
	units_add(cutter->units,
			  (Unit) {number, cutter->word_start, cutter->word_end});
	cutter->word_length = 0;
}

/* Add a code point to the current word, or begin one. */
static void
extend_word(Cutter *cutter, const uint8_t *c, size_t length)
{
	if (cutter->word_length == 0)
		cutter->word_start = cutter->position;
	if (cutter->word_room - cutter->word_length < length)
	{
		cutter->word_room *= 2;
		cutter->word = enlarge(cutter->word, cutter->word_length,
							   cutter->word_room, cutter->units->memory);
	}
	memcpy(cutter->word + cutter->word_length, c, length);
	cutter->word_length += length;
	cutter->word_end = cutter->segment_end;
}

/* Add the code points of a normalized segment to words. */
static void
cut_words(Cutter *cutter, const uint8_t *normal, size_t length)
{
	size_t		char_length;

	for (size_t i = 0; i < length; i += char_length)
	{
		WordClass	class = word_class(normal + i, length - i, &char_length);

		if (class != WORD_PART)
			finish_word(cutter);
		if (class != WORD_SEPARATOR)
			extend_word(cutter, normal + i, char_length);
		if (class == WORD_ALONE)
			finish_word(cutter);
	}
}

/* Add the code points of a normalized segment as units. */
static void
cut_chars(Cutter *cutter, const uint8_t *normal, size_t length,
		  bool after_space)
{
	size_t		i = 0;

	if (after_space && length > 0)
		add_char(cutter, normal + i++, 1, cutter->text_end, cutter->position);
	while (i < length)
	{
		size_t		char_length = utf8_char_length(normal[i]);

		add_char(cutter, normal + i, char_length, cutter->position,
				 cutter->segment_end);
		i += char_length;
	}
}

/* Normalize and cut a segment; return false if it is not UTF-8. */
static bool
cut_segment(Cutter *cutter, const uint8_t *segment, size_t length)
{
	uint8_t		normal[NORMALIZE_MIN_ROOM + SHINGLE_BUFFER_TAIL];
	bool		after_space = cutter->normalizer.space;
	ptrdiff_t	normal_length;

	cutter->normalizer.next = segment;
	cutter->normalizer.end = segment + length;
	for (;;)
	{
		normal_length = normalize_next(&cutter->normalizer, normal,
									   NORMALIZE_MIN_ROOM);
		if (normal_length != 0 || normalize_done(&cutter->normalizer))
			break;
		core_check_interrupts();	/* in a long run of ignorable characters */
	}
	if (normal_length < 0)
		return false;
	if (cutter->words)
		cut_words(cutter, normal, (size_t) normal_length);
	else
		cut_chars(cutter, normal, (size_t) normal_length, after_space);
	if (normal_length > 0)
		cutter->text_end = cutter->segment_end;
	return true;
}

/* Count the positions in a piece of the text: bytes or code points. */
static uint32_t
count_positions(const Units *units, const uint8_t *text, size_t length)
{
	uint32_t	count = 0;

	if (units->in_bytes)
		return (uint32_t) length;
	for (size_t i = 0; i < length; i++)
		count += (text[i] & 0xC0) != 0x80;
	return count;
}

/* Cut a text and add its units; return false if it is not UTF-8. */
bool
units_add_text(Units *units, uint32_t shingling, const char *text,
			   size_t length)
{
	Cutter		cutter = {
		.units = units,.words = shingling_unit(shingling) == SHINGLE_WORD,
		.word_room = SHINGLE_BUFFER_SIZE
	};
	const uint8_t *next = (const uint8_t *) text;
	const uint8_t *end = next + length;
	bool		valid = true;
	size_t		steps = 0;

	cutter.word = units->memory->allocate(cutter.word_room);
	normalize_begin(&cutter.normalizer, text, length,
					shingling_is_raw(shingling));
	while (next < end && valid && !units->full)
	{
		size_t		segment = normalize_segment(&cutter.normalizer, next, end);

		check_sometimes(steps++);
		cutter.segment_end = cutter.position +
			count_positions(units, next, segment);
		valid = cut_segment(&cutter, next, segment);
		cutter.position = cutter.segment_end;
		next += segment;
	}
	finish_word(&cutter);
	units->memory->release(cutter.word);
	return valid;
}
