/*-------------------------------------------------------------------------
 *
 * groups_sql.c
 *	  Names for the SQL statements of groups, their results, and their arrays.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "groups.h"
#include "support/names.h"

/* Name the tables of groups. */
Groups
groups_named(Oid schema, const char *name)
{
	static const char *const labels[NUM_GROUPS_TABLES] = {
		[GROUPS_LOG] = "log",
		[GROUPS_JUDGED] = "judged",
		[GROUPS_DEFINITION] = "definition"
	};
	Groups		groups = {.schema = schema};

	for (int i = 0; i < NUM_GROUPS_TABLES; i++)
	{
		groups.names[i] = makeObjectName(name, NULL, labels[i]);
		groups.tables[i] = quote_qualified_identifier(get_namespace_name(schema),
													  groups.names[i]);
	}
	return groups;
}

/* Return columns as a list separated by commas. */
char *
groups_columns(const List *columns, const char *prefix)
{
	StringInfoData list;
	ListCell   *cell;

	initStringInfo(&list);
	foreach(cell, columns)
		appendStringInfo(&list, "%s%s%s", list.len > 0 ? ", " : "", prefix,
						 quote_identifier(lfirst(cell)));
	return list.data;
}

/* Name the columns of a judged key. */
List *
groups_judged_key(const Groups *groups, const char *row)
{
	List	   *names = NIL;
	ListCell   *cell;

	foreach(cell, groups->key)
		names = lappend(names, makeObjectName(lfirst(cell), NULL, row));
	return names;
}

/* Number the columns of the key. */
char *
groups_key_aliases(const Groups *groups, const char *prefix)
{
	List	   *names = NIL;

	for (int i = 1; i <= list_length(groups->key); i++)
		names = lappend(names, psprintf("%s%d", prefix, i));
	return groups_columns(names, "");
}

/* Run a statement through SPI. */
void
groups_run(const char *statement, int status)
{
	int			result = SPI_execute(statement, false, 0);

	if (result != status)
		elog(ERROR, "unexpected result %d of \"%s\"", result, statement);
}

/* Return a value that SPI returned last; NULL is an error. */
Datum
groups_result(uint64 row, int column)
{
	bool		isnull;
	Datum		value = SPI_getbinval(SPI_tuptable->vals[row],
									  SPI_tuptable->tupdesc, column, &isnull);

	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("null value in column \"%s\" of the tables of groups",
						SPI_fname(SPI_tuptable->tupdesc, column))));
	return value;
}

/* Read an array. */
const int64 *
groups_elements(Datum datum, int64 *count)
{
	ArrayType  *array = DatumGetArrayTypeP(datum);

	if (ARR_NDIM(array) != 1 || ARR_HASNULL(array))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("arrays of groups and components must have one dimension and no NULL")));
	*count = ARR_DIMS(array)[0];
	return (const int64 *) ARR_DATA_PTR(array);
}

/* Allocate an array of numbers. */
ArrayType *
groups_make_array(int64 count)
{
	Size		size = ARR_OVERHEAD_NONULLS(1) + (Size) count * sizeof(int64);
	ArrayType  *array = palloc0(size);

	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->elemtype = INT8OID;
	ARR_DIMS(array)[0] = (int) count;
	ARR_LBOUND(array)[0] = 1;
	return array;
}
