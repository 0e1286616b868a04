/*-------------------------------------------------------------------------
 *
 * lsh_leaf.h
 *	  Finding, locking and searching the leaves of an lsh index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_LEAF_H
#define LSH_LEAF_H

#include "lsh_node.h"

/*
 * Return the block of the leaf for a key, or of one left of it, from the cache
 * of the session or by a descent; see lsh_inner_child() for leftmost.
 */
extern BlockNumber lsh_leaf_find(Relation index, uint64 key, bool leftmost);

/*
 * Pin, lock and check the leaf whose range has a key, starting at a block that
 * lsh_leaf_find() returned.  lock is BUFFER_LOCK_SHARE or
 * BUFFER_LOCK_EXCLUSIVE.
 *
 * If wait is true, the caller must hold no lock on another page.  Otherwise
 * lock is exclusive, and the function returns InvalidBuffer instead of waiting
 * for a process, this one included, that holds a lock on the way.
 */
extern Buffer lsh_leaf_lock(Relation index, BlockNumber block, uint64 key,
							int lock, bool wait);

/*
 * Append the numbers of the records that have a key from lo to hi to *found,
 * and of some that have another key of the same fragment.  A number may come
 * twice.  Locks one leaf at a time, and returns without a lock; see
 * lsh_meta_read() for snapshot.
 */
extern void lsh_leaf_collect(Relation index, Snapshot snapshot, uint64 lo,
							 uint64 hi, LshNumbers *found);

/*
 * Read the entries of a leaf, sorted, into an array with room for LSH_LEAF_MAX;
 * return the block of the next leaf.  Locks the leaf while reading it.
 */
extern BlockNumber lsh_leaf_read(Relation index, BlockNumber block,
								 LshEntry *entries, int *count);

#endif							/* LSH_LEAF_H */
