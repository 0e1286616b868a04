/*-------------------------------------------------------------------------
 *
 * shared_passages.c
 *	  Show why two texts are similar: the passages that they share.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "compat.h"
#include "core/passages.h"
#include "core/shingling.h"
#include "lshsim.h"
#include "support/arguments.h"
#include "support/server_memory.h"
#include "support/utf8.h"

#define PASSAGE_COLUMNS 5

/* What is left to be returned. */
typedef struct PassageList
{
	Passage    *passages;
	Size		count;
	Size		next;
	char	   *bytes;			/* the first text, in UTF-8 */
	uint32		position;		/* in its characters */
	Size		offset;			/* the same in bytes */
	bool		in_bytes;		/* a character is a byte */
	TupleDesc	desc;
} PassageList;

/* Refuse texts that would take too much memory. */
static void
report_too_long(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("the texts are too long to be searched for shared passages"),
			 errdetail("Together they may have %zu characters or words.",
					   PASSAGES_MAX_UNITS - 2),
			 errhint("Cut the texts into parts.")));
}

/* Cut a text into units. */
static void
add_text(Units *units, uint32 shingling, const char *utf8, Size length)
{
	if (!units_add_text(units, shingling, utf8, length))
		report_not_utf8();
	passages_end_text(units);
	if (units->full)
		report_too_long();
}

/* Find the passages of two texts in UTF-8. */
static void
find_passages(PassageList *list, uint32 shingling, const char *a, Size a_length,
			  const char *b, Size b_length)
{
	Units		units;
	Size		count_a;
	Size		room = Min(a_length + b_length + 2, PASSAGES_MAX_UNITS);

	if (shingling_unit(shingling) == SHINGLE_WORD)
		room = room / 4 + 2;	/* a guess; the array grows as needed */
	units_begin(&units, room, PASSAGES_MAX_UNITS, lshsim_secret(), &server_memory);
	units.in_bytes = list->in_bytes;
	add_text(&units, shingling, a, a_length);
	count_a = units.count - 1;
	add_text(&units, shingling, b, b_length);
	list->count = passages_find(&units, count_a,
								(Size) shingling_size(shingling),
								&list->passages);
	units_end(&units);
}

/* Find all passages at the first call. */
static PassageList *
begin_passages(FunctionCallInfo fcinfo, MemoryContext context)
{
	text	   *a = PG_GETARG_TEXT_PP(0);
	text	   *b = PG_GETARG_TEXT_PP(1);
	uint32		shingling = check_text_shingling(PG_GETARG_UINT32(2));
	PassageList *list = MemoryContextAllocZero(context, sizeof(PassageList));
	MemoryContext caller = MemoryContextSwitchTo(context);
	Size		a_length;
	Size		b_length;
	char	   *b_text;

	if (get_call_result_type(fcinfo, NULL, &list->desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	list->desc = BlessTupleDesc(list->desc);
	list->in_bytes = GetDatabaseEncoding() == PG_SQL_ASCII;
	list->bytes = bytes_to_utf8(VARDATA_ANY(a), VARSIZE_ANY_EXHDR(a), &a_length);
	if (list->bytes == VARDATA_ANY(a))
	{
		list->bytes = server_memory.allocate(a_length);
		memcpy(list->bytes, VARDATA_ANY(a), a_length);
	}
	b_text = bytes_to_utf8(VARDATA_ANY(b), VARSIZE_ANY_EXHDR(b), &b_length);
	find_passages(list, shingling, list->bytes, a_length, b_text, b_length);
	MemoryContextSwitchTo(caller);
	return list;
}

/* Move on by some characters of the first text; return where it was. */
static const char *
move_on(PassageList *list, uint32 characters)
{
	const char *text = list->bytes + list->offset;

	for (uint32 i = 0; i < characters; i++)
	{
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		list->offset += list->in_bytes ? 1 :
			(Size) pg_utf_mblen((unsigned char *) list->bytes + list->offset);
	}
	list->position += characters;
	return text;
}

/* Make a text of a passage of the first text. */
static Datum
passage_text(PassageList *list, const Passage *passage)
{
	const char *start;

	move_on(list, passage->start_a - list->position);
	start = move_on(list, passage->length_a);
	return PointerGetDatum(utf8_to_text(start, list->bytes + list->offset - start));
}

/* Make the row of the next passage. */
static Datum
next_passage(PassageList *list)
{
	const Passage *passage = &list->passages[list->next++];
	Datum		values[PASSAGE_COLUMNS];
	bool		nulls[PASSAGE_COLUMNS] = {false};

	values[0] = Int32GetDatum((int32) passage->start_a + 1);
	values[1] = Int32GetDatum((int32) passage->length_a);
	values[2] = Int32GetDatum((int32) passage->start_b + 1);
	values[3] = Int32GetDatum((int32) passage->length_b);
	values[4] = passage_text(list, passage);
	return HeapTupleGetDatum(heap_form_tuple(list->desc, values, nulls));
}

/* Return the passages that two texts share, in the order of the first. */
PG_FUNCTION_INFO_V1(shared_passages);
Datum
shared_passages(PG_FUNCTION_ARGS)
{
	FuncCallContext *context;
	PassageList *list;

	if (SRF_IS_FIRSTCALL())
	{
		context = SRF_FIRSTCALL_INIT();
		context->user_fctx = begin_passages(fcinfo,
											context->multi_call_memory_ctx);
	}
	context = SRF_PERCALL_SETUP();
	list = context->user_fctx;
	if (list->next == list->count)
		SRF_RETURN_DONE(context);
	SRF_RETURN_NEXT(context, next_passage(list));
}
