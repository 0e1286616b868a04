/*-------------------------------------------------------------------------
 *
 * sibling.c
 *	  Find functions of this extension, wherever it was installed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "sibling.h"

/*
 * Find a function that lies beside another.
 *
 * Not by name, since the user may have no right to look into its schema: a view
 * can call what its reader could not.
 */
Oid
find_sibling(Oid function, const char *name, const Oid *types, int num_types)
{
	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
						   CStringGetDatum(name),
						   PointerGetDatum(buildoidvector(types, num_types)),
						   ObjectIdGetDatum(get_func_namespace(function)));
}
