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

/* Find a function in the schema of another; the syscache checks no privileges. */
Oid
find_sibling(Oid function, const char *name, const Oid *types, int num_types)
{
	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
						   CStringGetDatum(name),
						   PointerGetDatum(buildoidvector(types, num_types)),
						   ObjectIdGetDatum(get_func_namespace(function)));
}
