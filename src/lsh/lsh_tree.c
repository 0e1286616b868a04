/*-------------------------------------------------------------------------
 *
 * lsh_tree.c
 *	  The tree of an lsh index: find keys of bands, and add them.
 *
 * The tree maps keys to numbers of records.  A leaf stands for a range of
 * keys, and stores of each key its distance from the start of the range,
 * shifted so that it fits 32 bits: a fragment.  Leaves split, but no leaf is
 * ever given up, nor a key moved to the left, so a block that was found
 * earlier is at most too far left, and the links to the right lead on.
 *
 * A search goes down page by page, holding the last page until it has the
 * next.  An insertion holds leaves only, and waits for none while it holds
 * another.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "lsh_cache.h"
#include "lsh_store.h"
#include "lsh_tree.h"
#include "lsh_wal.h"

/*** Pages in memory ***/

/* Return the shift with which keys of a range become fragments. */
int
lsh_ideal_shift(uint64 lo, uint64 hi)
{
	int			bits = hi > lo ? highest_bit(hi - lo) + 1 : 0;
	int			shift = Max(bits - 32, lsh_key_floor());

	return (hi >> shift) - (lo >> shift) > PG_UINT32_MAX ? shift + 1 : shift;
}

/*
 * Make the key of an entry again, of which only the first that it can be is
 * known; false if the record has no such key.
 */
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

/* Fill an empty leaf with entries in the order of their keys. */
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

/* Fill an empty inner page with children in the order of their keys. */
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

/*
 * Return the child of an inner page for a key: the last one that begins at it
 * or before it; the leftmost that may have it is the last that begins before.
 */
uint32
lsh_inner_child(Page page, uint64 key, bool leftmost)
{
	LshTree    *tree = LshPageTree(page);
	const uint64 *keys = LshKeys(page);
	int			count = lsh_tree_count(page);
	int			low = 0;
	int			high = tree->sorted;
	int			best;

	/* Find the first that begins too late. */
	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (leftmost ? keys[middle] < key : keys[middle] <= key)
			low = middle + 1;
		else
			high = middle;
	}
	best = Max(low - 1, 0);
	for (int i = tree->sorted; i < count; i++)
		if ((leftmost ? keys[i] < key : keys[i] <= key) && keys[i] >= keys[best])
			best = i;
	return LshNumber(page, best);
}

/* Read the children of an inner page in order; those of one key stay so. */
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

/*** Searching ***/

/* Go down to the leaf for a key; return its block. */
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

/* Find the leaf for a key, or one left of it; return its block. */
static BlockNumber
find_leaf(Relation index, uint64 key, bool leftmost)
{
	BlockNumber block = lsh_cached_leaf(index, key, leftmost);

	return block != InvalidBlockNumber ? block :
		lsh_tree_descend(index, key, leftmost);
}

/* Refuse a page that is not the leaf for a key, or one left of it. */
static void
check_leaf(Relation index, Buffer buffer, uint64 key)
{
	LshTree    *tree = LshPageTree(BufferGetPage(buffer));

	if (tree->level != 0 || tree->lo > key ||
		(tree->hi < key && tree->head.right == InvalidBlockNumber))
		lsh_report_damage(index, BufferGetBlockNumber(buffer),
						  "It is not the leaf that the tree says it is.");
}

/* Lock the leaf for a key, given one at it or left of it. */
static Buffer
lock_leaf(Relation index, BlockNumber block, uint64 key, int lock)
{
	BlockNumber steps = 0;

	for (;;)
	{
		Buffer		buffer = lsh_read_again(index, block, lock, LSH_TREE);
		LshTree    *tree = LshPageTree(BufferGetPage(buffer));

		check_leaf(index, buffer, key);
		if (tree->hi >= key)
			return buffer;
		block = tree->head.right;
		UnlockReleaseBuffer(buffer);
		lsh_step(index, block, &steps);
		lsh_cache_moved(index);
	}
}

/*
 * Find the first of some sorted fragments that is not below another: from a
 * guess, since they are hashes and lie at even distances.
 */
