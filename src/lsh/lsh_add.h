/*-------------------------------------------------------------------------
 *
 * lsh_add.h
 *	  Adding rows to an lsh index: records, and rows that are NULL.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_ADD_H
#define LSH_ADD_H

#include "lsh_meta.h"

/*
 * Write the record of a row and log it; return its number.  sig is of the kind
 * of the index, and not read in an index of passages.  The caller holds no lock
 * on any page, and adds the entries of the tree afterwards.
 */
extern uint32 lsh_store_add(Relation index, const LshLayout *layout,
							const MinHash *sig, ItemPointer tid);

/*
 * Add the TID of a row that is NULL, and log it; the caller holds no lock on
 * any page.
 */
extern void lsh_nulls_add(Relation index, ItemPointer tid);

/* Note in the free space map whether a store page has room. */
extern void lsh_store_mark(Relation index, BlockNumber block, bool has_room);

/*
 * Raise ERRCODE_PROGRAM_LIMIT_EXCEEDED if the records of a new store page
 * would have numbers of more than 32 bits.
 */
extern void lsh_check_block_limit(Relation index, const LshLayout *layout,
								  BlockNumber block);

#endif							/* LSH_ADD_H */
