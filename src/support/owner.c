/*-------------------------------------------------------------------------
 *
 * owner.c
 *	  Run code with the rights of a table's owner.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/syscache.h"

#include "compat.h"
#include "owner.h"

/* Return the owner of a table. */
Oid
owner_of_table(Oid table)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", table)));
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
