/*-------------------------------------------------------------------------
 *
 * lsh_node.h
 *	  Contents of tree pages: key fragments and children.
 *
 * The functions that take a page expect a checked tree page under a lock, or a
 * page in memory.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_NODE_H
#define LSH_NODE_H

#include "core/bands/bands.h"
#include "core/base/hash.h"
#include "lsh_layout.h"

/* Fill factor of tree pages in CREATE INDEX, in percent. */
#define LSH_DEFAULT_FILLFACTOR 90
#define LSH_MIN_FILLFACTOR 20

/* An entry of a leaf, or a child of an inner page: lowest key and block. */
typedef struct LshEntry
{
	uint64		key;
	uint32		number;
} LshEntry;

/* A list of record numbers, or of blocks; all zero is the empty list. */
typedef struct LshNumbers
{
	uint32	   *numbers;		/* palloc'd when the first is added */
	Size		count;
	Size		max;
} LshNumbers;

/* Append a number to a list. */
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

/*
 * Return a key of passages as the tree stores it: 32 bits, in the order of the
 * signed numbers, then 32 zeros, so that the fragments of any leaf are exact.
 */
static inline uint64
lsh_passage_key(int32 key)
{
	return (uint64) ((uint32) key ^ (UINT32_C(1) << 31)) << 32;
}

/* Return the fragment of a key that lies between lo and hi of a leaf. */
static inline uint32
lsh_key_fragment(const LshTree *tree, uint64 key)
{
	return (uint32) ((key >> tree->shift) - (tree->lo >> tree->shift));
}

/* Return the first key on a leaf that a fragment can stand for. */
static inline uint64
lsh_fragment_key(const LshTree *tree, uint32 fragment)
{
	return Max(((tree->lo >> tree->shift) + fragment) << tree->shift, tree->lo);
}

/* Return the last key that a fragment can stand for, given the first. */
static inline uint64
lsh_fragment_end(uint64 first, int shift)
{
	return first | ((UINT64CONST(1) << shift) - 1);
}

/*
 * Return the bound below which the page for a key begins: it is the last page
 * whose lowest key is less than the bound.  leftmost is as in
 * lsh_inner_child().
 */
static inline uint64
lsh_key_beyond(uint64 key, bool leftmost)
{
	return leftmost || key == UINT64_MAX ? key : key + 1;
}

/* Return the smallest shift with which fragments of lo to hi fit 32 bits. */
extern int	lsh_ideal_shift(const LshLayout *layout, uint64 lo, uint64 hi);

/*
 * Compute the key of an entry from the slots of its record.  first is the
 * first key that its fragment can stand for, shift and hi are those of the
 * leaf.  Return false if the record has no such key: then the index is damaged.
 */
extern bool lsh_remake_key(const LshLayout *layout, const uint16 *slots,
						   uint64 first, int shift, uint64 hi, uint64 *key);

/*
 * Make a leaf in memory for the keys lo to hi, both inclusive, with at most
 * LSH_LEAF_MAX sorted entries.
 */
extern void lsh_leaf_make(Page page, uint64 lo, uint64 hi,
						  const LshEntry *entries, int count, int shift);

/* Sort nearly sorted entries by key; the sort is stable. */
extern void lsh_sort_entries(LshEntry *entries, int count);

/*
 * Read the entries of a leaf into an array with room for LSH_LEAF_MAX, sorted
 * by the first keys that their fragments can stand for; return their number.
 */
extern int	lsh_leaf_entries(Page page, LshEntry *entries);

/*
 * Make an inner page in memory for the keys lo to hi, both inclusive, with at
 * most LSH_INNER_MAX sorted children.
 */
extern void lsh_inner_make(Page page, int level, uint64 lo, uint64 hi,
						   const LshEntry *children, int count);

/*
 * Return the block of the child for a key: the last child that begins at the
 * key or before it.  If leftmost, return the last that begins before the key,
 * because a key that fills several leaves begins on that one.
 */
extern BlockNumber lsh_inner_child(Page page, uint64 key, bool leftmost);

/*
 * Return the children of an inner page in the order of their keys, palloc'd;
 * children of the same key stay in the order in which they were added.
 */
extern LshEntry *lsh_inner_children(Page page);

#endif							/* LSH_NODE_H */
