/*-------------------------------------------------------------------------
 *
 * shingles.c
 *	  List the shingles of a text as strings.
 *
 * Signatures need only the hashes of shingles (shingle_hashes.c).  This list is
 * for the SQL function shingles() and for exact similarities, which compare
 * shingles by content.  It takes 28 bytes for every shingle, and keeps the
 * whole normalized text in memory.
 *
 * The text is cut here, not by core/cutter.c, so that all shingles can point into
 * one normalized text.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/shingle.h"
#include "core/words.h"
#include "shingles.h"
#include "support/arguments.h"
#include "support/server_memory.h"
#include "support/utf8.h"

/* A text cut into units: code points, or words with a space between them. */
typedef struct CutText
{
	const char *bytes;
	uint32	   *starts;			/* of each unit, and of one after the last */
	Size		count;
	int			separator;		/* bytes between units */
} CutText;

/* Normalize a text in UTF-8. */
static void
normalize_text(const char *utf8, Size len, bool raw, StringInfo result)
{
	Normalizer	normalizer;
	uint8		buffer[CUTTER_BUFFER];

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

/* Cut a normalized text into code points. */
static void
cut_into_chars(const uint8 *bytes, Size len, CutText *cut)
{
	uint32		pos = 0;

	cut->bytes = (const char *) bytes;
	cut->separator = 0;
	while (pos < len)
	{
		CHECK_FOR_INTERRUPTS();
		cut->starts[cut->count++] = pos;
		pos += (uint32) utf8_char_length(bytes[pos]);
	}
	cut->starts[cut->count] = pos;
}

/* Find the end of the word that begins at pos; return pos if none does. */
static Size
find_word_end(const uint8 *bytes, Size pos, Size len)
{
	Size		char_len;
	WordClass	class = word_class(bytes + pos, len - pos, &char_len);

	if (class == WORD_ALONE)
		return pos + char_len;
	while (class == WORD_PART)
	{
		CHECK_FOR_INTERRUPTS();
		pos += char_len;
		class = pos == len ? WORD_SEPARATOR :
			word_class(bytes + pos, len - pos, &char_len);
	}
	return pos;
}

/* Move *pos past the word or other character there; return true for a word. */
static bool
pass_word(const uint8 *bytes, Size len, Size *pos)
{
	Size		end = find_word_end(bytes, *pos, len);
	bool		is_word = end > *pos;

	*pos = is_word ? end : *pos + utf8_char_length(bytes[*pos]);
	return is_word;
}

/* Cut a normalized text into words, and join them with single spaces. */
static void
cut_into_words(const uint8 *bytes, Size len, CutText *cut)
{
	/* At worst every byte is a word and gains a space. */
	char	   *out = alloc_array(2 * (uint64) len + 1, 1);
	uint32		out_len = 0;
	Size		pos = 0;

	while (pos < len)
	{
		Size		start = pos;

		CHECK_FOR_INTERRUPTS();
		if (!pass_word(bytes, len, &pos))
			continue;
		if (out_len > 0)
			out[out_len++] = ' ';
		cut->starts[cut->count++] = out_len;
		memcpy(out + out_len, bytes + start, pos - start);
		out_len += (uint32) (pos - start);
	}
	cut->bytes = out;
	cut->separator = 1;
	cut->starts[cut->count] = out_len + 1;
}

/* Cut a text in UTF-8. */
static void
cut_text(const char *utf8, Size len, uint32 shingling, CutText *cut)
{
	StringInfoData normal;
	const uint8 *bytes;

	normalize_text(utf8, len, shingling_is_raw(shingling), &normal);
	bytes = (const uint8 *) normal.data;
	cut->count = 0;
	cut->starts = alloc_array((uint64) normal.len + 1, sizeof(uint32));
	if (shingling_unit(shingling) == SHINGLE_WORD)
		cut_into_words(bytes, (Size) normal.len, cut);
	else
		cut_into_chars(bytes, (Size) normal.len, cut);
}

/* Make the shingle of a number of units, the first of which is given. */
static Shingle
make_shingle(const CutText *cut, Size first, Size size)
{
	Shingle		shingle = {
		.index = (uint32) first,
		.text = cut->bytes + cut->starts[first],
		.length = cut->starts[first + size] - cut->starts[first] -
		(uint32) cut->separator
	};

	shingle.hash = shingle_hash(shingle.text, shingle.length, 0);
	return shingle;
}

/* List the shingles of a document in order, with repetitions. */
ShingleList
shingle_list(text *document, uint32 shingling)
{
	CutText		cut;
	ShingleList list;
	Size		size = (Size) shingling_size(shingling);
	Size		len;
	char	   *utf8 = bytes_to_utf8(VARDATA_ANY(document),
									 VARSIZE_ANY_EXHDR(document), &len);

	cut_text(utf8, len, shingling, &cut);
	if (cut.count < size)
		size = cut.count;
	list.count = cut.count > 0 ? cut.count - size + 1 : 0;
	list.items = alloc_array(list.count, sizeof(Shingle));
	for (Size i = 0; i < list.count; i++)
	{
		CHECK_FOR_INTERRUPTS(); /* every time: shingles can be long */
		list.items[i] = make_shingle(&cut, i, size);
	}
	return list;
}

/* Compare two shingles: by hash first, which rarely ties. */
int
shingle_compare(const Shingle *a, const Shingle *b)
{
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	return memcmp(a->text, b->text, a->length);
}

/* Compare two shingles so that equal ones stay in document order. */
static inline int
compare_for_sort(const Shingle *a, const Shingle *b)
{
	int			order = shingle_compare(a, b);

	if (order == 0)
		order = a->index < b->index ? -1 : (a->index > b->index);
	return order;
}

/* Inlined comparisons, because sorting dominates an exact similarity. */
#define ST_SORT sort_shingles
#define ST_ELEMENT_TYPE Shingle
#define ST_COMPARE(a, b) compare_for_sort(a, b)
#define ST_SCOPE static
#define ST_DEFINE
#define ST_CHECK_FOR_INTERRUPTS
#include "lib/sort_template.h"

/* Sort a list so that equal shingles are adjacent. */
void
shingle_list_sort(ShingleList *list)
{
	sort_shingles(list->items, list->count);
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

/* Make an array of a list of shingles. */
static ArrayType *
shingles_to_array(const ShingleList *list)
{
	Datum	   *texts = alloc_array(list->count, sizeof(Datum));
	Size		bytes = 0;

	for (Size i = 0; i < list->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		texts[i] = PointerGetDatum(utf8_to_text(list->items[i].text,
												list->items[i].length));
		bytes += INTALIGN(VARSIZE(DatumGetPointer(texts[i])));
		if (bytes > MaxAllocSize || i >= MaxArraySize)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("the shingles of the text do not fit into an array"),
					 errdetail("An array has at most %d elements and 1 GB.",
							   (int) MaxArraySize),
					 errhint("Cut the text into parts.")));
	}
	return construct_array(texts, (int) list->count, TEXTOID, -1, false,
						   TYPALIGN_INT);
}

/* qsort comparator: by position in the document. */
static int
compare_index(const void *a, const void *b)
{
	uint32		a_index = ((const Shingle *) a)->index;
	uint32		b_index = ((const Shingle *) b)->index;

	CHECK_FOR_INTERRUPTS();
	return a_index < b_index ? -1 : (a_index > b_index);
}

/* Return the shingles of a text in order; repetitions only for a bag. */
PG_FUNCTION_INFO_V1(shingles);
Datum
shingles(PG_FUNCTION_ARGS)
{
	text	   *document = PG_GETARG_TEXT_PP(0);
	uint32		shingling = check_text_shingling(PG_GETARG_UINT32(1));
	ShingleList list = shingle_list(document, shingling);

	if (!shingling_is_bag(shingling))
	{
		shingle_list_sort(&list);
		shingle_list_unique(&list);
		qsort(list.items, list.count, sizeof(Shingle), compare_index);
	}
	PG_RETURN_ARRAYTYPE_P(shingles_to_array(&list));
}