static int
first_fragment(const uint32 *fragments, int count, uint32 from, uint32 largest)
{
	int			low = 0;
	int			high = count;
	int			guess = (int) ((double) from / ((double) largest + 1) * count);
	int			step = 8;

	if (guess < count && fragments[guess] < from)
	{
		for (low = guess; low + step < count && fragments[low + step] < from;)
		{
			low += step;
			step *= 2;
		}
		high = Min(low + step, count);
	}
	else
	{
		for (high = guess; high - step > 0 && fragments[high - step] >= from;)
		{
			high -= step;
			step *= 2;
		}
		low = Max(high - step, 0);
	}
	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (fragments[middle] < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Collect the records of a leaf with keys in a range, and perhaps some more:
 * fragments may not tell keys apart that lie close together.
 */
static void
collect_leaf(Page page, uint64 lo, uint64 hi, LshNumbers *found)
{
	LshTree    *tree = LshPageTree(page);
	const uint32 *fragments = LshFragments(page);
	int			count = lsh_tree_count(page);
	uint32		from;
	uint32		to;
	uint32		largest;

	if (lo > tree->hi || hi < tree->lo)
		return;
	from = lsh_key_fragment(tree, Max(lo, tree->lo));
	to = lsh_key_fragment(tree, Min(hi, tree->hi));
	largest = lsh_key_fragment(tree, tree->hi);
	for (int i = first_fragment(fragments, tree->sorted, from, largest);
		 i < tree->sorted && fragments[i] <= to; i++)
		lsh_add_number(found, LshNumber(page, i));
	for (int i = tree->sorted; i < count; i++)
		if (fragments[i] - from <= to - from)
			lsh_add_number(found, LshNumber(page, i));
}

/* Collect the records with keys in a range, for a snapshot. */
void
lsh_tree_collect(Relation index, Snapshot snapshot, uint64 lo, uint64 hi,
				 LshNumbers *found)
{
	BlockNumber block = find_leaf(index, lo, true);
	BlockNumber steps = 0;
	Buffer		buffer = lock_leaf(index, block, lo, BUFFER_LOCK_SHARE);

	for (;;)
	{
		LshTree    *tree = LshPageTree(BufferGetPage(buffer));

		lsh_test_snapshot(snapshot, index, BufferGetPage(buffer));
		collect_leaf(BufferGetPage(buffer), lo, hi, found);
		block = tree->head.right;
		/* The next leaf can begin with the last key of this one. */
		if (tree->hi > hi || block == InvalidBlockNumber)
			break;
		UnlockReleaseBuffer(buffer);
		lsh_step(index, block, &steps);
		buffer = lsh_read_again(index, block, BUFFER_LOCK_SHARE, LSH_TREE);
		check_leaf(index, buffer, UINT64_MAX);
		if (LshPageTree(BufferGetPage(buffer))->lo > hi)
			break;
	}
	UnlockReleaseBuffer(buffer);
}

/* The leaves that are collected. */
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

/*** Adding ***/

/* Entries that are being added to a leaf: what is written where. */
typedef struct NewEntries
{
	Buffer		buffer;
	LocationIndex bounds[2];	/* pd_lower and pd_upper */
	int			count;
	uint32		fragments[BAND_MAX];
	uint32		numbers[BAND_MAX];
} NewEntries;

/*
 * Lock the leaf for a key without waiting; InvalidBuffer if another holds it,
 * or a page on the way, or this insertion does.
 */
static Buffer
try_leaf(Relation index, BlockNumber block, uint64 key)
{
	BlockNumber steps = 0;

	for (;;)
	{
		Buffer		buffer = lsh_pin_again(index, block);
		LshTree    *tree = LshPageTree(BufferGetPage(buffer));

		if (!ConditionalLockBuffer(buffer))
		{
			ReleaseBuffer(buffer);
			return InvalidBuffer;
		}
		lsh_page_check(index, buffer, LSH_TREE);
		check_leaf(index, buffer, key);
		if (tree->hi >= key)
			return buffer;
		block = tree->head.right;
		UnlockReleaseBuffer(buffer);
		lsh_step(index, block, &steps);
	}
}

/* Make the entries for as many of some keys as a leaf has room for. */
static void
make_entries(NewEntries *new, const uint64 *keys, int count, uint32 number)
{
	Page		page = BufferGetPage(new->buffer);
	LshTree    *tree = LshPageTree(page);
	int			room = LSH_LEAF_MAX - lsh_tree_count(page);

	new->count = 0;
	while (new->count < Min(room, count) && keys[new->count] <= tree->hi)
	{
		new->fragments[new->count] =
			lsh_key_fragment(tree, keys[new->count]);
		new->numbers[new->count++] = number;
	}
	new->bounds[0] = ((PageHeader) page)->pd_lower + 4 * new->count;
	new->bounds[1] = ((PageHeader) page)->pd_upper - 4 * new->count;
}

/* Add entries to a change. */
static void
put_entries(LshWal *wal, const NewEntries *new)
{
	int			place = lsh_wal_page(wal, new->buffer);
	Size		size = sizeof(uint32) * new->count;

	lsh_wal_put(wal, place, offsetof(PageHeaderData, pd_lower), new->bounds,
				sizeof(new->bounds));
	lsh_wal_put(wal, place, new->bounds[0] - size, new->fragments, size);
	lsh_wal_put(wal, place, new->bounds[1], new->numbers, size);
}

/*
 * Add the first of some keys, on as many leaves as fit one record; return how
 * many.  Whether the leaf for the next key had no room is told, too.
 */
static int
insert_some(Relation index, const uint64 *keys, const BlockNumber *blocks,
			int count, uint32 number, bool *full)
{
	NewEntries	new[LSH_WAL_PAGES];
	LshWal		wal;
	int			pages = 0;
	int			done = 0;

	*full = false;
	lsh_wal_begin(&wal, index);
	while (done < count && pages < LSH_WAL_PAGES && !*full)
	{
		Buffer		buffer = pages == 0 ?
			lock_leaf(index, blocks[done], keys[done], BUFFER_LOCK_EXCLUSIVE) :
			try_leaf(index, blocks[done], keys[done]);

		if (!BufferIsValid(buffer))
			break;
		new[pages].buffer = buffer;
		make_entries(&new[pages], keys + done, count - done, number);
		done += new[pages].count;
		*full = done < count &&
			keys[done] <= LshPageTree(BufferGetPage(buffer))->hi;
		if (new[pages].count > 0)
			put_entries(&wal, &new[pages]);
		pages++;
	}
	if (done > 0)
		lsh_wal_finish(&wal);
	while (pages > 0)
		UnlockReleaseBuffer(new[--pages].buffer);
	return done;
}

/* Add the entries of a record, given its keys in ascending order. */
void
lsh_tree_insert(Relation index, const LshLayout *layout, const uint64 *keys,
				int count, uint32 number)
{
	BlockNumber blocks[BAND_MAX];
	int			done = 0;

	for (int i = 0; i < count; i++)
		blocks[i] = find_leaf(index, keys[i], false);
	while (done < count)
	{
		bool		full;

		CHECK_FOR_INTERRUPTS();
		done += insert_some(index, keys + done, blocks + done, count - done,
							number, &full);
		if (full)
		{
			lsh_tree_split(index, layout, keys[done]);
			blocks[done] = lsh_tree_descend(index, keys[done], false);
		}
	}
}
