/*-------------------------------------------------------------------------
 *
 * lsh_nulls.h
 *	  Adding rows whose signature is NULL to an lsh index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_NULLS_H
#define LSH_NULLS_H

#include "storage/itemptr.h"
#include "utils/rel.h"

/* Add the TID of a row, and log it; the caller holds no lock on any page. */
extern void lsh_nulls_add(Relation index, ItemPointer tid);

#endif							/* LSH_NULLS_H */
