/*-------------------------------------------------------------------------
 *
 * lsh_index.h
 *	  Access to an index for the functions lsh_index_...().
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_INDEX_H
#define LSH_INDEX_H

#include "fmgr.h"
#include "nodes/pg_list.h"
#include "utils/rel.h"

/* Return true if the access method of an index is lsh. */
extern bool lsh_is_lsh_index(Relation index);

/*
 * Open an lsh index with AccessShareLock on it and on its table.  Raises an
 * error if the index is of another kind or not usable, or if the user may not
 * read the whole table.  The caller calls relation_close(); the lock on the
 * table lasts until the transaction ends.
 */
extern Relation lsh_open_index(Oid index_oid);

/* Raise an error for an index of passages. */
extern void lsh_refuse_passages(Relation index);

/* Raise an error for an index that is invalid or of another session. */
extern void lsh_refuse_unusable(Relation index);

/* List the OIDs of the indexes of all partitions of an index, or its own. */
extern List *lsh_index_leaves(Oid index_oid);

#endif							/* LSH_INDEX_H */
