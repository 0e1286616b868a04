/*-------------------------------------------------------------------------
 *
 * lsh_split.c
 *	  Splitting pages of the tree of an lsh index.
 *
 * A split descends from the root with exclusive locks, and splits full inner
 * pages on the way, so that there is always room for a new child.  Parent, left
 * and right page change in one WAL record; no split is ever incomplete.
 *
 * The right half becomes a new page.  Where possible, a page is cut between two
 * keys.  The halves cover fewer keys, so their fragments can hold more bits of
 * each key, but only if the keys are made again from the records.  A key that
 * fills a whole page gets another page for itself.  Of the pages of one key
 * only the last may hold other keys, and it is last in its parent; so the last
 * child that begins at a key or before it is always the right one.
 *
 * Order of locks, in replay too: from the root to the leaf, then store pages.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lsh.h"

/*
 * Bits that the fragments of a leaf may lack, compared with those of a new
 * leaf for the same range, before a split makes its keys again from the
 * records.  That reads as many store pages as the leaf has entries, so it must
 * be rare: every 12 doublings of the number of leaves.  In the meantime at
 * least 20 bits tell the 1,017 entries of a leaf apart, so that a search reads
 * one record too many for every thousand leaves.
 */
#define SHIFT_SLACK 12

#define PREFETCH_AHEAD 6		/* records */

/* A leaf being split. */
typedef struct Leaf
{
	uint64		lo;
	uint64		hi;
	int			shift;
	bool		exact;			/* keys are complete, not the lowest that
								 * their fragments can stand for */
	int			count;
	LshEntry	entries[LSH_LEAF_MAX];
} Leaf;

/* A cut: the first entry of the right page, and the ranges of both. */
typedef struct Cut
{
	int			place;
	uint64		left_hi;
	uint64		right_lo;
} Cut;

/* Make all keys of a leaf again from the records, and sort them. */
static void
remake_keys(Relation index, const LshLayout *layout, BlockNumber block,
			Leaf *leaf)
{
	uint16		slots[SKETCH_MAX_HASHES];

	for (int i = 0; i < leaf->count; i++)
	{
		if (i + PREFETCH_AHEAD < leaf->count)
			lsh_prefetch_record(index, layout,
								leaf->entries[i + PREFETCH_AHEAD].number);
		lsh_store_slots(index, layout, leaf->entries[i].number, slots);
		if (!lsh_remake_key(layout, slots, leaf->entries[i].key, leaf->shift,
							leaf->hi, &leaf->entries[i].key))
			lsh_report_damage(index, block,
							  "An entry has a key that its record does not have.");
	}
	lsh_sort(leaf->entries, leaf->count, false);
	leaf->exact = true;
}

/*
 * Return the first entry of the right half of sorted entries or children:
 * between two keys, as close to the middle as possible, or 0 if all have the
 * same key.
 */
static int
right_half(const LshEntry *entries, int count)
{
	for (int distance = 0; distance <= count / 2; distance++)
		for (int sign = -1; sign <= 1; sign += 2)
		{
			int			half = count / 2 + sign * distance;

			if (half > 0 && half < count &&
				entries[half].key != entries[half - 1].key)
				return half;
		}
	return 0;
}

/*
 * Cut a leaf whose entries all have the same key: after the key if the leaf's
 * range extends beyond it, otherwise before it if the range begins earlier,
 * otherwise into two leaves for the same key.
 */
static Cut
cut_at_key(const LshLayout *layout, const Leaf *leaf)
{
	uint64		key = leaf->entries[0].key;
	uint64		last = key + (UINT64CONST(1) << layout->key_floor) - 1;

	if (last < leaf->hi)
		return (Cut) {leaf->count, last, last + 1};
	if (key > leaf->lo)
		return (Cut) {0, key - 1, key};
	return (Cut) {leaf->count, key, key};
}

/* Choose where to cut a leaf; make its keys again if that is necessary. */
static Cut
cut_leaf(Relation index, const LshLayout *layout, BlockNumber block, Leaf *leaf)
{
	int			ideal = lsh_ideal_shift(layout, leaf->lo,
										leaf->lo + (leaf->hi - leaf->lo) / 2);
	int			place = right_half(leaf->entries, leaf->count);
	uint64		key;

	if (!leaf->exact && (leaf->shift >= ideal + SHIFT_SLACK || place == 0))
	{
		remake_keys(index, layout, block, leaf);
		place = right_half(leaf->entries, leaf->count);
	}
	if (place == 0)
		return cut_at_key(layout, leaf);
	key = leaf->entries[place].key;
	return (Cut) {place, key - 1, key};
}

/* Make one half of a leaf in memory. */
static void
make_leaf(const LshLayout *layout, Page page, const Leaf *leaf, uint64 lo,
		  uint64 hi, const LshEntry *entries, int count, BlockNumber right)
{
	lsh_leaf_make(page, lo, hi, entries, count,
				  leaf->exact ? lsh_ideal_shift(layout, lo, hi) : leaf->shift);
	LshHead(page)->right = right;
}

/*
 * Write and log the two halves of a page and the new child of their parent.
 *
 * Replay locks the pages in the order in which the record names them.  Searches
 * lock the parent first, so it comes first here.
 */
static void
log_split(Relation index, Buffer parent, Buffer left, Buffer right,
		  PGAlignedBlock *images, uint64 right_lo)
{
	BlockNumber block = BufferGetBlockNumber(right);
	LshWal		wal;

	lsh_wal_begin(&wal, index);
	lsh_wal_entries(&wal, parent, &right_lo, sizeof(right_lo), &block, 1);
	lsh_wal_image(&wal, left, images[0].data);
	lsh_wal_image(&wal, right, images[1].data);
	lsh_wal_finish(&wal);
}

