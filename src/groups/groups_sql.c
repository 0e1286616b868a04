/*-------------------------------------------------------------------------
 *
 * groups_sql.c
 *	  Names for the SQL statements of groups, their results, and their arrays.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
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

/* Number columns. */
List *
groups_aliases(const List *columns, const char *prefix)
{
	List	   *names = NIL;

	for (int i = 1; i <= list_length(columns); i++)
		names = lappend(names, psprintf("%s%d", prefix, i));
	return names;
}

/* Number the columns of the key. */
char *
groups_key_aliases(const Groups *groups, const char *prefix)
{
	return groups_columns(groups_aliases(groups->key, prefix), "");
}

/* Return the relation with an alias, without tables that inherit from it. */
char *
groups_source(const Groups *groups)
{
	bool		has_children = get_rel_relkind(groups->relation) == RELKIND_RELATION &&
		has_subclass(groups->relation);

	return psprintf("%s%s AS t", has_children ? "ONLY " : "",
					name_qualified(groups->relation));
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

/* Revoke the privileges on a new table. */
void
groups_revoke_default_privileges(const char *table)
{
	groups_run(psprintf("SELECT format('REVOKE ALL ON %%s FROM %%s', c.oid::regclass, string_agg(DISTINCT "
						"CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END, ', ')) "
						"FROM pg_class AS c, aclexplode(c.relacl) AS a "
						"WHERE c.oid = %s::regclass AND a.grantee <> c.relowner GROUP BY c.oid",
						quote_literal_cstr(table)), SPI_OK_SELECT);
	if (SPI_processed > 0)
		groups_run(SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1),
				   SPI_OK_UTILITY);
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
