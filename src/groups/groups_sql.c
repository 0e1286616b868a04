/*-------------------------------------------------------------------------
 *
 * groups_sql.c
 *	  The SQL statements of groups, their results, and their arrays.
 *
 * Keys and scopes are compared by the equality operator of the default B-tree operator
 * class, written with its schema and with operands of its types, so that no operator or
 * cast that others have made for domains and enums comes in between.  A type for which
 * the parser would choose another operator has none here.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "executor/spi.h"
#include "nodes/value.h"
#include "parser/parse_oper.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/typcache.h"

#include "compat.h"
#include "groups.h"
#include "support/objects.h"

#define SMALL_ROWS 1000			/* of a table that is not too large to cluster */

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

/*** Parts of statements ***/

/* Columns that a part of a statement names. */
typedef struct Columns
{
	char	   *prefix;
	List	   *names;
	const List *originals;		/* the columns of the relation */
} Columns;

/* Return names for columns: a letter with 1, 2, ...; at least one. */
static List *
number_columns(const List *columns, const char *letter)
{
	List	   *names = NIL;

	for (int i = 1; i <= Max(list_length(columns), 1); i++)
		names = lappend(names, psprintf("%s%d", letter, i));
	return names;
}

/* Read the name of columns, with a prefix that may be empty; return false if it is none. */
static bool
read_columns(const Groups *groups, const char *part, Columns *columns)
{
	const char *dot = strchr(part, '.');
	const char *name = dot == NULL ? part : dot + 1;

	columns->prefix = pnstrdup(part, (Size) (name - part));
	columns->originals = groups->key;
	if (strcmp(name, "key") == 0)
		columns->names = groups->key;
	else if (strcmp(name, "k") == 0)
		columns->names = number_columns(groups->key, name);
	else if (strcmp(name, "a") == 0 || strcmp(name, "b") == 0)
		columns->names = groups_judged_key(groups, name);
	else if (strcmp(name, "scope") == 0)
		columns->originals = columns->names = groups->scope;
	else if (strcmp(name, "s") == 0)
		columns->names = number_columns(columns->originals = groups->scope, name);
	else if (strcmp(name, "compared") == 0)
		columns->originals = columns->names =
			list_concat(lappend(list_copy(groups->key), groups->sig), groups->scope);
	else
		return false;
	return true;
}

/* Return columns as a list separated by commas; a constant if there are none. */
static const char *
list_columns(const Columns *columns)
{
	StringInfoData list;
	ListCell   *cell;

	initStringInfo(&list);
	foreach(cell, columns->names)
		appendStringInfo(&list, "%s%s%s", list.len > 0 ? ", " : "", columns->prefix,
						 quote_identifier(lfirst(cell)));
	return list.len > 0 ? list.data : "NULL::bool";
}

/* Find the equality operator of a column, unless its name would find another one. */
Oid
groups_equality(const Groups *groups, const char *column)
{
	Oid			type = getBaseType(get_atttype(groups->relation,
											   get_attnum(groups->relation, column)));
	Oid			operator = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
	Oid			left;
	Oid			right;
	List	   *names;
	List	   *types;

	if (!OidIsValid(operator))
		return InvalidOid;
	op_input_types(operator, &left, &right);
	format_operator_parts(operator, &names, &types, false);
	names = list_make2(makeString(linitial(names)), makeString(lsecond(names)));
	left = get_typtype(left) == TYPTYPE_PSEUDO ? type : left;
	right = get_typtype(right) == TYPTYPE_PSEUDO ? type : right;
	return compatible_oper_opid(names, left, right, true) == operator ? operator : InvalidOid;
}

/*
 * Return a condition: columns are equal.  NULL equals NULL, but not a row of nulls, which
 * IS NULL; only columns of a key are looked up in an index, which takes the operator alone.
 */
static char *
compare_columns(const Groups *groups, const Columns *a, const Columns *b)
{
	StringInfoData condition;
	ListCell   *original;
	ListCell   *name_a;
	ListCell   *name_b;

	initStringInfo(&condition);
	forthree(original, a->originals, name_a, a->names, name_b, b->names)
	{
		Oid			type = get_atttype(groups->relation, get_attnum(groups->relation, lfirst(original)));
		char	   *left = psprintf("%s%s", a->prefix, quote_identifier(lfirst(name_a)));
		char	   *right = psprintf("%s%s", b->prefix, quote_identifier(lfirst(name_b)));

		appendStringInfoString(&condition, condition.len > 0 ? " AND (" : "(");
		generate_operator_clause(&condition, left, type, groups_equality(groups, lfirst(original)),
								 right, type);
		if (a->originals != groups->key)
			appendStringInfo(&condition, " OR (%s IS NOT DISTINCT FROM NULL AND %s IS NOT DISTINCT FROM NULL)",
							 left, right);
		appendStringInfoChar(&condition, ')');
	}
	return condition.len > 0 ? condition.data : "true";
}

