/*-------------------------------------------------------------------------
 *
 * lsh_index.h
 *	  What the functions that look into an index have in common.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_INDEX_H
#define LSH_INDEX_H

#include "access/attnum.h"
#include "fmgr.h"
#include "nodes/pg_list.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

extern Relation lsh_open_index(Oid index_oid, AttrNumber *column);
extern List *lsh_index_parts(Oid index_oid);
extern Tuplestorestate *lsh_begin_rows(FunctionCallInfo fcinfo,
									   TupleDesc *desc);

#endif							/* LSH_INDEX_H */
