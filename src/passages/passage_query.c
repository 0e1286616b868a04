/*-------------------------------------------------------------------------
 *
 * passage_query.c
 *	  The type passage_query: a text, and the run that another must share.
 *
 * An operator has two operands, so the right operand of &&~ carries the run.
 * The type is composite: it needs no input and output functions, and a user
 * can build it from columns.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/typcache.h"

#include "compat.h"
#include "core/shingling.h"
#include "passage_query.h"
#include "support/arguments.h"

#define QUERY_COLUMNS 2

/* Return a shingling that is valid as a run. */
uint32
check_run(uint32 shingling)
{
	check_text_shingling(shingling);
	if (shingling_is_bag(shingling))
	{
		char		str[SHINGLING_TEXT_SIZE];

		shingling_print(shingling, str);
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("shingling \"%s\" does not apply to passages", str),
				 errdetail("A passage is shared no matter how often it occurs."),
				 errhint("Leave out \"bag\".")));
	}
	return shingling;
}

/* Refuse a composite type that does not begin with a text and a shingling. */
static void
check_query_type(TupleDesc desc)
{
	if (desc->natts < QUERY_COLUMNS ||
		TupleDescAttr(desc, 0)->atttypid != TEXTOID ||
		TupleDescAttr(desc, 1)->attlen != sizeof(uint32) ||
		!TupleDescAttr(desc, 1)->attbyval)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("type %s does not begin with a text and a shingling",
						format_type_be(desc->tdtypeid)),
				 errdetail("The type has been altered."),
				 errhint("Create the extension again.")));
}

/* Read a value of type passage_query. */
bool
passage_query_read(Datum datum, PassageQuery *query)
{
	HeapTupleHeader header = DatumGetHeapTupleHeader(datum);
	TupleDesc	desc = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(header),
											  HeapTupleHeaderGetTypMod(header));
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(header),
	.t_data = header};
	Datum		values[QUERY_COLUMNS];
	bool		nulls[QUERY_COLUMNS];

	check_query_type(desc);
	for (int i = 0; i < QUERY_COLUMNS; i++)
		values[i] = heap_getattr(&tuple, i + 1, desc, &nulls[i]);
	ReleaseTupleDesc(desc);
	if (nulls[0] || nulls[1])
		return false;
	query->document = DatumGetTextPP(values[0]);
	query->run = check_run(DatumGetUInt32(values[1]));
	return true;
}

/* Make a query of a text and a run. */
PG_FUNCTION_INFO_V1(passage_query);
Datum
passage_query(PG_FUNCTION_ARGS)
{
	TupleDesc	desc;
	Datum	   *values;
	bool	   *nulls;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	check_query_type(desc);
	values = palloc0(sizeof(Datum) * (Size) desc->natts);
	nulls = palloc(sizeof(bool) * (Size) desc->natts);
	memset(nulls, true, sizeof(bool) * (Size) desc->natts);
	for (int i = 0; i < QUERY_COLUMNS; i++)
	{
		values[i] = PG_GETARG_DATUM(i);
		nulls[i] = false;
	}
	check_run(DatumGetUInt32(values[1]));
	PG_RETURN_HEAPTUPLEHEADER(heap_form_tuple(BlessTupleDesc(desc), values,
											  nulls)->t_data);
}
