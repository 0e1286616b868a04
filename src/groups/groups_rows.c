/*-------------------------------------------------------------------------
 *
 * groups_rows.c
 *	  Statements about groups, and the rows that they return.
 *
 * Names and operators in the statements are qualified, because they run with
 * pg_catalog as the search path, and types of keys may come from elsewhere.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/queryenvironment.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

#include "compat.h"
#include "groups_rows.h"
#include "support/saved_plans.h"

/*** Templates ***/

/* Return the equality operator of a column of the table of groups, quoted. */
static char *
equality(const Groups *groups, int number)
{
	Oid			type = get_atttype(groups->oid, (AttrNumber) number);
	Oid			equal;
	Oid			schema;

	if (!OidIsValid(type))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column %d of %s does not exist", number, groups->table),
				 errdetail("It belongs to the key of these groups."),
				 errhint("Drop the groups with minhash_groups_drop, and create them again.")));
	equal = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
	if (!OidIsValid(equal))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("could not identify an equality operator for type %s",
						format_type_be(type))));
	schema = get_func_namespace(get_opcode(equal));
	return psprintf("OPERATOR(%s.%s)",
					quote_identifier(get_namespace_name(schema)),
					get_opname(equal));
}

/* Append the part of a statement that names the key; see groups_rows.h. */
static void
append_key(StringInfo sql, const Groups *groups, const char *what, char a, char b)
{
	ListCell   *cell;
	int			number = 0;

	foreach(cell, groups->key)
	{
		const char *name = lfirst(cell);

		number++;
		if (strcmp(what, "same") == 0)
			appendStringInfo(sql, "%s%c.%s %s %c.k%d", number > 1 ? " AND " : "",
							 a, name, equality(groups, number), b, number);
		else if (strcmp(what, "either") == 0)
			appendStringInfo(sql, "%sCOALESCE(%c.k%d, %c.%s) AS k%d",
							 number > 1 ? ", " : "", a, number, b, name, number);
		else if (strcmp(what, "key") == 0)
			appendStringInfo(sql, "%s%c.%s AS k%d", number > 1 ? ", " : "",
							 a, name, number);
		else
			appendStringInfo(sql, "%s%c.k%d", number > 1 ? ", " : "", a, number);
	}
}

/* Append the name of a table; return false if there is none of that name. */
static bool
append_table(StringInfo sql, const Groups *groups, const char *what)
{
	if (strcmp(what, "docs") == 0)
		appendStringInfo(sql, "%s%s",
						 get_rel_relkind(groups->relation_oid) == RELKIND_PARTITIONED_TABLE ? "" : "ONLY ",
						 groups->relation);
	else if (strcmp(what, "groups") == 0)
		appendStringInfoString(sql, groups->table);
	else if (strcmp(what, "log") == 0)
		appendStringInfoString(sql, groups->log);
	else if (strcmp(what, "definition") == 0)
		appendStringInfoString(sql, groups->definition);
	else if (strcmp(what, "queue") == 0)
		appendStringInfoString(sql, groups->queue);
	else
		return false;
	return true;
}

/* Append the part of a statement that a name in braces stands for. */
static void
append_part(StringInfo sql, const Groups *groups, const char *what, char a, char b)
{
	const char *extension = groups->extension;

	if (append_table(sql, groups, what))
		return;
	if (strcmp(what, "sig") == 0)
		appendStringInfo(sql, "%c.%s::%s.minhash", a, groups->sig, extension);
	else if (strcmp(what, "similar") == 0)
		appendStringInfo(sql, "%s.minhash_similar(%c.%s::%s.minhash, %c.sig",
						 extension, a, groups->sig, extension, b);
	else if (strcmp(what, "jaccard") == 0)
		appendStringInfo(sql, "%s.jaccard(%c.sig, %c.sig)", extension, a, b);
	else if (strcmp(what, "kind") == 0)
		appendStringInfo(sql, "%s.minhash_kind(%c.sig)", extension, a);
	else if (strcmp(what, "cluster") == 0)
		appendStringInfo(sql, "%s.minhash_cluster(%c.sig", extension, a);
	else
	{
		append_key(sql, groups, what, a, b);
		return;
	}
	if (strcmp(what, "similar") == 0 || strcmp(what, "cluster") == 0)
		appendStringInfo(sql, ", '%.17g'::float8, '%.17g'::float8)",
						 groups->threshold, groups->recall);
}

/* Make the statement of a template. */
static char *
fill_in(const Groups *groups, const char *template)
{
	StringInfoData sql;

	initStringInfo(&sql);
	while (*template != '\0')
	{
		char		what[16];
		char		a = 0;
		char		b = 0;

		if (*template != '{')
		{
			appendStringInfoChar(&sql, *template++);
			continue;
		}
		if (sscanf(template, "{%15[a-z] %c %c", what, &a, &b) < 1)
			elog(ERROR, "invalid template \"%s\"", template);
		append_part(&sql, groups, what, a, b);
		template = strchr(template, '}') + 1;
	}
	return sql.data;
}

/*** Plans ***/

/* Set by_row and its settings. */
void
groups_use_indexes(Groups *groups)
{
	groups->guc_level = use_indexes();
	groups->by_row = true;
}

