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

extern Tuplestorestate *begin_rows(FunctionCallInfo fcinfo, TupleDesc *desc);
extern Datum make_row(FunctionCallInfo fcinfo, Datum *values, bool *nulls);

#endif							/* ROW_H */
