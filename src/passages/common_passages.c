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

/* The passages that two texts share. */
typedef struct Shared
{
	const char *utf8;			/* the first text */
	Size		length;
	Units		units;			/* of the first text */
	Passage    *passages;		/* their places in it are in bytes */
	Size		count;
} Shared;

/* Return true if positions are in bytes: in SQL_ASCII a character is one. */
static bool
counts_bytes(void)
{
	return GetDatabaseEncoding() == PG_SQL_ASCII;
}

/* Add the units of a text in UTF-8, with their positions. */
static void
add_text(Units *units, uint32 run, const char *utf8, Size length, bool in_bytes)
{
	Cutter		cutter;

	cutter_begin(&cutter, run, utf8, length);
	cutter.in_bytes = in_bytes;
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
	text	   *a = PG_GETARG_TEXT_PP(0);
	text	   *b = PG_GETARG_TEXT_PP(1);
	Shared		shared;
	const char *utf8_b;
	Size		length_b;
	uint32		run = PG_GETARG_UINT32(2);
	PassageQuery query;
	HashTable	numbers;
	Units		units_b;

	/* "bag" makes no difference. */
	run = arg_check_text_shingling(run) & ~((uint32) SHINGLE_BAG << 16);
	passage_query_check(&query, run, PG_GETARG_INT32(3), PG_GETARG_INT32(4));
	shared.utf8 = utf8_from_bytes(VARDATA_ANY(a), VARSIZE_ANY_EXHDR(a), &shared.length);
	utf8_b = utf8_from_bytes(VARDATA_ANY(b), VARSIZE_ANY_EXHDR(b), &length_b);
	hash_table_begin(&numbers, 0, server_secret());
	units_begin(&units_b, &numbers, false);
	add_text(&units_b, query.run, utf8_b, length_b, counts_bytes());
	units_begin(&shared.units, &numbers, true);
	add_text(&shared.units, query.run, shared.utf8, shared.length, true);
	shared.count = passages_find(&shared.units, &units_b, &query.rule,
								 server_secret(), &shared.passages);
	return shared;
}

/* Count the characters of a part of a text. */
static uint32
count_characters(const char *part, Size length)
{
	return counts_bytes() ? (uint32) length :
		utf8_count((const uint8_t *) part, length);
}

/* Add the row of a passage that begins after some characters of the first text. */
static void
put_passage(Tuplestorestate *rows, TupleDesc desc, const char *part,
			uint32 before, uint32 characters, const Passage *passage)
{
	Datum		values[PASSAGE_COLUMNS];
	bool		nulls[PASSAGE_COLUMNS] = {false};
	text	   *content = utf8_to_text(part, passage->a.end - passage->a.start);

	values[0] = Int32GetDatum((int32) before + 1);
	values[1] = Int32GetDatum((int32) characters);
	values[2] = Int32GetDatum((int32) passage->b.start + 1);
	values[3] = Int32GetDatum((int32) (passage->b.end - passage->b.start));
	values[4] = PointerGetDatum(content);
	values[5] = Int32GetDatum((int32) passage->edits);
	values[6] = Int32GetDatum((int32) passage->equal);
	tuplestore_putvalues(rows, desc, values, nulls);
	pfree(content);
}

/* Return the passages that two texts share, in the order of the first. */
PG_FUNCTION_INFO_V1(common_passages);
Datum
common_passages(PG_FUNCTION_ARGS)
{
	Shared		shared = find_shared(fcinfo);
	TupleDesc	desc;
	Tuplestorestate *rows = row_begin(fcinfo, &desc);
	uint32		bytes = 0;		/* that have been read, of the first text */
	uint32		before = 0;		/* the same in characters */

	for (Size i = 0; i < shared.count; i++)
	{
		const Passage *passage = &shared.passages[i];
		const char *part = shared.utf8 + passage->a.start;
		uint32		characters = count_characters(part, passage->a.end - passage->a.start);

		before += count_characters(shared.utf8 + bytes, passage->a.start - bytes);
		put_passage(rows, desc, part, before, characters, passage);
		before += characters;
		bytes = passage->a.end;
	}
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
 * Join the units of a part of the text: up to a passage, or to the end.  Of the
 * other characters next to a passage, those stay that touch such a unit, unless
 * they are white space.
 */
static void
join_units(Rest *rest, const Shared *shared, Span part)
{
	const char *first = shared->utf8 + part.start;
	const char *last = shared->utf8 + part.end;
	const char *start;
	const char *end;
	Span		units;

	if (!read_units(rest, &shared->units, part, &units))
		return;
	start = shared->utf8 + units.start;
	end = shared->utf8 + units.end;
	while (start > first && (part.start == 0 || !is_ascii_space(start[-1])))
		start--;
	while (part.start > 0 && start < end && is_ascii_space(*start))
		start++;
	while (end < last && (part.end == shared->length || !is_ascii_space(*end)))
		end++;
	while (part.end < shared->length && start < end && is_ascii_space(end[-1]))
		end--;
	join_piece(rest, start, end);
}

/* Return a text without the passages that it shares with another. */
PG_FUNCTION_INFO_V1(text_without);
Datum
text_without(PG_FUNCTION_ARGS)
{
	Shared		shared = find_shared(fcinfo);
	Rest		rest = {0};
	Span		part = {0, 0};

	if (shared.count == 0)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	rest.utf8 = server_alloc_array(shared.length, 1);
	for (Size i = 0; i < shared.count; i++)
	{
		part.end = shared.passages[i].a.start;
		join_units(&rest, &shared, part);
		part.start = shared.passages[i].a.end;
	}
	part.end = (uint32) shared.length;
	join_units(&rest, &shared, part);
	PG_RETURN_TEXT_P(utf8_to_text(rest.utf8, rest.length));
}
