/*-------------------------------------------------------------------------
 *
 * lsh_node.c
 *	  Contents of tree pages: key fragments and children.
 *
 * A leaf stores 32 bits of each key.  Keys on it lie between lo and hi, so a
 * fragment is (key >> shift) - (lo >> shift), with the smallest shift for which
 * all fragments fit.  Each split halves the range and so adds a bit.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lsh_node.h"
#include "lsh_search_sorted.h"

/* Make an empty tree page. */
void
lsh_tree_init(Page page, int level, uint64 lo, uint64 hi)
{
	LshTree    *tree = LshPageTree(page);

	lsh_page_init(page, LSH_TREE);
	tree->lo = lo;
	tree->hi = hi;
	tree->sorted = 0;
	tree->level = (uint8) level;
	tree->shift = 0;
	tree->unused = 0;
	((PageHeader) page)->pd_lower = LSH_TREE_START;
}

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
	*key = lsh_band_key(slots, num_hashes, band);
	return *key >= first && *key <= lsh_fragment_end(first, shift) &&
		*key <= hi;
}

/* Fill an empty leaf with sorted entries. */
void
lsh_leaf_fill(Page page, const LshEntry *entries, int count, int shift)
{
	LshTree    *tree = LshPageTree(page);

	tree->sorted = (uint16) count;
	tree->shift = (uint8) shift;
	for (int i = 0; i < count; i++)
	{
		LshFragments(page)[i] = lsh_key_fragment(tree, entries[i].key);
		LshNumber(page, i) = entries[i].number;
	}
	((PageHeader) page)->pd_lower = (uint16) (LSH_TREE_START + 4 * count);
	((PageHeader) page)->pd_upper = (uint16) (BLCKSZ - 4 * count);
}

/*
 * Sort entries by key.  This is an insertion sort, because the entries are
 * nearly sorted.
 */
void
lsh_sort_entries(LshEntry *entries, int count)
{
	for (int i = 1; i < count; i++)
	{
		LshEntry	entry = entries[i];
		int			place = i;

		for (; place > 0 && entries[place - 1].key > entry.key; place--)
			entries[place] = entries[place - 1];
		entries[place] = entry;
	}
}

/*
 * Read the entries of a leaf in the order of their fragments: a distribution
 * sort.  Keys are hashes and evenly spread, so the place interpolated from a
 * fragment is nearly the right one.
 */
int
lsh_leaf_entries(Page page, LshEntry *entries)
{
	const LshTree *tree = LshPageTree(page);
	int			count = lsh_tree_count(page);
	uint32		largest = lsh_key_fragment(tree, tree->hi);
	int			places[LSH_LEAF_MAX + 2] = {0};

	for (int i = 0; i < count; i++)
		places[lsh_guess_place(LshFragments(page)[i], largest, count) + 1]++;
	for (int i = 1; i <= count; i++)
		places[i] += places[i - 1];
	for (int i = 0; i < count; i++)
	{
		uint32		fragment = LshFragments(page)[i];
		int			place = places[lsh_guess_place(fragment, largest, count)]++;

		entries[place].key = lsh_fragment_key(tree, fragment);
		entries[place].number = LshNumber(page, i);
	}
	lsh_sort_entries(entries, count);
	return count;
}

/* Fill an empty inner page with sorted children. */
void
lsh_inner_fill(Page page, const LshEntry *children, int count)
{
	for (int i = 0; i < count; i++)
	{
		LshKeys(page)[i] = children[i].key;
		LshNumber(page, i) = children[i].number;
	}
	LshPageTree(page)->sorted = (uint16) count;
	((PageHeader) page)->pd_lower = (uint16) (LSH_TREE_START + 8 * count);
	((PageHeader) page)->pd_upper = (uint16) (BLCKSZ - 4 * count);
}

/* Find the child for a key: among the sorted ones, then among later ones. */
BlockNumber
lsh_inner_child(Page page, uint64 key, bool leftmost)
{
	const uint64 *keys = LshKeys(page);
	int			count = lsh_tree_count(page);
	int			sorted = LshPageTree(page)->sorted;
	uint64		beyond = lsh_key_beyond(key, leftmost);
	int			best = Max(lsh_first_from(keys, true, sorted, beyond,
										  sorted / 2) - 1, 0);

	for (int i = sorted; i < count; i++)
		if (keys[i] < beyond && keys[i] >= keys[best])
			best = i;
	return LshNumber(page, best);
}

/* Return the children of an inner page, sorted. */
LshEntry *
lsh_inner_children(Page page)
{
	int			count = lsh_tree_count(page);
	LshEntry   *children = palloc(sizeof(LshEntry) * (count + 1));
	int			sorted = LshPageTree(page)->sorted;

	for (int i = 0; i < count; i++)
	{
		LshEntry	child = {LshKeys(page)[i], LshNumber(page, i)};
		int			place = i;

		/* insertion sort, of the short tail */
		while (i >= sorted && place > 0 && children[place - 1].key > child.key)
		{
			children[place] = children[place - 1];
			place--;
		}
		children[place] = child;
	}
	return children;
}
