/*-------------------------------------------------------------------------
 *
 * advice_rows.c
 *	  Read the texts of a table with the privileges of the caller.
 *
 * An SPI query reads the table under the snapshot of the calling query.  So
 * privileges, row-level security, views and partitions work as in any query,
 * and reading twice gives the same rows.  A row is identified by its primary
 * key, if there is one that the caller may read, otherwise by its ctid.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/bitmapset.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "advice.h"
#include "support/objects.h"

#define ROWS_AT_ONCE 64			/* rows per fetch, in memory together */

/* Raise an error unless a column exists and is of a string type. */
static void
check_text_column(Relation relation, const char *column)
{
	AttrNumber	number = get_attnum(RelationGetRelid(relation), column);
	Oid			type;
	char		category;
	bool		preferred;

	if (number == InvalidAttrNumber)
		name_report_no_column(RelationGetRelid(relation), column,
							  strchr(column, '(') == NULL ? NULL :
							  "Name a column, not an expression. A view can have the expression as a column.");
	type = get_atttype(RelationGetRelid(relation), number);
	get_type_category_preferred(getBaseType(type), &category, &preferred);
	if (category != TYPCATEGORY_STRING)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of relation \"%s\" has type %s, not text",
						column, RelationGetRelationName(relation),
						format_type_be(type)),
				 errhint("Name the column of the texts. If they are of another type, name a view that casts them to text.")));
}

/* Return true if the caller may read a table, or all of some of its columns. */
static bool
may_read(Oid table, const Bitmapset *columns)
{
	int			column = -1;

	if (pg_class_aclcheck(table, GetUserId(), ACL_SELECT) == ACLCHECK_OK)
		return true;
	while ((column = bms_next_member(columns, column)) >= 0)
		if (pg_attribute_aclcheck(table, column + FirstLowInvalidHeapAttributeNumber,
								  GetUserId(), ACL_SELECT) != ACLCHECK_OK)
			return false;
	return columns != NULL;
}

/* Return the expression that names a row; of a view, only a key does. */
static const char *
key_expression(Relation relation)
{
	Oid			table = RelationGetRelid(relation);
	char		kind = relation->rd_rel->relkind;
	Oid			constraint;
	Bitmapset  *key = get_primary_key_attnos(table, true, &constraint);

	if (!may_read(table, key) ||
		(key == NULL && (kind == RELKIND_VIEW || kind == RELKIND_FOREIGN_TABLE)))
		return "NULL::pg_catalog.text";
	return psprintf("pg_catalog.format('%%s', %s)", name_row(table, key));
}

/* Return the query that reads keys and texts. */
char *
advice_query(Oid oid, const char *column)
{
	Relation	relation = try_relation_open(oid, AccessShareLock);
	char	   *query;

	if (relation == NULL)
		name_report_no_table(oid);
	check_text_column(relation, column);
	query = psprintf("SELECT %s, t.%s::pg_catalog.text FROM %s AS t",
					 key_expression(relation), quote_identifier(column),
					 name_qualified(oid));
	relation_close(relation, NoLock);
	return query;
}

/* Return a text of a row, or NULL. */
static text *
row_text(HeapTuple tuple, TupleDesc desc, int column)
{
	bool		isnull;
	Datum		value = SPI_getbinval(tuple, desc, column, &isnull);

	return isnull ? NULL : DatumGetTextPP(value);
}

/* Call the hook for each fetched row. */
static void
hand_over(AdviceRowHook hook, void *data, MemoryContext each_row)
{
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		MemoryContext caller = MemoryContextSwitchTo(each_row);
		HeapTuple	tuple = SPI_tuptable->vals[i];
		AdviceRow	row;

		CHECK_FOR_INTERRUPTS();
		row.key = row_text(tuple, SPI_tuptable->tupdesc, 1);
		row.document = row_text(tuple, SPI_tuptable->tupdesc, 2);
		hook(&row, data);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(each_row);
	}
}

/* Run a query that reads keys and texts, and call the hook for each row. */
void
advice_read(const char *query, AdviceRowHook hook, void *data)
{
	MemoryContext each_row = AllocSetContextCreate(CurrentMemoryContext,
												   "advice, a row",
												   ALLOCSET_DEFAULT_SIZES);
	Portal		portal;

	SPI_connect();
	portal = SPI_cursor_open_with_args(NULL, query, 0, NULL, NULL, NULL, true, 0);
	do
	{
		SPI_cursor_fetch(portal, true, ROWS_AT_ONCE);
		hand_over(hook, data, each_row);
		SPI_freetuptable(SPI_tuptable);
	} while (SPI_processed > 0);
	SPI_cursor_close(portal);
	SPI_finish();
	MemoryContextDelete(each_row);
}
