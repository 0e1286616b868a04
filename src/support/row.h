/*-------------------------------------------------------------------------
 *
 * row.h
 *	  Return composite values and sets of rows from SQL functions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ROW_H
#define ROW_H

#include "fmgr.h"
#include "utils/tuplestore.h"

/*
 * Start to return a set of rows in materialize mode.  Sets *desc to the row
 * type; both it and the tuplestore belong to the query.  The caller puts the
 * rows in and returns (Datum) 0.  Raises an error if the caller of the function
 * cannot accept a set.
 */
extern Tuplestorestate *row_begin(FunctionCallInfo fcinfo, TupleDesc *desc);

/*
 * Form the row that a function with several OUT arguments returns, in the
 * current memory context.  values and nulls have an entry for each column.
 */
extern Datum row_make(FunctionCallInfo fcinfo, Datum *values, bool *nulls);

#endif							/* ROW_H */
