/*-------------------------------------------------------------------------
 *
 * common_passages.c
 *	  The SQL functions common_passages, which lists the passages that two texts
 *	  share, and text_without, which removes them from the first.
 *
 * core/passages/passages.c finds them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "core/passages/passages.h"
#include "passage_query.h"
#include "support/arguments.h"
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

/* The passages that two texts share. */
typedef struct Shared
{
	TextReader	a;				/* the first text */
	Units		units;			/* of the first text */
	Passage    *passages;
	Size		count;
} Shared;

/* Start to read a text. */
static TextReader
read_text(text *document)
{
	TextReader	reader = {.in_bytes = GetDatabaseEncoding() == PG_SQL_ASCII};

	reader.bytes = utf8_from_bytes(VARDATA_ANY(document),
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
		units_add(units, &cutter);
		if (units->count > PASSAGES_MAX_UNITS)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("texts are too long to be searched for shared passages"),
					 errdetail("Each may have %zu characters or words.",
							   PASSAGES_MAX_UNITS),
					 errhint("Cut the texts into parts.")));
	}
	pfree(cutter.spans);
}

/* Find the passages of the two texts of a call. */
static Shared
find_shared(FunctionCallInfo fcinfo)
{
	Shared		shared = {.a = read_text(PG_GETARG_TEXT_PP(0))};
	TextReader	b = read_text(PG_GETARG_TEXT_PP(1));
	uint32		run = PG_GETARG_UINT32(2);
	PassageQuery query;
	Interner	interner;
	Units		units_b;

	/* "bag" makes no difference. */
	run = arg_check_text_shingling(run) & ~((uint32) SHINGLE_BAG << 16);
	passage_query_check(&query, run, PG_GETARG_INT32(3), PG_GETARG_INT32(4));
	intern_begin(&interner, server_secret(), &server_memory);
	units_begin(&units_b, &interner, false, &server_memory);
	add_text(&units_b, query.run, &b);
	units_begin(&shared.units, &interner, true, &server_memory);
	add_text(&shared.units, query.run, &shared.a);
	shared.count = passages_find(&shared.units, &units_b, &query.rule,
								 server_secret(), &shared.passages);
	return shared;
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
PG_FUNCTION_INFO_V1(common_passages);
Datum
common_passages(PG_FUNCTION_ARGS)
{
	Shared		shared = find_shared(fcinfo);
	TupleDesc	desc;
	Tuplestorestate *rows = row_begin(fcinfo, &desc);

	for (Size i = 0; i < shared.count; i++)
		put_passage(rows, desc, &shared.a, &shared.passages[i]);
	return (Datum) 0;
}

/*** A text without its passages ***/

/* The pieces of the first text that have been joined. */
typedef struct Rest
{
	char	   *utf8;
	Size		length;
	const char *end;			/* of the last piece in the text, or NULL */
	Size		unit;			/* the first that has not been read */
} Rest;

/* Return true if a byte is white space of ASCII. */
static inline bool
is_blank(char byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* Read the units of a part of the text; return false if there are none. */
static bool
read_units(Rest *rest, const Units *units, Span part, Span *found)
{
	const Span *span = units->spans + rest->unit;
	const Span *end = units->spans + units->count;

	while (span < end && span->start < part.start)
		span++;
	*found = (Span) {span < end ? span->start : part.end, 0};
	for (; span < end && span->start < part.end; span++)
		found->end = Min(span->end, part.end);
	rest->unit = span - units->spans;
	return found->end > 0;
}

/*
 * Join a piece to those before it, by a line break if the text has one between
 * them.  So lines remain lines, and words remain words.
 */
static void
join_piece(Rest *rest, const char *start, const char *end)
{
	if (start == end)
		return;
	if (rest->end != NULL)
		rest->utf8[rest->length++] =
			memchr(rest->end, '\n', start - rest->end) != NULL ? '\n' : ' ';
	memcpy(rest->utf8 + rest->length, start, end - start);
	rest->length += end - start;
	rest->end = end;
}

/*
 * Join the units up to a passage, or to the end of the text.  Of the other
 * characters next to a passage, those stay that touch such a unit, unless they
 * are white space.
 */
static void
join_units(Rest *rest, Shared *shared, uint32 part_end)
{
	TextReader *a = &shared->a;
	Span		part = {a->position, part_end};
	Span		units;
	const char *begin = a->bytes + a->offset;
	const char *start;
	const char *end;

	if (!read_units(rest, &shared->units, part, &units))
		return;
	read_characters(a, units.start - a->position);
	start = read_characters(a, units.end - units.start);
	end = a->bytes + a->offset;
	if (part.start == 0)
		start = begin;
	else
	{
		while (start > begin && !is_blank(start[-1]))
			start--;
		while (start < end && is_blank(*start))
			start++;
	}
	if (part.end == UINT32_MAX)
		end = a->bytes + a->length;
	else
	{
		read_characters(a, part.end - a->position);
		while (end < a->bytes + a->offset && !is_blank(*end))
			end++;
		while (start < end && is_blank(end[-1]))
			end--;
	}
	join_piece(rest, start, end);
}

/* Return a text without the passages that it shares with another. */
PG_FUNCTION_INFO_V1(text_without);
Datum
text_without(PG_FUNCTION_ARGS)
{
	Shared		shared = find_shared(fcinfo);
	Rest		rest = {0};

	if (shared.count == 0)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	rest.utf8 = server_alloc_array(shared.a.length, 1);
	for (Size i = 0; i < shared.count; i++)
	{
		join_units(&rest, &shared, shared.passages[i].a.start);
		read_characters(&shared.a,
						shared.passages[i].a.end - shared.a.position);
	}
	join_units(&rest, &shared, UINT32_MAX);
	PG_RETURN_TEXT_P(utf8_to_text(rest.utf8, rest.length));
}
