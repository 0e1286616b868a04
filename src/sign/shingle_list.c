/*-------------------------------------------------------------------------
 *
 * shingle_list.c
 *	  All shingles of a text, as strings.
 *
 * Signatures need only the hashes of shingles (core/shingle.c); this is for those
 * who want to see them, and for exact similarities, which compare shingles by
 * content.  The whole normalised text is kept in memory, and 28 bytes for
 * every shingle.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"

#include "compat.h"
#include "core/interrupt.h"
#include "core/shingle.h"
#include "core/words.h"
#include "shingle_list.h"
#include "support/utf8.h"

/* A text cut into units: code points, or words with one space between them. */
typedef struct Units
{
	char	   *bytes;
	uint32	   *starts;			/* of every unit, and one behind the last */
	Size		count;
	int			separator;		/* bytes between units */
} Units;

/* Normalise a whole document. */
static void
normalize_document(text *document, bool raw, StringInfo result)
{
	Normalizer	normalizer;
	uint8		buffer[SHINGLE_BUFFER_SIZE];
	Size		len;
	char	   *utf8 = bytes_to_utf8(VARDATA_ANY(document),
									 VARSIZE_ANY_EXHDR(document), &len);

	initStringInfo(result);
	normalize_begin(&normalizer, utf8, len, raw);
	while (!normalize_done(&normalizer))
	{
		ptrdiff_t	count = normalize_next(&normalizer, buffer, sizeof(buffer));

		CHECK_FOR_INTERRUPTS();
		if (count < 0)
			report_not_utf8();
		appendBinaryStringInfo(result, (char *) buffer, (int) count);
	}
}

/* Cut a normalised text into code points. */
static void
cut_into_chars(const StringInfoData *normal, Units *units)
{
	uint32		pos = 0;

	units->bytes = normal->data;
	units->separator = 0;
	while (pos < (uint32) normal->len)
	{
		check_sometimes(units->count);
		units->starts[units->count++] = pos;
		pos += (uint32) utf8_char_length((uint8) normal->data[pos]);
	}
	units->starts[units->count] = (uint32) normal->len;
}

/* Cut a normalised text into words, and join them with single spaces. */
static void
cut_into_words(const StringInfoData *normal, Units *units)
{
	const uint8 *bytes = (const uint8 *) normal->data;
	Size		len = (Size) normal->len;

	/* Characters that are words of their own gain a space each. */
	char	   *out = palloc_extended(2 * len + 1, MCXT_ALLOC_HUGE);
	uint32		out_len = 0;
	bool		in_word = false;
	Size		steps = 0;
	Size		char_len;

	for (Size pos = 0; pos < len; pos += char_len)
	{
		WordClass	class = word_class(bytes + pos, len - pos, &char_len);

		check_sometimes(steps++);
		if (class != WORD_SEPARATOR)
		{
			if (!in_word || class == WORD_ALONE)
			{
				if (out_len > 0)
					out[out_len++] = ' ';
				units->starts[units->count++] = out_len;
			}
			memcpy(out + out_len, bytes + pos, char_len);
			out_len += (uint32) char_len;
		}
		in_word = class == WORD_PART;
	}
	units->bytes = out;
	units->separator = 1;
	units->starts[units->count] = out_len + 1;
}

/* Cut a document into units. */
static void
cut_document(text *document, uint32 shingling, Units *units)
{
	StringInfoData normal;

	normalize_document(document, shingling_is_raw(shingling), &normal);
	units->count = 0;
	units->starts = palloc_extended(sizeof(uint32) * ((Size) normal.len + 1),
									MCXT_ALLOC_HUGE);
	CHECK_FOR_INTERRUPTS();
	if (shingling_unit(shingling) == SHINGLE_WORD)
		cut_into_words(&normal, units);
	else
		cut_into_chars(&normal, units);
}

/* List all shingles of a document, in order, with repetitions. */
ShingleList
shingle_list(text *document, uint32 shingling)
{
	Units		units;
	ShingleList list;
	Size		size = (Size) shingling_size(shingling);

	cut_document(document, shingling, &units);
	if (units.count < size)
		size = units.count;
	list.count = units.count > 0 ? units.count - size + 1 : 0;
	list.items = palloc_extended(sizeof(Shingle) * Max(list.count, 1),
								 MCXT_ALLOC_HUGE);
	for (Size i = 0; i < list.count; i++)
	{
		Shingle    *item = &list.items[i];

		CHECK_FOR_INTERRUPTS(); /* every time: shingles can be long */
		item->index = (uint32) i;
		item->text = units.bytes + units.starts[i];
		item->length = units.starts[i + size] - units.starts[i] -
			(uint32) units.separator;
		item->hash = shingle_hash(item->text, item->length, 0);
	}
	return list;
}

/* Order shingles by hash, then by content: fast, and equal means equal. */
int
shingle_compare(const Shingle *a, const Shingle *b)
{
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	return memcmp(a->text, b->text, a->length);
}

/* Compare for a sort; equal shingles stay in document order. */
static inline int
compare_for_sort(const Shingle *a, const Shingle *b)
{
	int			order = shingle_compare(a, b);

	if (order == 0)
		order = a->index < b->index ? -1 : (a->index > b->index);
	return order;
}

/* The sort takes most of the time of an exact comparison. */
#define ST_SORT sort_shingles
#define ST_ELEMENT_TYPE Shingle
#define ST_COMPARE(a, b) compare_for_sort(a, b)
#define ST_SCOPE static
#define ST_DEFINE
#define ST_CHECK_FOR_INTERRUPTS
#include "lib/sort_template.h"

/* Compare for qsort by place in the document. */
static int
compare_index(const void *a, const void *b)
{
	uint32		a_index = ((const Shingle *) a)->index;
	uint32		b_index = ((const Shingle *) b)->index;

	CHECK_FOR_INTERRUPTS();
	return a_index < b_index ? -1 : (a_index > b_index);
}

/* Sort a list so that equal shingles are neighbours. */
void
shingle_list_sort(ShingleList *list)
{
	sort_shingles(list->items, list->count);
}

/* Sort a list into document order. */
void
shingle_list_sort_by_index(ShingleList *list)
{
	qsort(list->items, list->count, sizeof(Shingle), compare_index);
}

/* Keep the first occurrence of every shingle of a sorted list. */
void
shingle_list_unique(ShingleList *list)
{
	Size		kept = 0;

	for (Size i = 0; i < list->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (kept == 0 ||
			shingle_compare(&list->items[kept - 1], &list->items[i]) != 0)
			list->items[kept++] = list->items[i];
	}
	list->count = kept;
}
