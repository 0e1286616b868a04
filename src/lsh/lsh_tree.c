/*-------------------------------------------------------------------------
 *
 * lsh_tree.c
 *	  Contents of tree pages of an lsh index, and descending the tree.
 *
 * The tree maps keys to record numbers.  A leaf stores 32 bits of each key.
 * Keys on it lie between lo and hi, so a fragment is (key >> shift) - (lo >>
 * shift).  A new leaf has the smallest shift for which all fragments fit;
 * lsh_split.c says when a split makes it smaller.
 *
 * A descent locks an inner page before it releases the parent, so that it
 * cannot miss a split.  By the time the caller locks the leaf, that may have
 * been split, merged into another or used again; lsh_leaf_lock() finds out, and
 * calls lsh_tree_leaf(), which holds the parent until it has locked the leaf.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "lsh.h"

/*** Keys ***/

/* Compute the smallest shift with which fragments fit 32 bits. */
int
lsh_ideal_shift(const LshLayout *layout, uint64 lo, uint64 hi)
{
	int			bits = hi > lo ? highest_bit(hi - lo) + 1 : 0;
	int			shift = Max(bits - 32, layout->key_floor);

	return (hi >> shift) - (lo >> shift) > PG_UINT32_MAX ? shift + 1 : shift;
}

/* Compute the key of an entry from the slots of its record. */
bool
lsh_remake_key(const LshLayout *layout, const uint16 *slots, uint64 first,
			   int shift, uint64 hi, uint64 *key)
{
	int			num_hashes = layout->kind.num_hashes;
	int			band = band_of_key(first);

	if (slots_are_empty(slots, num_hashes) || band >= band_count(num_hashes))
		return false;
	*key = band_key(slots, num_hashes, band, band_rows(band, num_hashes));
	return *key >= first && *key <= lsh_fragment_end(first, shift) &&
		*key <= hi;
}

/*** Making and reading pages ***/

/* Make a tree page whose entries have keys of width bytes each. */
static void
make_page(Page page, int level, uint64 lo, uint64 hi, int count, int width)
{
	LshTree    *tree = LshPageTree(page);

	lsh_page_init(page, LSH_TREE);
	tree->lo = lo;
	tree->hi = hi;
	tree->sorted = (uint16) count;
	tree->level = (uint8) level;
	tree->shift = 0;
	tree->unused = 0;
	((PageHeader) page)->pd_lower = (uint16) (LSH_TREE_START + width * count);
	((PageHeader) page)->pd_upper = (uint16) (BLCKSZ - 4 * count);
}

/* Make a leaf with sorted entries. */
void
lsh_leaf_make(Page page, uint64 lo, uint64 hi, const LshEntry *entries,
			  int count, int shift)
{
	LshTree    *tree = LshPageTree(page);

	make_page(page, 0, lo, hi, count, sizeof(uint32));
	tree->shift = (uint8) shift;
	for (int i = 0; i < count; i++)
	{
		LshFragments(page)[i] = lsh_key_fragment(tree, entries[i].key);
		LshNumber(page, i) = entries[i].number;
	}
}

/* Read the entries of a leaf, and sort them by their fragments. */
int
lsh_leaf_entries(Page page, LshEntry *entries)
{
	int			count = lsh_tree_count(page);

	for (int i = 0; i < count; i++)
		entries[i] = (LshEntry) {.key = LshFragments(page)[i], .number = LshNumber(page, i)};
	lsh_sort(entries, count, true);
	for (int i = 0; i < count; i++)
		entries[i].key = lsh_fragment_key(LshPageTree(page),
										  (uint32) entries[i].key);
	return count;
}

/* Make an inner page with sorted children. */
void
lsh_inner_make(Page page, int level, uint64 lo, uint64 hi,
			   const LshEntry *children, int count)
{
	make_page(page, level, lo, hi, count, sizeof(uint64));
	for (int i = 0; i < count; i++)
	{
		LshKeys(page)[i] = children[i].key;
		LshNumber(page, i) = children[i].number;
	}
}

