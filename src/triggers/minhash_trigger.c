/*-------------------------------------------------------------------------
 *
 * minhash_trigger.c
 *	  A trigger that keeps a signature column up to date.
 *
 *	CREATE TRIGGER ... BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE
 *		FUNCTION minhash_trigger('sig', 'word:3', 128, 'title', 'body')
 *
 * The sources are one or more text columns, or one array or tsvector column.
 * The shingling of an array column is "integer", "text" or "other", as that of
 * its signatures, and that of a tsvector column is "lexeme".  Texts that are
 * not null are joined with newlines; if all are null, so is the signature.
 *
 * An UPDATE that changes neither a source column nor the signature does not
 * recompute the signature, unless it is null, as in rows inserted before the
 * trigger was created, or has other parameters than the trigger's.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "sign/to_minhash.h"
#include "support/arguments.h"
#include "support/objects.h"
#include "support/row_trigger.h"
#include "support/utf8.h"
#include "type/minhash_io.h"

#define FIRST_SOURCE 3			/* index of a trigger argument */

/* Find the signature column, and check that the trigger can set it. */
static Form_pg_attribute
find_target(FunctionCallInfo fcinfo, int num_hashes)
{
	Form_pg_attribute target = trigger_target((TriggerData *) fcinfo->context, 0);

	name_check_signature(fcinfo, NameStr(target->attname), target->atttypid);
	if (target->atttypmod != -1 &&
		target->atttypmod != MINHASH_TYPMOD(num_hashes))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" holds signatures of %d hashes, not %d",
						NameStr(target->attname),
						MINHASH_TYPMOD_HASHES(target->atttypmod), num_hashes)));
	return target;
}

/* Return true if the values of a type have the bytes of a text. */
static bool
is_text_type(Oid type)
{
	return type == TEXTOID || type == BPCHAROID ||
		IsBinaryCoercible(type, TEXTOID);
}

/* Find a source column, and check that the trigger can read it. */
static Form_pg_attribute
find_source(const TriggerData *call, int arg)
{
	Form_pg_attribute source = trigger_column(call, arg);
	Oid			type = getBaseType(source->atttypid);
	bool		is_only = call->tg_trigger->tgnargs == FIRST_SOURCE + 1;

	if (source->attgenerated)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" is a generated column",
						NameStr(source->attname)),
				 errdetail("Its value is computed after the trigger has run."),
				 errhint("Make the signature a generated column, too, of the same columns.")));
	if (!is_text_type(type) &&
		!(is_only && (type == TSVECTOROID || OidIsValid(get_element_type(type)))))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("minhash_trigger cannot read column \"%s\" of type %s",
						NameStr(source->attname), format_type_be(source->atttypid)),
				 is_only ? errhint("A source column must be a text, an array or a tsvector.") :
				 errhint("If there are several source columns, all must be texts.")));
	return source;
}

/* Check that the shingling is that of the elements of a source column. */
static void
check_shingling(Form_pg_attribute source, uint32 shingling, uint32 expected)
{
	if (shingling != expected)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("shingling \"%s\" does not apply to column \"%s\" of type %s",
						arg_shingling_text(shingling), NameStr(source->attname),
						format_type_be(source->atttypid)),
				 errhint("Use \"%s\".", arg_shingling_text(expected))));
}

/* Fetch a column of the row to store. */
static Datum
new_value(const TriggerData *call, Form_pg_attribute column, bool *isnull)
{
	return SPI_getbinval(trigger_new_row(call),
						 RelationGetDescr(call->tg_relation), column->attnum,
						 isnull);
}

/*
 * Return true if the signature of a row must be computed: always, except on an
 * update that changes no column and finds a signature of the right kind.
 */
static bool
needs_signature(const TriggerData *call, Form_pg_attribute target,
				const MinHashKind *kind)
{
	HeapTuple	row = trigger_new_row(call);
	bool		isnull;
	Datum		sig;

	if (!TRIGGER_FIRED_BY_UPDATE(call->tg_event))
		return true;
	sig = new_value(call, target, &isnull);
	if (isnull || trigger_column_changes(call, row, target) ||
		!minhash_is_of_kind(DatumGetMinHash(sig), kind))
		return true;
	for (int arg = FIRST_SOURCE; arg < call->tg_trigger->tgnargs; arg++)
		if (trigger_column_changes(call, row, find_source(call, arg)))
			return true;
	return false;
}

/* Make the signature of the text columns of a row; NULL if all are null. */
static MinHash *
signature_of_texts(const TriggerData *call, const MinHashKind *kind)
{
	StringInfoData joined;
	bool		found = false;

	initStringInfo(&joined);
	for (int arg = FIRST_SOURCE; arg < call->tg_trigger->tgnargs; arg++)
	{
		Form_pg_attribute source = find_source(call, arg);
		bool		isnull;
		Datum		value = new_value(call, source, &isnull);
		char	   *bytes;
		Size		len;

		if (isnull)
			continue;
		bytes = utf8_string_bytes(getBaseType(source->atttypid), value, &len);
		if (found)
			appendStringInfoChar(&joined, '\n');
		appendBinaryStringInfo(&joined, bytes, (int) len);
		found = true;
	}
	return found ? minhash_of_text(joined.data, joined.len, kind) : NULL;
}

/* Make the signature of a row; NULL if all source columns are null. */
static MinHash *
signature_of_row(FunctionCallInfo fcinfo, const MinHashKind *kind)
{
	const TriggerData *call = (TriggerData *) fcinfo->context;
	Form_pg_attribute source = find_source(call, FIRST_SOURCE);
	Oid			type = getBaseType(source->atttypid);
	const ElementType *element = NULL;
	bool		isnull;
	Datum		value = new_value(call, source, &isnull);

	if (is_text_type(type))
	{
		(void) arg_check_text_shingling(kind->shingling);
		return signature_of_texts(call, kind);
	}
	if (type != TSVECTOROID)
		element = element_type_lookup(fcinfo->flinfo, get_element_type(type));
	check_shingling(source, kind->shingling,
					SHINGLING(element == NULL ? SHINGLE_LEXEME : element->unit, 0, 0));
	if (isnull)
		return NULL;
	if (element == NULL)
		return minhash_of_tsvector(DatumGetTSVector(value), kind);
	return minhash_of_array(DatumGetArrayTypeP(value), kind, element);
}

/* Set the signature column of a row. */
PG_FUNCTION_INFO_V1(minhash_trigger);
Datum
minhash_trigger(PG_FUNCTION_ARGS)
{
	TriggerData *call = check_row_trigger(fcinfo, "minhash_trigger");
	char	  **args = call->tg_trigger->tgargs;
	MinHashKind kind = {.method = SKETCH_ONE_PERMUTATION};
	Form_pg_attribute target;
	MinHash    *sig;

	if (call->tg_trigger->tgnargs <= FIRST_SOURCE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("minhash_trigger needs at least four arguments, not %d",
						call->tg_trigger->tgnargs),
				 errhint("Write minhash_trigger('signature column', 'shingling', number of hashes, 'source column', ...).")));
	kind.num_hashes = arg_check_num_hashes(pg_strtoint32(args[2]));
	target = find_target(fcinfo, kind.num_hashes);
	kind.shingling = DatumGetUInt32(DirectFunctionCall1(shingling_in,
														CStringGetDatum(args[1])));
	if (!needs_signature(call, target, &kind))
		return PointerGetDatum(trigger_new_row(call));
	sig = signature_of_row(fcinfo, &kind);
	return trigger_set_column(call, target, PointerGetDatum(sig), sig == NULL);
}
