/*-------------------------------------------------------------------------
 *
 * sibling.h
 *	  Find and recognize functions of this extension, regardless of the schema
 *	  that it is in.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIBLING_H
#define SIBLING_H

#include "fmgr.h"
#include "nodes/primnodes.h"

/*
 * Make a call of the function with this name and arguments, whose types must be
 * exactly its own, in the schema of another function; NULL if there is none.
 * Needs no USAGE privilege on that schema, unlike LookupFuncName(), because a
 * user who reads a view need not have it on the schemas that the view uses.
 */
extern FuncExpr *sibling_call(Oid function, const char *name, List *args);

/*
 * Return the OID of the type with this name in the schema of a function, or
 * InvalidOid if there is none.
 */
extern Oid	sibling_find_type(Oid function, const char *name);

/*
 * Return the C function that implements an SQL function.  Users can give an SQL
 * function any name, so functions are recognized by their C function.
 */
extern PGFunction sibling_implementation(Oid function);

#endif							/* SIBLING_H */
