/*-------------------------------------------------------------------------
 *
 * row.h
 *	  Return a row of several values.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ROW_H
#define ROW_H

#include "fmgr.h"

extern Datum make_row(FunctionCallInfo fcinfo, Datum *values, bool *nulls);

#endif							/* ROW_H */
