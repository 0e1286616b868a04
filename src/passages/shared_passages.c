/*-------------------------------------------------------------------------
 *
 * shared_passages.c
 *	  The SQL function shared_passages: passages that two texts share.
 *
 * core/passages.c finds them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "compat.h"
#include "core/passages.h"
#include "core/shingling.h"
#include "support/arguments.h"
#include "support/row.h"
#include "support/server_memory.h"
#include "support/utf8.h"

#define PASSAGE_COLUMNS 5

/* A text in UTF-8, which is read from its start to its end. */
typedef struct TextReader
{
	const char *bytes;
	Size		length;
	uint32		position;		/* characters that have been read */
	Size		offset;			/* the same in bytes */
	bool		in_bytes;		/* SQL_ASCII: a character is a byte */
} TextReader;

/* Start to read a text. */
static TextReader
read_text(text *document)
{
	TextReader	reader = {.in_bytes = GetDatabaseEncoding() == PG_SQL_ASCII};

	reader.bytes = bytes_to_utf8(VARDATA_ANY(document),
								 VARSIZE_ANY_EXHDR(document), &reader.length);
	return reader;
}

/* Add the units of a text. */
static void
add_text(Units *units, uint32 shingling, const TextReader *text)
{
	if (!units_add_text(units, shingling, text->bytes, text->length))
		report_not_utf8();
	passages_end_text(units);
	if (units->full)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the texts are too long to be searched for shared passages"),
				 errdetail("Together they may have %zu characters or words.",
						   PASSAGES_MAX_UNITS - 2),
				 errhint("Cut the texts into parts.")));
}

/* Find the passages of two texts; return their number. */
static Size
find_passages(const TextReader *a, const TextReader *b, uint32 shingling,
			  Passage **passages)
{
	Units		units;
	Size		count;
	Size		room = Min(a->length + b->length + 2, PASSAGES_MAX_UNITS);

	if (shingling_unit(shingling) == SHINGLE_WORD)
		room = room / 4 + 2;	/* a guess; the array grows as needed */
	units_begin(&units, room, PASSAGES_MAX_UNITS, lshsim_secret(), &server_memory);
	units.in_bytes = a->in_bytes;
	add_text(&units, shingling, a);
	count = units.count - 1;
	add_text(&units, shingling, b);
	count = passages_find(&units, count, (Size) shingling_size(shingling),
						  passages);
	units_end(&units);
	return count;
}

/* Read some characters of a text; return where they start. */
static const char *
read_characters(TextReader *reader, uint32 characters)
{
	const char *start = reader->bytes + reader->offset;

	for (uint32 i = 0; i < characters; i++)
	{
		CHECK_FOR_INTERRUPTS();
		reader->offset += reader->in_bytes ? 1 :
			(Size) pg_utf_mblen((const unsigned char *) reader->bytes + reader->offset);
	}
	reader->position += characters;
	return start;
}

/* Add the row of a passage, not earlier in the first text than the last one. */
static void
put_passage(Tuplestorestate *rows, TupleDesc desc, TextReader *a,
			const Passage *passage)
{
	Datum		values[PASSAGE_COLUMNS];
	bool		nulls[PASSAGE_COLUMNS] = {false};
	const char *start;

	read_characters(a, passage->start_a - a->position);
	start = read_characters(a, passage->length_a);
	values[0] = Int32GetDatum((int32) passage->start_a + 1);
	values[1] = Int32GetDatum((int32) passage->length_a);
	values[2] = Int32GetDatum((int32) passage->start_b + 1);
	values[3] = Int32GetDatum((int32) passage->length_b);
	values[4] = PointerGetDatum(utf8_to_text(start, a->bytes + a->offset - start));
	tuplestore_putvalues(rows, desc, values, nulls);
	pfree(DatumGetPointer(values[4]));
}

/* Return the passages that two texts share, in the order of the first. */
PG_FUNCTION_INFO_V1(shared_passages);
Datum
shared_passages(PG_FUNCTION_ARGS)
{
	TextReader	a = read_text(PG_GETARG_TEXT_PP(0));
	TextReader	b = read_text(PG_GETARG_TEXT_PP(1));
	uint32		shingling = check_text_shingling(PG_GETARG_UINT32(2));
	TupleDesc	desc;
	Tuplestorestate *rows = begin_rows(fcinfo, &desc);
	Passage    *passages;
	Size		count = find_passages(&a, &b, shingling, &passages);

	for (Size i = 0; i < count; i++)
		put_passage(rows, desc, &a, &passages[i]);
	return (Datum) 0;
}
