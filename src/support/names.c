/*-------------------------------------------------------------------------
 *
 * names.c
 *	  Names of tables and columns, in queries and in messages.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "names.h"
#include "sibling.h"

/* Return the quoted schema of the function that is running. */
const char *
extension_schema(FunctionCallInfo fcinfo)
{
	Oid			schema = get_func_namespace(fcinfo->flinfo->fn_oid);

	return quote_identifier(get_namespace_name(schema));
}

/* Return a name, quoted, qualified with the schema of a table. */
char *
name_near(Oid table, const char *name)
{
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)),
									  name);
}

/* Return the quoted name of a table, with its schema. */
char *
qualified_name(Oid table)
{
	return name_near(table, get_rel_name(table));
}

/* Return a list of columns of a table with the alias t. */
char *
column_list(Oid table, const Bitmapset *columns)
{
	StringInfoData list;
	int			column = -1;

	initStringInfo(&list);
	while ((column = bms_next_member(columns, column)) >= 0)
	{
		AttrNumber	number = column + FirstLowInvalidHeapAttributeNumber;

		appendStringInfo(&list, "%st.%s", list.len > 0 ? ", " : "",
						 quote_identifier(get_attname(table, number, false)));
	}
	return list.data;
}

/* Report that a table has no such column; the hint may be NULL. */
void
report_no_column(Oid table, const char *column, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("column \"%s\" of relation \"%s\" does not exist",
					column, get_rel_name(table)),
			 hint != NULL ? errhint("%s", hint) : 0));
}

/* Check that the type of a column is minhash. */
void
check_signature_type(FunctionCallInfo fcinfo, const char *column, Oid type)
{
	if (type != find_sibling_type(fcinfo->flinfo->fn_oid, "minhash"))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" must be of type minhash, not %s",
						column, format_type_be(type))));
}
