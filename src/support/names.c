/*-------------------------------------------------------------------------
 *
 * names.c
 *	  Names of tables and columns, in queries and in messages.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_inherits.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "names.h"
#include "sibling.h"

/* Return the quoted schema of the function that is running. */
const char *
name_extension_schema(FunctionCallInfo fcinfo)
{
	Oid			schema = get_func_namespace(fcinfo->flinfo->fn_oid);

	return quote_identifier(get_namespace_name(schema));
}

/* Return the quoted name of a table, with its schema. */
char *
name_qualified(Oid table)
{
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)),
									  get_rel_name(table));
}

/* Return the expression that names a row. */
const char *
name_row(Oid table, const Bitmapset *key)
{
	StringInfoData list;
	int			column = -1;

	initStringInfo(&list);
	while ((column = bms_next_member(key, column)) >= 0)
		appendStringInfo(&list, "%st.%s", list.len > 0 ? ", " : "",
						 quote_identifier(get_attname(table,
													  column + FirstLowInvalidHeapAttributeNumber,
													  false)));
	switch (bms_membership(key))
	{
		case BMS_SINGLETON:
			return list.data;
		case BMS_MULTIPLE:
			return psprintf("ROW(%s)", list.data);
		default:
			return has_subclass(table) ?
				"pg_catalog.concat(t.tableoid::pg_catalog.regclass, ' ', t.ctid)" :
				"t.ctid::pg_catalog.text";
	}
}

/* Report that a table has no such column; the hint may be NULL. */
void
name_report_no_column(Oid table, const char *column, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("column \"%s\" of relation \"%s\" does not exist",
					column, get_rel_name(table)),
			 hint != NULL ? errhint("%s", hint) : 0));
}

/* Check that the type of a column is minhash. */
void
name_check_signature(FunctionCallInfo fcinfo, const char *column, Oid type)
{
	if (type != sibling_find_type(fcinfo->flinfo->fn_oid, "minhash"))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" must be of type minhash, not %s",
						column, format_type_be(type))));
}
