/*-------------------------------------------------------------------------
 *
 * lsh_index.h
 *	  Access to an index for the functions lsh_index_...().
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_INDEX_H
#define LSH_INDEX_H

#include "storage/lockdefs.h"
#include "utils/rel.h"

/*
 * Open an lsh index with a lock on it and on its table.  Raises an error for
 * any other relation, for an index that is not valid, and for one of another
 * session.  The caller calls relation_close(); the lock on the table lasts until
 * the transaction ends.
 */
extern Relation lsh_open_index(Oid index_oid, LOCKMODE lock);

/*
 * Do the same with AccessShareLock.  Raises an error also if the user may not
 * read the whole table.
 */
extern Relation lsh_open_readable_index(Oid index_oid);

/* Raise an error for an index of passages. */
extern void lsh_refuse_passages(Relation index);

#endif							/* LSH_INDEX_H */