/* Split a leaf. */
static void
split_leaf(Relation index, const LshLayout *layout, Buffer parent, Buffer left)
{
	const LshTree *tree = LshPageTree(BufferGetPage(left));
	Leaf	   *leaf = palloc(sizeof(Leaf));
	PGAlignedBlock images[2];
	Buffer		right;
	Cut			cut;

	leaf->lo = tree->lo;
	leaf->hi = tree->hi;
	leaf->shift = tree->shift;
	leaf->exact = tree->shift <= layout->key_floor;
	leaf->count = lsh_leaf_entries(BufferGetPage(left), leaf->entries);
	cut = cut_leaf(index, layout, BufferGetBlockNumber(left), leaf);
	right = lsh_new_buffer(index);

	make_leaf(layout, (Page) images[0].data, leaf, leaf->lo, cut.left_hi,
			  leaf->entries, cut.place, BufferGetBlockNumber(right));
	make_leaf(layout, (Page) images[1].data, leaf, cut.right_lo, leaf->hi,
			  leaf->entries + cut.place, leaf->count - cut.place,
			  tree->head.right);
	log_split(index, parent, left, right, images, cut.right_lo);
	UnlockReleaseBuffer(right);
	pfree(leaf);
}

/*
 * Make the two halves of an inner page in memory; return the lowest key of the
 * right one.
 */
static uint64
make_halves(Page page, PGAlignedBlock *images)
{
	LshTree    *tree = LshPageTree(page);
	int			count = lsh_tree_count(page);
	LshEntry   *children = lsh_inner_children(page);
	int			half = right_half(children, count);
	bool		same = half == 0;
	uint64		right_lo;

	if (same)
		half = count / 2;
	right_lo = children[half].key;
	lsh_inner_make((Page) images[0].data, tree->level, tree->lo,
				   same ? right_lo : right_lo - 1, children, half);
	lsh_inner_make((Page) images[1].data, tree->level, right_lo, tree->hi,
				   children + half, count - half);
	pfree(children);
	return right_lo;
}

/* Split an inner page that is not the root. */
static void
split_inner(Relation index, Buffer parent, Buffer left)
{
	PGAlignedBlock images[2];
	uint64		right_lo = make_halves(BufferGetPage(left), images);
	Buffer		right = lsh_new_buffer(index);

	log_split(index, parent, left, right, images, right_lo);
	UnlockReleaseBuffer(right);
}

/* Move the children of the root to two new pages, which become its children. */
static void
grow_root(Relation index, Buffer root)
{
	LshTree    *tree = LshPageTree(BufferGetPage(root));
	PGAlignedBlock images[3];
	LshEntry	children[2] = {{.key = tree->lo}};
	Buffer		buffers[2];
	LshWal		wal;

	children[1].key = make_halves(BufferGetPage(root), images);
	lsh_wal_begin(&wal, index);
	for (int i = 0; i < 2; i++)
	{
		buffers[i] = lsh_new_buffer(index);
		children[i].number = BufferGetBlockNumber(buffers[i]);
		lsh_wal_image(&wal, buffers[i], images[i].data);
	}
	lsh_inner_make((Page) images[2].data, tree->level + 1, tree->lo, tree->hi,
				   children, 2);
	lsh_wal_image(&wal, root, images[2].data);
	lsh_wal_finish(&wal);
	UnlockReleaseBuffer(buffers[0]);
	UnlockReleaseBuffer(buffers[1]);
}

/* Lock the child of an inner page for a key, and check its range. */
static Buffer
lock_child(Relation index, Buffer parent, uint64 key)
{
	Page		page = BufferGetPage(parent);
	BlockNumber block = lsh_inner_child(page, key, false);
	Buffer		child = lsh_read_cached(index, block, BUFFER_LOCK_EXCLUSIVE,
										LSH_TREE);
	LshTree    *tree = LshPageTree(BufferGetPage(child));

	if (tree->level != LshPageTree(page)->level - 1 ||
		tree->lo > key || tree->hi < key)
		lsh_report_damage(index, block,
						  "It is not the page that the tree says it is.");
	return child;
}

/* Split the leaf for a key if it is full. */
void
lsh_tree_split(Relation index, const LshLayout *layout, uint64 key)
{
	Buffer		parent = lsh_read_cached(index, LSH_ROOT_BLOCK,
										 BUFFER_LOCK_EXCLUSIVE, LSH_TREE);

	if (LshPageTree(BufferGetPage(parent))->level == 0)
		lsh_report_damage(index, LSH_ROOT_BLOCK, "The root is a leaf.");
	if (lsh_tree_count(BufferGetPage(parent)) >= LSH_INNER_MAX)
		grow_root(index, parent);
	for (;;)
	{
		bool		is_leaf = LshPageTree(BufferGetPage(parent))->level == 1;
		Buffer		child = lock_child(index, parent, key);
		int			count = lsh_tree_count(BufferGetPage(child));

		if (is_leaf)
		{
			if (count >= LSH_LEAF_MAX)
				split_leaf(index, layout, parent, child);
			UnlockReleaseBuffer(child);
			UnlockReleaseBuffer(parent);
			return;
		}
		if (count >= LSH_INNER_MAX)
		{
			split_inner(index, parent, child);
			UnlockReleaseBuffer(child);
			continue;			/* in the half that has the key */
		}
		UnlockReleaseBuffer(parent);
		parent = child;
	}
}
