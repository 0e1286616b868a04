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
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/text/shingle.h"
#include "shingles.h"
#include "support/arguments.h"
#include "support/server_memory.h"
#include "support/utf8.h"

/* A text cut into units: code points, or words with a space between them. */
typedef struct CutText
{
	char	   *bytes;
	Size		length;
	Size		bytes_room;
	uint32	   *starts;			/* of each unit, and of one after the last */
	Size		count;
	Size		starts_room;
	Size		separator;		/* bytes between units */
} CutText;

/* Start a unit, after a space if it is a word that is not the first one. */
static void
start_unit(CutText *units)
{
	if (units->count + 1 == units->starts_room)
	{
		units->starts_room *= 2;
		units->starts = repalloc_huge(units->starts,
									  sizeof(uint32) * units->starts_room);
	}
	if (units->count > 0 && units->separator > 0)
		units->bytes[units->length++] = ' ';
	units->starts[units->count++] = (uint32) units->length;
}

/* Append a unit, a word's beginning, or what comes next in the word. */
static void
append_cut(CutText *units, const Cut *cut, bool in_word)
{
	if (units->bytes_room - units->length <= cut->length + CUTTER_TAIL)
	{
		if (units->length > MaxAllocSize)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("the text is too long to be cut into shingles"),
					 errdetail("Its normal form takes more than 1 GB."),
					 errhint("Cut the text into parts.")));
		units->bytes_room = 2 * units->bytes_room + cut->length;
		units->bytes = repalloc_huge(units->bytes, units->bytes_room);
	}
	if (!in_word)
		start_unit(units);
	if (cut->length <= 8)		/* the usual case, without a call */
		memcpy(units->bytes + units->length, cut->text, 8);
	else
		memcpy(units->bytes + units->length, cut->text, cut->length);
	units->length += cut->length;
}

/* Cut a text in UTF-8. */
static void
cut_text(const char *utf8, Size len, uint32 shingling, CutText *units)
{
	Cutter		cutter;
	Cut			cut = {0};
	int			found;

	*units = (CutText) {.bytes_room = len + CUTTER_TAIL,.starts_room = len / 4 + 2};
	units->bytes = alloc_array(units->bytes_room, 1);
	units->starts = alloc_array(units->starts_room, sizeof(uint32));
	cutter_begin(&cutter, shingling, utf8, len);
	units->separator = cutter.words;
	while (!cutter.done)
	{
		bool		in_word = cut.goes_on;

		CHECK_FOR_INTERRUPTS();
		found = cutter_next(&cutter, &cut);
		if (found < 0)
			report_not_utf8();
		if (found > 0)
			append_cut(units, &cut, in_word);
	}
	units->starts[units->count] = (uint32) (units->length + units->separator);
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
