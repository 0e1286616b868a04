/*-------------------------------------------------------------------------
 *
 * lsh_split.h
 *	  Splitting pages of the tree of an lsh index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_SPLIT_H
#define LSH_SPLIT_H

#include "lsh_layout.h"

/*
 * Split the leaf for a key if it is full, and full inner pages on the way.  The
 * caller holds no lock on any page.  Afterwards another process may have filled
 * the leaf again.
 */
extern void lsh_tree_split(Relation index, const LshLayout *layout,
						   uint64 key);

#endif							/* LSH_SPLIT_H */
