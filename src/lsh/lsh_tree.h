/*-------------------------------------------------------------------------
 *
 * lsh_tree.h
 *	  Descending the tree of an lsh index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_TREE_H
#define LSH_TREE_H

#include "lsh_node.h"

/*
 * Descend with share locks to the leaf for a key; return its block, without a
 * lock.  If leftmost, return the first leaf that can have the key.  By the time
 * the caller locks the leaf, it may have split: follow the links to the right.
 */
extern BlockNumber lsh_tree_descend(Relation index, uint64 key,
									bool leftmost);

/*
 * Return the lowest key and the block of each leaf, in order, palloc'd; *count
 * is 0 if there are max leaves or more.  Leaves that split in the meantime may
 * or may not be listed.
 */
extern LshEntry *lsh_tree_leaves(Relation index, Size max, Size *count);

#endif							/* LSH_TREE_H */
