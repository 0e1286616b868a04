/*-------------------------------------------------------------------------
 *
 * sibling.c
 *	  Find and recognize functions of this extension, regardless of the schema
 *	  that it is in.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "sibling.h"

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
