/*-------------------------------------------------------------------------
 *
 * lsh_store.h
 *	  Reading the store of an lsh index: the TIDs and signatures of rows.
 *
 * The store has a record for each row whose signature is not NULL.  Read the
 * layout from the metapage first (lsh_meta.h).
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_STORE_H
#define LSH_STORE_H

#include "lsh_meta.h"
#include "lsh_node.h"

/* A walk over all pages of the store, in the order in which they were added. */
typedef struct LshWalk
{
	BlockNumber directory;		/* next directory page, or invalid */
	BlockNumber steps;			/* directory pages read so far */
	int			count;			/* blocks of the current directory page */
	int			next;
	BlockNumber blocks[LSH_DIRECTORY_MAX];
} LshWalk;

/* Begin a walk; nothing has to be released at its end. */
extern void lsh_walk_begin(LshWalk *walk);

/*
 * Return the next block of the store, or InvalidBlockNumber at the end.  Locks
 * a directory page while it copies its blocks, but returns without a lock.
 */
extern BlockNumber lsh_walk_next(Relation index, LshWalk *walk);

/*
 * Return the blocks of the store in the order of the directory; the caller
 * frees the numbers.
 */
extern LshNumbers lsh_store_blocks(Relation index);

/*
 * Raise an error unless an entry of the tree names a record that exists.  The
 * caller may hold a lock on a leaf.
 */
extern void lsh_store_check(Relation index, const LshLayout *layout,
							uint32 number);

/*
 * Read the num_hashes slots of the record that an entry of the tree names;
 * raises an error if there is none.  The caller may hold a lock on a leaf.
 */
extern void lsh_store_slots(Relation index, const LshLayout *layout,
							uint32 number, uint16 *slots);

#endif							/* LSH_STORE_H */