/* Find the child for a key: among the sorted ones, then among later ones. */
BlockNumber
lsh_inner_child(Relation index, Buffer parent, uint64 key, bool leftmost)
{
	Page		page = BufferGetPage(parent);
	const uint64 *keys = LshKeys(page);
	int			count = lsh_tree_count(page);
	int			sorted = LshPageTree(page)->sorted;
	uint64		beyond = lsh_key_beyond(key, leftmost);
	int			best = Max(lsh_first_from(keys, true, sorted, beyond,
										  sorted / 2) - 1, 0);

	for (int i = sorted; i < count; i++)
		if (keys[i] < beyond && keys[i] >= keys[best])
			best = i;
	/* To lock it again would be to wait without end. */
	if (LshNumber(page, best) == BufferGetBlockNumber(parent))
		lsh_report_damage(index, LshNumber(page, best), "It is its own child.");
	return LshNumber(page, best);
}

/* Return the children of an inner page, sorted. */
LshEntry *
lsh_inner_children(Page page)
{
	int			count = lsh_tree_count(page);
	LshEntry   *children = palloc(sizeof(LshEntry) * (count + 1));

	for (int i = 0; i < count; i++)
		children[i] = (LshEntry) {.key = LshKeys(page)[i], .number = LshNumber(page, i)};
	lsh_sort(children, count, false);
	return children;
}

/*** Descending ***/

/* Descend to the parent of the leaf for a key; set *child to the leaf. */
static Buffer
descend(Relation index, uint64 key, bool leftmost, BlockNumber *child)
{
	Buffer		buffer = lsh_read(index, LSH_ROOT_BLOCK, BUFFER_LOCK_SHARE,
								  LSH_TREE);

	for (;;)
	{
		Page		page = BufferGetPage(buffer);
		int			level = LshPageTree(page)->level;
		Buffer		next;

		if (level == 0)
			lsh_report_damage(index, BufferGetBlockNumber(buffer),
							  "An inner page of the tree is missing.");
		*child = lsh_inner_child(index, buffer, key, leftmost);
		if (level == 1)
			return buffer;
		next = lsh_read(index, *child, BUFFER_LOCK_SHARE, LSH_TREE);
		if (LshPageTree(BufferGetPage(next))->level != level - 1)
			lsh_report_damage(index, *child, "It is at the wrong level.");
		UnlockReleaseBuffer(buffer);
		buffer = next;
	}
}

/* Descend to the leaf for a key. */
BlockNumber
lsh_tree_descend(Relation index, uint64 key, bool leftmost)
{
	BlockNumber leaf;

	UnlockReleaseBuffer(descend(index, key, leftmost, &leaf));
	return leaf;
}

/* Descend to the leaf for a key, and lock it before its parent is released. */
Buffer
lsh_tree_leaf(Relation index, uint64 key, bool leftmost, int lock)
{
	BlockNumber block;
	Buffer		parent = descend(index, key, leftmost, &block);
	Buffer		leaf = lsh_read(index, block, lock, LSH_TREE);

	if (!lsh_leaf_is_for(BufferGetPage(leaf), key, leftmost))
		lsh_report_damage(index, block,
						  "It is not the leaf that the tree says it is.");
	UnlockReleaseBuffer(parent);
	return leaf;
}

/* Leaves collected so far. */
typedef struct Leaves
{
	LshEntry   *leaves;
	Size		count;
	Size		max;
} Leaves;

/* Collect the leaves below an inner page. */
static void
collect_leaves(Relation index, BlockNumber block, int level, Leaves *found)
{
	Buffer		buffer = lsh_read(index, block, BUFFER_LOCK_SHARE, LSH_TREE);
	LshTree    *tree = LshPageTree(BufferGetPage(buffer));
	int			count = lsh_tree_count(BufferGetPage(buffer));
	LshEntry   *children = lsh_inner_children(BufferGetPage(buffer));

	if (tree->level == 0 || (level >= 0 && tree->level != level))
		lsh_report_damage(index, block, "It is at the wrong level.");
	level = tree->level;
	UnlockReleaseBuffer(buffer);
	CHECK_FOR_INTERRUPTS();
	for (int i = 0; i < count && found->count < found->max; i++)
		if (level == 1)
		{
			children[i].parent = block;
			found->leaves[found->count++] = children[i];
		}
		else
			collect_leaves(index, children[i].number, level - 1, found);
	pfree(children);
}

/* Return the lowest key, the block and the parent of each leaf. */
LshEntry *
lsh_tree_leaves(Relation index, Size max, Size *count)
{
	Leaves		found = {.max = Min(max, RelationGetNumberOfBlocks(index))};

	found.leaves = palloc_extended(sizeof(LshEntry) * found.max,
								   MCXT_ALLOC_HUGE);
	collect_leaves(index, LSH_ROOT_BLOCK, -1, &found);
	*count = found.count < max ? found.count : 0;
	return found.leaves;
}
