/*-------------------------------------------------------------------------
 *
 * names.h
 *	  Names of tables and columns, in queries and in messages.
 *
 * Names for queries are quoted, and palloc'd.
 *
 *-------------------------------------------------------------------------
 */
#ifndef NAMES_H
#define NAMES_H

#include "fmgr.h"
#include "nodes/bitmapset.h"

/* Return the quoted schema of the function that is running. */
extern const char *name_extension_schema(FunctionCallInfo fcinfo);

/* Return the quoted name of a table that exists, with its schema. */
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

#endif							/* NAMES_H */
