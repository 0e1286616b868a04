/*-------------------------------------------------------------------------
 *
 * lsh_index.h
 *	  Access to an index for the functions lsh_index_...().
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_INDEX_H
#define LSH_INDEX_H

#include "access/attnum.h"
#include "access/tableam.h"
#include "fmgr.h"
#include "nodes/pg_list.h"
#include "utils/rel.h"

extern bool lsh_is_lsh_index(Relation index);
extern Relation lsh_open_index(Oid index_oid, AttrNumber *column);
extern void lsh_refuse_unusable(Relation index);
extern List *lsh_index_leaves(Oid index_oid);
extern List *lsh_index_parts(Oid index_oid);
extern bool lsh_find_visible(IndexFetchTableData *fetch, Snapshot snapshot,
							 TupleTableSlot *slot, ItemPointer row);

#endif							/* LSH_INDEX_H */