/* Return the value of a part: one of words with their values, columns, or a condition. */
static const char *
part_value(const Groups *groups, char *part, const char *const words[][2], int count)
{
	char	   *equals = strstr(part, " = ");
	Columns		columns;
	Columns		others;

	for (int i = 0; i < count; i++)
		if (strcmp(part, words[i][0]) == 0)
			return words[i][1];
	if (equals != NULL)
		*equals = '\0';
	if (!read_columns(groups, part, &columns) ||
		(equals != NULL && !read_columns(groups, equals + strlen(" = "), &others)))
		elog(ERROR, "unknown part \"%s\" of a statement", part);
	return equals != NULL ? compare_columns(groups, &columns, &others) : list_columns(&columns);
}

/* Replace the parts of a statement. */
char *
groups_sql(const Groups *groups, const char *text)
{
	const char *relation = name_qualified(groups->relation);
	bool		has_children = get_rel_relkind(groups->relation) == RELKIND_RELATION &&
		has_subclass(groups->relation);
	const char *const words[][2] = {
		{"groups", groups->tables[GROUPS_TABLE]},
		{"log", groups->tables[GROUPS_LOG]},
		{"judged", groups->tables[GROUPS_JUDGED]},
		{"definition", groups->tables[GROUPS_DEFINITION]},
		{"changes", OidIsValid(groups->changes) ? name_qualified(groups->changes) : ""},
		{"components", OidIsValid(groups->components) ? name_qualified(groups->components) : ""},
		{"relation", relation},
		{"source", psprintf("%s%s AS t", has_children ? "ONLY " : "", relation)},
		{"extension", groups->extension},
		{"note_trigger", quote_literal_cstr(psprintf("%s.minhash_note_trigger()", groups->extension))},
		{"sig", quote_identifier(groups->sig)},
		{"threshold", psprintf("'%.17g'::float8", groups->threshold)},
		{"recall", psprintf("'%.17g'::float8", groups->recall)},
		{"most", psprintf("%lld", (long long) Max(groups->state[GROUPS_STATE_ROWS] / 10, SMALL_ROWS))}
	};
	StringInfoData sql;
	const char *brace;

	initStringInfo(&sql);
	for (; (brace = strchr(text, '{')) != NULL; text = strchr(brace, '}') + 1)
	{
		char	   *part = pnstrdup(brace + 1, strcspn(brace + 1, "}"));

		appendBinaryStringInfo(&sql, text, (int) (brace - text));
		appendStringInfoString(&sql, part_value(groups, part, words, lengthof(words)));
	}
	appendStringInfoString(&sql, text);
	return sql.data;
}

/*** Running statements ***/

/* Run a statement through SPI. */
void
groups_run_sql(const char *statement, int status)
{
	int			result = SPI_execute(statement, false, 0);

	if (result != status)
		elog(ERROR, "unexpected result %d of \"%s\"", result, statement);
}

/* Run a statement with parts. */
void
groups_run(const Groups *groups, const char *text, int status)
{
	groups_run_sql(groups_sql(groups, text), status);
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

/* Revoke the privileges on a new table and on the sequence of its identity column. */
void
groups_revoke_default_privileges(const char *table)
{
	groups_run_sql(psprintf("SELECT string_agg(s.statement, '; ') FROM ("
							"SELECT format('REVOKE ALL ON %%s FROM %%s', c.oid::regclass, string_agg(DISTINCT "
							"CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END, ', ')) "
							"FROM pg_class AS c, aclexplode(c.relacl) AS a "
							"WHERE a.grantee <> c.relowner AND (c.oid = %1$s::regclass OR c.relkind = 'S' AND EXISTS ("
							"SELECT FROM pg_depend AS d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid "
							"AND d.refobjid = %1$s::regclass)) GROUP BY c.oid) AS s(statement)",
							quote_literal_cstr(table)), SPI_OK_SELECT);
	if (SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1) != NULL)
		groups_run_sql(SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1),
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
