/*-------------------------------------------------------------------------
 *
 * lsh_tree.h
 *	  The tree of an lsh index: from keys of bands to numbers of records.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_TREE_H
#define LSH_TREE_H

#include "lsh_page.h"

/* An entry of a leaf, or a child of an inner page: lowest key and block. */
typedef struct LshEntry
{
	uint64		key;
	uint32		number;
} LshEntry;

/* Some numbers of records. */
typedef struct LshNumbers
{
	uint32	   *numbers;
	Size		count;
	Size		max;
} LshNumbers;

/* Add a number to those found. */
static inline void
lsh_add_number(LshNumbers *found, uint32 number)
{
	if (found->count == found->max)
	{
		found->max = Max(2 * found->max, 256);
		found->numbers = found->numbers == NULL ?
			palloc(sizeof(uint32) * found->max) :
			repalloc_huge(found->numbers, sizeof(uint32) * found->max);
	}
	found->numbers[found->count++] = number;
}

extern bool lsh_remake_key(const LshLayout *layout, const uint16 *slots,
						   uint64 first, int shift, uint64 hi, uint64 *key);
extern int	lsh_ideal_shift(uint64 lo, uint64 hi);
extern void lsh_leaf_fill(Page page, const LshEntry *entries, int count,
						  int shift);
extern void lsh_inner_fill(Page page, const LshEntry *children, int count);
extern uint32 lsh_inner_child(Page page, uint64 key, bool leftmost);
extern LshEntry *lsh_inner_children(Page page);
extern BlockNumber lsh_tree_descend(Relation index, uint64 key,
									bool leftmost);
extern LshEntry *lsh_tree_leaves(Relation index, Size max, Size *count);
extern void lsh_tree_collect(Relation index, Snapshot snapshot, uint64 lo,
							 uint64 hi, LshNumbers *found);
extern void lsh_tree_insert(Relation index, const LshLayout *layout,
							const uint64 *keys, int count, uint32 number);
extern void lsh_tree_split(Relation index, const LshLayout *layout,
						   uint64 key);

#endif							/* LSH_TREE_H */