/* Reset by_row, and restore the settings of the session. */
void
groups_use_any(Groups *groups)
{
	AtEOXact_GUC(false, groups->guc_level);
	groups->by_row = false;
}

/* Return the plan of a template. */
static SPIPlanPtr
prepare(const Groups *groups, const char *template,
		const GroupsArguments *arguments)
{
	char	   *sql = fill_in(groups, template);
	int			nargs = arguments == NULL ? 0 : arguments->count;
	const Oid  *types = arguments == NULL ? NULL : arguments->types;

	return groups->by_row ? saved_plan(sql, nargs, types) :
		make_plan(sql, nargs, types);
}

/* Return the arguments in the form that SPI needs, or NULL. */
static ParamListInfo
parameters(const GroupsArguments *arguments)
{
	ParamListInfo list;

	if (arguments == NULL)
		return NULL;
	list = makeParamList(arguments->count);
	for (int i = 0; i < arguments->count; i++)
	{
		list->params[i].value = arguments->values[i];
		list->params[i].isnull = false;
		list->params[i].pflags = PARAM_FLAG_CONST;
		list->params[i].ptype = arguments->types[i];
	}
	return list;
}

/* Run a plan; the rows go to SPI_tuptable if store is NULL. */
static void
execute(SPIPlanPtr plan, const GroupsArguments *arguments, bool read_only,
		Tuplestorestate *store)
{
	SPIExecuteOptions options = {.read_only = read_only};
	int			result;

	options.params = parameters(arguments);
	if (store != NULL)
	{
		options.dest = CreateDestReceiver(DestTuplestore);
		SetTuplestoreDestReceiverParams(options.dest, store,
										CurrentMemoryContext, true, NULL, NULL);
	}
	result = SPI_execute_plan_extended(plan, &options);
	if (result < 0)
		elog(ERROR, "could not execute \"%s\": %s", plan_source(plan)->query_string,
			 SPI_result_code_string(result));
}

/*** Statements ***/

/* Run a statement and check how it ends. */
void
groups_run(const char *statement, int status)
{
	int			result = SPI_execute(statement, false, 0);

	if (result != status)
		elog(ERROR, "unexpected result %d of \"%s\"", result, statement);
}

/* Run a statement that may write. */
void
groups_write(const Groups *groups, const char *template,
			 const GroupsArguments *arguments)
{
	execute(prepare(groups, template, arguments), arguments, false, NULL);
}

/* Run a query in the active snapshot. */
void
groups_read(const Groups *groups, const char *template,
			const GroupsArguments *arguments)
{
	execute(prepare(groups, template, arguments), arguments, true, NULL);
}

/* Delete rows that the active snapshot sees. */
int64
groups_delete(const Groups *groups, const char *template)
{
	SPIPlanPtr	plan = prepare(groups, template, NULL);
	int			result = SPI_execute_snapshot(plan, NULL, NULL,
											  GetActiveSnapshot(),
											  InvalidSnapshot, false, true, 0);

	if (result != SPI_OK_DELETE)
		elog(ERROR, "unexpected result %d of \"%s\"", result, plan_source(plan)->query_string);
	return (int64) SPI_processed;
}

/* Return a bigint from the last result of SPI, or 0 for NULL. */
int64
groups_result(uint64 row, int column)
{
	bool		isnull;
	Datum		value = SPI_getbinval(SPI_tuptable->vals[row],
									  SPI_tuptable->tupdesc, column, &isnull);

	return isnull ? 0 : DatumGetInt64(value);
}

/*** Rows ***/

/*
 * Run a query and store its rows.  Running a kept plan may plan the query again
 * and change its columns, so they are read afterwards.
 */
GroupRows
groups_read_rows(const Groups *groups, const char *template,
				 const GroupsArguments *arguments)
{
	SPIPlanPtr	plan = prepare(groups, template, arguments);
	CachedPlanSource *source = plan_source(plan);
	GroupRows	rows = {.key_columns = list_length(groups->key)};

	rows.store = tuplestore_begin_heap(false, false, work_mem);
	execute(plan, arguments, true, rows.store);
	rows.desc = CreateTupleDescCopy(source->resultDesc);
	rows.slot = MakeSingleTupleTableSlot(rows.desc, &TTSOpsMinimalTuple);
	rows.count = tuplestore_tuple_count(rows.store);
	return rows;
}

/* Run a query and add its rows to others. */
void
groups_add_rows(const Groups *groups, GroupRows *rows, const char *template,
				const GroupsArguments *arguments)
{
	execute(prepare(groups, template, arguments), arguments, true, rows->store);
	rows->count = tuplestore_tuple_count(rows->store);
}

/* Let statements read rows under a name. */
void
groups_register(const GroupRows *rows, const char *name)
{
	EphemeralNamedRelation relation = palloc0(sizeof(EphemeralNamedRelationData));

	relation->md.name = pstrdup(name);
	relation->md.reliddesc = InvalidOid;
	relation->md.tupdesc = rows->desc;
	relation->md.enrtype = ENR_NAMED_TUPLESTORE;
	relation->md.enrtuples = (double) rows->count;
	relation->reldata = rows->store;
	if (SPI_register_relation(relation) != SPI_OK_REL_REGISTER)
		elog(ERROR, "could not register \"%s\"", name);
}
