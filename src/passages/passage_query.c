/*-------------------------------------------------------------------------
 *
 * passage_query.c
 *	  The type passage_query: a text, and what another must share with it.
 *
 * An operator has two operands, so the right operand of &&~ carries the rule.
 * The type is composite: it needs no input and output functions, and a user
 * can build it from columns.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/typcache.h"

#include "compat.h"
#include "core/text/shingling.h"
#include "passage_query.h"
#include "support/arguments.h"

#define QUERY_COLUMNS 4

/* Return a shingling that is valid as a run. */
uint32
passage_check_run(uint32 shingling)
{
	arg_check_text_shingling(shingling);
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

/* Return true if a length is in the range for a run. */
static bool
length_is_valid(uint32 run, int32 length)
{
	return length == 0 ||
		(length >= shingling_size(run) && length <= PASSAGE_MAX_LENGTH);
}

/* Set all of a query but its text. */
bool
passage_query_set(PassageQuery *query, uint32 run, int32 length, int32 edits)
{
	int32		size = shingling_size(run);
	uint32		seed;

	if (!shingling_is_valid(run) || !shingling_is_for_text(run) ||
		shingling_is_bag(run))
		return false;
	if (!length_is_valid(run, length) || edits < 0 || edits > PASSAGE_MAX_EDITS)
		return false;
	query->run = run;
	query->rule = (PassageRule) {
		(uint32) size, (uint32) (length == 0 ? size : length), (uint32) edits
	};
	seed = Min(passage_seed_size(&query->rule), SHINGLE_MAX_SIZE);
	query->seed = SHINGLING(shingling_unit(run), seed, run >> 16);
	return true;
}

/* Set all of a query but its text, or report an error. */
void
passage_query_check(PassageQuery *query, uint32 run, int32 length, int32 edits)
{
	if (passage_query_set(query, passage_check_run(run), length, edits))
		return;
	if (!length_is_valid(run, length))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid value for argument \"%s\": %d", "length", length),
				 errdetail("Valid values are between %d, the units of the run, and %d; 0 stands for the run.",
						   shingling_size(run), PASSAGE_MAX_LENGTH)));
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid value for argument \"%s\": %d", "edits", edits),
			 errdetail("Valid values are between 0 and %d.", PASSAGE_MAX_EDITS)));
}

/* Refuse a composite type whose first columns are not those of a query. */
static void
check_query_type(TupleDesc desc)
{
	if (desc->natts < QUERY_COLUMNS ||
		TupleDescAttr(desc, 0)->atttypid != TEXTOID ||
		TupleDescAttr(desc, 1)->attlen != sizeof(uint32) ||
		!TupleDescAttr(desc, 1)->attbyval ||
		TupleDescAttr(desc, 2)->atttypid != INT4OID ||
		TupleDescAttr(desc, 3)->atttypid != INT4OID)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("type %s does not begin with a text, a shingling and two integers",
						format_type_be(desc->tdtypeid)),
				 errdetail("The type has been altered."),
				 errhint("Create the extension again.")));
}

/*
 * Read a value of type passage_query.  DatumGetHeapTupleHeader() and heap_getattr()
 * are not the same in all minor releases, see CONTRIBUTING.md.
 */
bool
passage_query_read(Datum datum, bool check, PassageQuery *query)
{
	HeapTupleHeader header = (HeapTupleHeader) PG_DETOAST_DATUM(datum);
	TupleDesc	desc = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(header),
											  HeapTupleHeaderGetTypMod(header));
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(header),
	.t_data = header};
	Datum		values[QUERY_COLUMNS];
	bool		isnull[QUERY_COLUMNS];
	uint32		run;
	int32		length;
	int32		edits;

	check_query_type(desc);
	for (int i = 0; i < QUERY_COLUMNS; i++)
		values[i] = SPI_getbinval(&tuple, desc, i + 1, &isnull[i]);
	ReleaseTupleDesc(desc);
	if (isnull[0] || isnull[1] || isnull[2] || isnull[3])
		return false;
	query->document = DatumGetTextPP(values[0]);
	run = DatumGetUInt32(values[1]);
	length = DatumGetInt32(values[2]);
	edits = DatumGetInt32(values[3]);
	if (check)
		passage_query_check(query, run, length, edits);
	return check || passage_query_set(query, run, length, edits);
}

/* Make a query of a text, a run, a length and a number of edits. */
PG_FUNCTION_INFO_V1(passage_query);
Datum
passage_query(PG_FUNCTION_ARGS)
{
	TupleDesc	desc;
	Datum	   *values;
	bool	   *nulls;
	PassageQuery query;

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
	passage_query_check(&query, PG_GETARG_UINT32(1), PG_GETARG_INT32(2),
						PG_GETARG_INT32(3));
	PG_RETURN_HEAPTUPLEHEADER(heap_form_tuple(BlessTupleDesc(desc), values,
											  nulls)->t_data);
}
