/*-------------------------------------------------------------------------
 *
 * minhash_check_trigger.c
 *	  A trigger that flags, skips or rejects rows similar to an earlier one.
 *
 *	CREATE TRIGGER ... BEFORE INSERT OR UPDATE ON docs FOR EACH ROW EXECUTE
 *		FUNCTION minhash_check_trigger('sig', 0.8, 'flag', 'copy_of')
 *
 * The server computes generated columns after BEFORE triggers, so the trigger
 * evaluates the expression of the signature column itself.  A column that is not
 * generated is refused, because another trigger could set it later, and this one
 * would compare an old value.
 *
 * Two sessions that insert similar rows do not see each other's row.  Similar
 * signatures have a band key in common, so the trigger takes an advisory lock on
 * every key of a row before it searches: the later session waits for the end of
 * the earlier transaction.  Its search then needs a snapshot taken after the
 * wait, which only READ COMMITTED provides.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/partition.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "rewrite/rewriteHandler.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"

#include "core/bands.h"
#include "search/banding.h"
#include "support/arguments.h"
#include "support/names.h"
#include "support/row_trigger.h"
#include "support/saved_plans.h"

/* Return the action of a trigger, and check that its arguments fit. */
static const char *
check_action(const TriggerData *call)
{
	int			count = call->tg_trigger->tgnargs;
	const char *action = count > 2 ? call->tg_trigger->tgargs[2] : "";

	if (!(count == 3 && (strcmp(action, "skip") == 0 || strcmp(action, "reject") == 0)) &&
		!(count == 4 && strcmp(action, "flag") == 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid arguments for minhash_check_trigger"),
				 errhint("The arguments are a signature column, a threshold, and 'skip', 'reject', or 'flag' with a column for the key.")));
	if (strcmp(action, "skip") == 0 && TRIGGER_FIRED_BY_UPDATE(call->tg_event))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("minhash_check_trigger cannot skip an update"),
				 errhint("Create the trigger BEFORE INSERT only, or use the action 'flag' or 'reject'.")));
	return action;
}

/* Find the column of signatures. */
static Form_pg_attribute
find_signature(FunctionCallInfo fcinfo)
{
	Form_pg_attribute column = trigger_column((TriggerData *) fcinfo->context, 0);

	check_signature_type(fcinfo, NameStr(column->attname), column->atttypid);
	if (!column->attgenerated)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("column \"%s\" is not a generated column",
						NameStr(column->attname)),
				 errdetail("Another trigger could change it after the check."),
				 errhint("Declare it as GENERATED ALWAYS AS (to_minhash(...)) STORED.")));
	return column;
}

/* Return the table to search: that of the trigger, or the root of a partition. */
static Oid
table_to_search(const TriggerData *call)
{
	Oid			table = RelationGetRelid(call->tg_relation);

	if (call->tg_relation->rd_rel->relispartition)
		table = llast_oid(get_partition_ancestors(table));
	if (check_enable_rls(table, InvalidOid, true) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("cannot check for near-duplicates in table \"%s\"",
						get_rel_name(table)),
				 errdetail("Row-level security would hide rows of the table from the search.")));
	return table;
}

/* Compute the generated signature of the row to store. */
static Datum
compute_signature(const TriggerData *call, Form_pg_attribute column, bool *isnull)
{
	EState	   *estate = CreateExecutorState();
	ExprContext *context = GetPerTupleExprContext(estate);
	Expr	   *expression = (Expr *) build_column_default(call->tg_relation,
														   column->attnum);
	ExprState  *state = ExecPrepareExpr(expression, estate);
	Datum		sig;

	context->ecxt_scantuple = TRIGGER_FIRED_BY_UPDATE(call->tg_event) ?
		call->tg_newslot : call->tg_trigslot;
	sig = ExecEvalExpr(state, context, isnull);
	if (!*isnull)
		sig = PointerGetDatum(PG_DETOAST_DATUM_COPY(sig));
	FreeExecutorState(estate);
	return sig;
}

/* Return true if an update leaves the signature as it is. */
static bool
is_unchanged(const TriggerData *call, Form_pg_attribute column, Datum sig)
{
	bool		isnull;
	Datum		old;

	if (!TRIGGER_FIRED_BY_UPDATE(call->tg_event))
		return false;
	old = heap_getattr(call->tg_trigtuple, column->attnum,
					   RelationGetDescr(call->tg_relation), &isnull);
	return !isnull && datum_image_eq(old, sig, false, -1);
}

/* Lock the band keys of a signature until the transaction ends. */
static void
lock_keys(Datum sig, double threshold)
{
	uint64		keys[BAND_MAX];
	int			count = plan_keys(DatumGetMinHash(sig), threshold,
												DEFAULT_RECALL, keys);

	if (IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("near-duplicates can be checked only at isolation level READ COMMITTED"),
				 errdetail("An older snapshot would miss rows that other transactions have inserted.")));
	for (int i = 0; i < count; i++)
		DirectFunctionCall1(pg_advisory_xact_lock_int8,
							Int64GetDatum((int64) keys[i]));
}

/* Write the expression for a row's key; NULL if there is no primary key. */
static char *
key_expression(Oid table)
{
	Oid			constraint;
	Bitmapset  *key = get_primary_key_attnos(table, true, &constraint);
	char	   *columns = column_list(table, key);

	if (key == NULL)
		return NULL;
	return bms_num_members(key) > 1 ? psprintf("ROW(%s)", columns) : columns;
}

