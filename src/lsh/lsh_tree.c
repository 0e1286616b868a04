/*-------------------------------------------------------------------------
 *
 * lsh_tree.c
 *	  Descending the tree of an lsh index.
 *
 * The tree maps keys of bands to record numbers.  A descent locks an inner page
 * before it releases the parent, so that it cannot miss a split.  Leaves split,
 * but are never removed, and keys never move to the left.  So a block that a
 * descent returned earlier is at most too far left, and the links to the right
 * lead on from it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "lsh_tree.h"

/* Descend to the leaf for a key. */
BlockNumber
lsh_tree_descend(Relation index, uint64 key, bool leftmost)
{
	Buffer		buffer = lsh_read(index, LSH_ROOT_BLOCK, BUFFER_LOCK_SHARE,
								  LSH_TREE);

	for (;;)
	{
		Page		page = BufferGetPage(buffer);
		int			level = LshPageTree(page)->level;
		BlockNumber child;
		Buffer		next;

		if (level == 0)
			lsh_report_damage(index, BufferGetBlockNumber(buffer),
							  "An inner page of the tree is missing.");
		child = lsh_inner_child(page, key, leftmost);
		if (level == 1)
		{
			UnlockReleaseBuffer(buffer);
			return child;
		}
		next = lsh_read(index, child, BUFFER_LOCK_SHARE, LSH_TREE);
		if (LshPageTree(BufferGetPage(next))->level != level - 1)
			lsh_report_damage(index, child, "It is at the wrong level.");
		UnlockReleaseBuffer(buffer);
		buffer = next;
	}
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
			found->leaves[found->count++] = children[i];
		else
			collect_leaves(index, children[i].number, level - 1, found);
	pfree(children);
}

/* Return the lowest key and the block of each leaf. */
LshEntry *
lsh_tree_leaves(Relation index, Size max, Size *count)
{
	Leaves		found = {.max = Min(max, RelationGetNumberOfBlocks(index))};

	found.leaves = palloc(sizeof(LshEntry) * found.max);
	collect_leaves(index, LSH_ROOT_BLOCK, -1, &found);
	*count = found.count < max ? found.count : 0;
	return found.leaves;
}
