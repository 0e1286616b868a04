/*-------------------------------------------------------------------------
 *
 * shared_passages.c
 *	  The SQL function shared_passages: passages that two texts share.
 *
 * core/passages/passages.c finds them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "compat.h"
#include "core/passages/passages.h"
#include "passage_query.h"
#include "support/arguments.h"
#include "support/row.h"
#include "support/server_memory.h"
#include "support/utf8.h"

#define PASSAGE_COLUMNS 7

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

/* Add the units of a text, with their positions. */
static void
add_text(Units *units, uint32 run, const TextReader *text)
{
	Cutter		cutter;

	cutter_begin(&cutter, run, text->bytes, text->length);
	cutter.in_bytes = text->in_bytes;

	cutter.spans = palloc(sizeof(Span) * CUTTER_BUFFER);
	while (!cutter.done)
	{
		CHECK_FOR_INTERRUPTS();
		if (!units_add(units, &cutter))
			report_not_utf8();
		if (units->count > PASSAGES_MAX_UNITS)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("the texts are too long to be searched for shared passages"),
					 errdetail("Each may have %zu characters or words.",
							   PASSAGES_MAX_UNITS),
					 errhint("Cut the texts into parts.")));
	}
	pfree(cutter.spans);
}

/* Find the passages of two texts; return their number. */
static Size
find_passages(const TextReader *a, const TextReader *b,
			  const PassageQuery *query, Passage **passages)
{
	Interner	interner;
	Units		units_a;
	Units		units_b;

	intern_begin(&interner, lshsim_secret(), &server_memory);
	units_begin(&units_b, &interner, false, 0, &server_memory);
	add_text(&units_b, query->run, b);
	units_begin(&units_a, &interner, true, 0, &server_memory);
	add_text(&units_a, query->run, a);
	return passages_find(&units_a, &units_b, &query->rule, lshsim_secret(),
						 passages);
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

	read_characters(a, passage->a.start - a->position);
	start = read_characters(a, passage->a.end - passage->a.start);
	values[0] = Int32GetDatum((int32) passage->a.start + 1);
	values[1] = Int32GetDatum((int32) (passage->a.end - passage->a.start));
	values[2] = Int32GetDatum((int32) passage->b.start + 1);
	values[3] = Int32GetDatum((int32) (passage->b.end - passage->b.start));
	values[5] = Int32GetDatum((int32) passage->edits);
	values[6] = Int32GetDatum((int32) passage->equal);
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
	uint32		run = PG_GETARG_UINT32(2);
	PassageQuery query;
	TupleDesc	desc;
	Tuplestorestate *rows;
	Passage    *passages;
	Size		count;

	/* "bag" makes no difference. */
	run = check_text_shingling(run) & ~((uint32) SHINGLE_BAG << 16);
	passage_query_check(&query, run, PG_GETARG_INT32(3), PG_GETARG_INT32(4));
	rows = begin_rows(fcinfo, &desc);
	count = find_passages(&a, &b, &query, &passages);
	for (Size i = 0; i < count; i++)
		put_passage(rows, desc, &a, &passages[i]);
	return (Datum) 0;
}