/*
 * Write the query for the most similar row.  The row that an update replaces is
 * excluded by its TID, because the update may change its key.
 */
static char *
search_query(FunctionCallInfo fcinfo, Oid table, const char *primary_key,
			 const char *sig)
{
	const TriggerData *call = (TriggerData *) fcinfo->context;
	const char *schema = extension_schema(fcinfo);

	return psprintf("SELECT %s FROM %s AS t WHERE %s.minhash_similar(t.%s, $1, $2, $3)%s "
					"ORDER BY t.%s OPERATOR(%s.<->) $1 LIMIT 1",
					primary_key != NULL ? primary_key : "t.ctid",
					qualified_name(table), schema, sig,
					TRIGGER_FIRED_BY_UPDATE(call->tg_event) ?
					" AND (t.tableoid OPERATOR(pg_catalog.<>) $4 OR t.ctid OPERATOR(pg_catalog.<>) $5)" : "",
					sig, schema);
}

/* Return the key of the most similar row as text, or NULL if none is similar. */
static char *
find_similar(FunctionCallInfo fcinfo, Oid table, const char *primary_key,
			 Form_pg_attribute column, Datum sig, double threshold)
{
	const TriggerData *call = (TriggerData *) fcinfo->context;
	char	   *query = search_query(fcinfo, table, primary_key,
									 quote_identifier(NameStr(column->attname)));
	Oid			types[] = {column->atttypid, FLOAT8OID, FLOAT8OID, OIDOID, TIDOID};
	Datum		values[5];
	MemoryContext caller = CurrentMemoryContext;
	SPIPlanPtr	plan;
	int			guc_level;
	char	   *key = NULL;

	values[0] = sig;
	values[1] = Float8GetDatum(threshold);
	values[2] = Float8GetDatum(DEFAULT_RECALL);
	values[3] = ObjectIdGetDatum(RelationGetRelid(call->tg_relation));
	values[4] = PointerGetDatum(&call->tg_trigtuple->t_self);
	SPI_connect();
	guc_level = use_indexes();
	plan = saved_plan(query, TRIGGER_FIRED_BY_UPDATE(call->tg_event) ? 5 : 3, types);
	if (SPI_execute_plan(plan, values, NULL, false, 1) != SPI_OK_SELECT)
		elog(ERROR, "search for near-duplicates failed");
	AtEOXact_GUC(false, guc_level);
	if (SPI_processed > 0)
		key = MemoryContextStrdup(caller, SPI_getvalue(SPI_tuptable->vals[0],
													   SPI_tuptable->tupdesc, 1));
	SPI_finish();
	return key;
}

/* Return the new row with its flag set: the key of the similar row, or NULL. */
static HeapTuple
flag_row(const TriggerData *call, Oid table, const char *primary_key, char *key)
{
	Form_pg_attribute column = trigger_column(call, 3);
	int			number = column->attnum;
	bool		isnull = key == NULL;
	Datum		datum = (Datum) 0;
	Oid			input;
	Oid			parameter;

	if (column->attgenerated)
		ereport(ERROR,
				(errcode(ERRCODE_GENERATED_ALWAYS),
				 errmsg("column \"%s\" is a generated column", NameStr(column->attname)),
				 errdetail("A trigger cannot set it.")));
	if (primary_key == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("table \"%s\" has no primary key", get_rel_name(table)),
				 errdetail("A flag is the primary key of the similar row.")));
	if (!isnull)
	{
		getTypeInputInfo(column->atttypid, &input, &parameter);
		datum = OidInputFunctionCall(input, key, parameter, column->atttypmod);
	}
	return heap_modify_tuple_by_cols(trigger_new_row(call),
									 RelationGetDescr(call->tg_relation),
									 1, &number, &datum, &isnull);
}

/* Raise the error for a row that is similar to another one. */
static void
reject_row(const TriggerData *call, const char *key)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNIQUE_VIOLATION),
			 errmsg("new row for relation \"%s\" is a near-duplicate",
					RelationGetRelationName(call->tg_relation)),
			 errdetail("It is similar to the row with key %s.", key),
			 errtable(call->tg_relation)));
}

/* Flag, skip or reject a row that is similar to another row of the table. */
PG_FUNCTION_INFO_V1(minhash_check_trigger);
Datum
minhash_check_trigger(PG_FUNCTION_ARGS)
{
	TriggerData *call = check_row_trigger(fcinfo, "minhash_check_trigger");
	const char *action = check_action(call);
	double		threshold = check_unit_interval(DatumGetFloat8(DirectFunctionCall1(float8in,
																				   CStringGetDatum(call->tg_trigger->tgargs[1]))),
												"threshold");
	Form_pg_attribute column = find_signature(fcinfo);
	Oid			table = table_to_search(call);
	char	   *primary_key = key_expression(table);
	bool		isnull;
	Datum		sig = compute_signature(call, column, &isnull);
	char	   *key = NULL;

	if (!isnull)
	{
		if (is_unchanged(call, column, sig))
			return PointerGetDatum(trigger_new_row(call));
		lock_keys(sig, threshold);
		key = find_similar(fcinfo, table, primary_key, column, sig, threshold);
	}
	if (strcmp(action, "flag") == 0)
		return PointerGetDatum(flag_row(call, table, primary_key, key));
	if (key != NULL && strcmp(action, "skip") == 0)
		return PointerGetDatum(NULL);
	if (key != NULL)
		reject_row(call, key);
	return PointerGetDatum(trigger_new_row(call));
}
