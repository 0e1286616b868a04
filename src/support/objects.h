/*-------------------------------------------------------------------------
 *
 * objects.h
 *	  Objects of the database: names of tables and columns, functions and types of
 *	  this extension, the rights of owners.
 *
 * Names for queries are quoted, and palloc'd.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OBJECTS_H
#define OBJECTS_H

#include "fmgr.h"
#include "nodes/bitmapset.h"
#include "nodes/primnodes.h"

/*** Names ***/

/* Return the quoted schema of the function that is running. */
extern const char *name_extension_schema(FunctionCallInfo fcinfo);

/* Raise ERRCODE_UNDEFINED_TABLE: there is no such table.  Does not return. */
extern void name_report_no_table(Oid table);

/*
 * Return the quoted name of a table, with its schema.  Raises ERRCODE_UNDEFINED_TABLE if
 * it is gone.
 */
extern char *name_qualified(Oid table);

/*
 * Return an expression that names a row of a table, with the alias t: its key,
 * ROW() of a key of several columns; without a key, the text of its ctid, after the
 * name of its partition if there are several.  Convert it by the output function of
 * its type, to "12" or "(north,12)": a cast to text might be a function of the type's
 * owner, which would run as the caller.  The columns of the key count from
 * FirstLowInvalidHeapAttributeNumber, as in the relcache.
 */
extern const char *name_row(Oid table, const Bitmapset *key);

/*
 * Raise ERRCODE_UNDEFINED_COLUMN: a table has no such column.  The hint may be
 * NULL.  Does not return.
 */
extern void name_report_no_column(Oid table, const char *column, const char *hint);

/*
 * Raise ERRCODE_DATATYPE_MISMATCH unless the type of a column is the minhash in
 * the schema of the running function.
 */
extern void name_check_signature(FunctionCallInfo fcinfo, const char *column,
								 Oid type);

/*** Functions and types of this extension, whichever schema it is in ***/

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

/*** Running code with the rights of an owner ***/

/*
 * Index expressions and predicates are code of the table's owner, and the tables
 * of groups belong to the owner.  Both are used as the owner in a
 * security-restricted operation with a safe search_path, as in REINDEX and
 * ANALYZE.  This is the state that owner_become() replaces.
 */
typedef struct Caller
{
	Oid			user;
	int			security;		/* flags of the security context */
	int			guc_level;
} Caller;

/* Return the owner of a table.  Raises ERRCODE_UNDEFINED_TABLE if it is gone. */
extern Oid	owner_of_table(Oid table);

/*
 * Become a user, without a check of privileges.  Pass the result to
 * owner_become_caller(): settings changed in between last until then.  The end of
 * the transaction undoes both if an error is raised before.
 */
extern Caller owner_become(Oid user);

/* Become the caller again, with the caller's settings. */
extern void owner_become_caller(const Caller *caller);

#endif							/* OBJECTS_H */
