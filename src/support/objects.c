/*-------------------------------------------------------------------------
 *
 * objects.c
 *	  Objects of the database: names of tables and columns, functions and types of
 *	  this extension, the rights of owners.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "objects.h"

/*** Names ***/

/* Return the quoted schema of the function that is running. */
const char *
name_extension_schema(FunctionCallInfo fcinfo)
{
	Oid			schema = get_func_namespace(fcinfo->flinfo->fn_oid);

	return quote_identifier(get_namespace_name(schema));
}

/* Report a table that is gone, or never was. */
void
name_report_no_table(Oid table)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_TABLE),
			 errmsg("relation with OID %u does not exist", table)));
}

/* Return the quoted name of a table, with its schema. */
char *
name_qualified(Oid table)
{
	const char *name = get_rel_name(table);

	if (name == NULL)
		name_report_no_table(table);
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)), name);
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

/*** Functions and types of this extension ***/

/*
 * Make a call of a function in the schema of another.  The syscache checks no
 * privileges.
 */
FuncExpr *
sibling_call(Oid function, const char *name, List *args)
{
	Oid			types[FUNC_MAX_ARGS];
	int			count = 0;
	ListCell   *arg;
	Oid			found;

	foreach(arg, args)
		types[count++] = exprType(lfirst(arg));
	found = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
							CStringGetDatum(name),
							PointerGetDatum(buildoidvector(types, count)),
							ObjectIdGetDatum(get_func_namespace(function)));
	if (!OidIsValid(found))
		return NULL;
	return makeFuncExpr(found, get_func_rettype(found), args, InvalidOid,
						InvalidOid, COERCE_EXPLICIT_CALL);
}

/* Find a type in the schema of a function. */
Oid
sibling_find_type(Oid function, const char *name)
{
	return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid,
						   CStringGetDatum(name),
						   ObjectIdGetDatum(get_func_namespace(function)));
}

/* Return the C function that implements an SQL function. */
PGFunction
sibling_implementation(Oid function)
{
	FmgrInfo	info;

	fmgr_info(function, &info);
	return info.fn_addr;
}

/*** Owners ***/

/* Return the owner of a table. */
Oid
owner_of_table(Oid table)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		name_report_no_table(table);
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

/* Become a user in a security-restricted operation. */
Caller
owner_become(Oid user)
{
	Caller		caller;

	GetUserIdAndSecContext(&caller.user, &caller.security);
	SetUserIdAndSecContext(user, caller.security | SECURITY_RESTRICTED_OPERATION);
	caller.guc_level = NewGUCNestLevel();
	RestrictSearchPath();
	return caller;
}

/* Become the caller again. */
void
owner_become_caller(const Caller *caller)
{
	AtEOXact_GUC(false, caller->guc_level);
	SetUserIdAndSecContext(caller->user, caller->security);
}
