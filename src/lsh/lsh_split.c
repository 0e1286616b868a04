/*-------------------------------------------------------------------------
 *
 * lsh_split.c
 *	  Splitting and merging pages of the tree of an lsh index.
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
 * VACUUM merges two neighboring leaves below the same parent if they hold few
 * entries.  The left one takes over range and entries of the right one, which
 * becomes free: a list of free leaves begins at the metapage, and a split takes
 * one of these before it extends the index.  Parent, both leaves and metapage
 * change in one WAL record, and so do those of a split.  A leaf remains a leaf;
 * as long as it is in the tree, its lowest key remains the same.
 *
 * A leaf whose only key continues on the next is merged with leaves of that key
 * only, so that those before the last still hold no other.
 *
 * Order of locks, in replay too: from the root to the leaf, leaves from left to
 * right; then store pages, or the metapage.
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
 * least 32 - 12 = 20 bits tell the 1,017 entries of a leaf apart, so that a search
 * reads 1,017 / 2^20, or one record too many for every thousand leaves.
 */
#define SHIFT_SLACK 12

/* A page being split. */
typedef struct TreePage
{
	int			level;
	uint64		lo;
	uint64		hi;
	int			shift;
	bool		exact;			/* of a leaf: keys are complete, not the
								 * lowest that their fragments can stand for */
	int			count;
	LshEntry	entries[LSH_LEAF_MAX];
} TreePage;

/* A cut: the first entry of the right page, and the ranges of both. */
typedef struct TreeCut
{
	int			place;
	uint64		left_hi;
	uint64		right_lo;
} TreeCut;

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

/*
 * Make all keys of a leaf again from the records, and sort them.  The leaf and its
 * parent are locked, so a record must not be on one of them.
 */
static void
remake_keys(Relation index, const LshLayout *layout, BlockNumber parent,
			BlockNumber block, TreePage *leaf)
{
	uint16		slots[SKETCH_MAX_HASHES];

	for (int i = 0; i < leaf->count; i++)
	{
		BlockNumber record = lsh_number_block(layout, leaf->entries[i].number);

		if (record == parent || record == block)
			lsh_report_damage(index, block,
							  "An entry refers to a record on a page of the tree.");
		lsh_store_slots(index, layout, leaf->entries[i].number, slots);
		if (!lsh_remake_key(layout, slots, leaf->entries[i].key, leaf->shift,
							leaf->hi, &leaf->entries[i].key))
			lsh_report_damage(index, block,
							  "An entry has a key that its record does not have.");
	}
	lsh_sort_entries(leaf->entries, leaf->count, false);
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
static TreeCut
cut_at_key(const LshLayout *layout, const TreePage *leaf)
{
	uint64		key = leaf->entries[0].key;
	uint64		last = key + (UINT64CONST(1) << layout->key_floor) - 1;

	if (last < leaf->hi)
		return (TreeCut) {leaf->count, last, last + 1};
	if (key > leaf->lo)
		return (TreeCut) {0, key - 1, key};
	return (TreeCut) {leaf->count, key, key};
}

/* Choose where to cut a leaf; make its keys again if that is necessary. */
static TreeCut
cut_leaf(Relation index, const LshLayout *layout, BlockNumber parent,
		 BlockNumber block, TreePage *leaf)
{
	int			ideal = lsh_ideal_shift(layout, leaf->lo,
										leaf->lo + (leaf->hi - leaf->lo) / 2);
	int			place = right_half(leaf->entries, leaf->count);
	uint64		key;

	if (!leaf->exact && (leaf->shift >= ideal + SHIFT_SLACK || place == 0))
	{
		remake_keys(index, layout, parent, block, leaf);
		place = right_half(leaf->entries, leaf->count);
	}
	if (place == 0)
		return cut_at_key(layout, leaf);
	key = leaf->entries[place].key;
	return (TreeCut) {place, key - 1, key};
}

/* Choose where to cut an inner page. */
static TreeCut
cut_inner(const TreePage *inner)
{
	int			place = right_half(inner->entries, inner->count);
	uint64		key = inner->entries[place].key;

	/* If all children begin with one key, both halves do. */
	return place > 0 ? (TreeCut) {place, key - 1, key} :
		(TreeCut) {inner->count / 2, key, key};
}

/*** The list of free leaves ***/

/*
 * Lock a page for a new leaf: the first of the list, together with the metapage,
 * or a new page.  Do not wait for the former: a process that has lost its way may
 * have it locked, or, if the list is damaged, this one.
 */
static Buffer
new_leaf(Relation index, Buffer *meta_buffer, LshMeta *meta)
{
	Buffer		leaf = InvalidBuffer;

	*meta_buffer = lsh_meta_lock(index, BUFFER_LOCK_EXCLUSIVE, meta);
	if (meta->free_leaf != 0)
		leaf = lsh_leaf_lock(index, meta->free_leaf, LSH_NO_KEY, false,
							 BUFFER_LOCK_EXCLUSIVE, false);
	if (!BufferIsValid(leaf))
	{
		UnlockReleaseBuffer(*meta_buffer);
		*meta_buffer = InvalidBuffer;
		return lsh_new_buffer(index);
	}
	if (LshPageTree(BufferGetPage(leaf))->lo != LSH_NO_KEY)
		lsh_report_damage(index, meta->free_leaf,
						  "It is listed as a free leaf, but is not free.");
	meta->free_leaf = LshHead(BufferGetPage(leaf))->right;
	return leaf;
}

/*** Splitting ***/

/* Make the left or the right half of a page in memory. */
static void
make_half(const LshLayout *layout, Page page, const TreePage *tree,
		  const TreeCut *cut, bool is_right, BlockNumber next)
{
	uint64		lo = is_right ? cut->right_lo : tree->lo;
	uint64		hi = is_right ? tree->hi : cut->left_hi;

	lsh_tree_make(page, tree->level, lo, hi,
				  tree->entries + (is_right ? cut->place : 0),
				  is_right ? tree->count - cut->place : cut->place,
				  tree->level == 0 && tree->exact ?
				  lsh_ideal_shift(layout, lo, hi) : tree->shift);
	LshHead(page)->right = next;
}

/*
 * Write and log the two halves of a page, the new child of their parent, and the
 * metapage, unless its buffer is invalid: buffers are parent, left, right, metapage.
 *
 * Replay locks the pages in the order in which the record names them.  Searches
 * lock the parent first, so it comes first here.
 */
static void
log_split(Relation index, const Buffer *buffers, const PGAlignedBlock *images,
		  uint64 right_lo, const LshMeta *meta)
{
	BlockNumber block = BufferGetBlockNumber(buffers[2]);
	LshWal		wal;

	lsh_wal_begin(&wal, index);
	lsh_wal_entries(&wal, buffers[0], &right_lo, sizeof(right_lo), &block, 1);
	lsh_wal_page(&wal, buffers[1], images[0].data);
	lsh_wal_page(&wal, buffers[2], images[1].data);
	if (BufferIsValid(buffers[3]))
		lsh_meta_put(&wal, buffers[3], meta);
	lsh_wal_finish(&wal);
}

/* Split a leaf, or an inner page that is not the root. */
static void
split_page(Relation index, const LshLayout *layout, Buffer parent, Buffer left)
{
	const LshTree *head = LshPageTree(BufferGetPage(left));
	TreePage   *tree = palloc(sizeof(TreePage));
	PGAlignedBlock images[2];
	LshMeta		meta;
	Buffer		buffers[4] = {parent, left, InvalidBuffer, InvalidBuffer};
	TreeCut		cut;

	tree->level = head->level;
	tree->lo = head->lo;
	tree->hi = head->hi;
	tree->shift = head->shift;
	tree->exact = head->shift <= layout->key_floor;
	tree->count = lsh_tree_entries(BufferGetPage(left), tree->entries);
	cut = tree->level > 0 ? cut_inner(tree) :
		cut_leaf(index, layout, BufferGetBlockNumber(parent),
				 BufferGetBlockNumber(left), tree);
	buffers[2] = tree->level > 0 ? lsh_new_buffer(index) :
		new_leaf(index, &buffers[3], &meta);
	/* Only leaves have links to the right. */
	make_half(layout, (Page) images[0].data, tree, &cut, false,
			  tree->level > 0 ? InvalidBlockNumber :
			  BufferGetBlockNumber(buffers[2]));
	make_half(layout, (Page) images[1].data, tree, &cut, true, head->head.right);
	log_split(index, buffers, images, cut.right_lo, &meta);
	for (int i = 2; i < 4; i++)
		if (BufferIsValid(buffers[i]))
			UnlockReleaseBuffer(buffers[i]);
	pfree(tree);
}

/* Move the children of the root to a new page, its only child from now on. */
static void
grow_root(Relation index, Buffer root)
{
	const LshTree *tree = LshPageTree(BufferGetPage(root));
	Buffer		buffer = lsh_new_buffer(index);
	LshEntry	child = {.key = tree->lo,.number = BufferGetBlockNumber(buffer)};
	PGAlignedBlock images[2];
	LshWal		wal;

	lsh_tree_make((Page) images[0].data, tree->level + 1, tree->lo, tree->hi,
				  &child, 1, 0);
	memcpy(images[1].data, BufferGetPage(root), BLCKSZ);
	lsh_wal_begin(&wal, index);
	lsh_wal_page(&wal, root, images[0].data);
	lsh_wal_page(&wal, buffer, images[1].data);
	lsh_wal_finish(&wal);
	UnlockReleaseBuffer(buffer);
}

/* Split the leaf for a key if it is full. */
void
lsh_tree_split(Relation index, const LshLayout *layout, uint64 key)
{
	Buffer		parent = lsh_tree_root(index, BUFFER_LOCK_EXCLUSIVE);

	if (lsh_tree_count(BufferGetPage(parent)) >= LSH_INNER_MAX)
		grow_root(index, parent);
	for (;;)
	{
		bool		is_leaf = LshPageTree(BufferGetPage(parent))->level == 1;
		Buffer		child = lsh_tree_child(index, parent, key, false,
										   BUFFER_LOCK_EXCLUSIVE);
		bool		is_full = lsh_tree_count(BufferGetPage(child)) >=
			(is_leaf ? LSH_LEAF_MAX : LSH_INNER_MAX);

		if (is_full)
			split_page(index, layout, parent, child);
		if (is_full || is_leaf)
			UnlockReleaseBuffer(child);
		if (is_leaf)
			break;
		if (is_full)
			continue;			/* in the half that has the key */
		UnlockReleaseBuffer(parent);
		parent = child;
	}
	UnlockReleaseBuffer(parent);
}

/*** Merging ***/

/*
 * Return the place of the second of two leaves among the children of their
 * parent, or 0 if they are not to be merged.
 */
static int
merge_place(const Buffer *buffers, const LshEntry *children, int max)
{
	Page		parent = BufferGetPage(buffers[0]);
	LshTree    *left = LshPageTree(BufferGetPage(buffers[1]));
	LshTree    *right = LshPageTree(BufferGetPage(buffers[2]));

	if (left->head.right != BufferGetBlockNumber(buffers[2]) ||
		lsh_tree_count(BufferGetPage(buffers[1])) +
		lsh_tree_count(BufferGetPage(buffers[2])) > max ||
		(right->lo == right->hi && left->lo < right->lo))
		return 0;
	for (int i = 1; i < lsh_tree_count(parent); i++)
		if (children[i].number == BufferGetBlockNumber(buffers[2]) &&
			children[i - 1].number == BufferGetBlockNumber(buffers[1]))
			return i;
	return 0;
}

/* Merge two leaves, and log it. */
static void
log_merge(Relation index, const LshLayout *layout, const Buffer *buffers,
		  LshEntry *children, int place)
{
	LshTree    *parent = LshPageTree(BufferGetPage(buffers[0]));
	LshTree    *left = LshPageTree(BufferGetPage(buffers[1]));
	LshTree    *right = LshPageTree(BufferGetPage(buffers[2]));
	LshEntry   *entries = palloc(sizeof(LshEntry) * LSH_LEAF_MAX);
	int			shift = Max(Max(left->shift, right->shift),
							lsh_ideal_shift(layout, left->lo, right->hi));
	int			count = lsh_tree_entries(BufferGetPage(buffers[1]), entries);
	int			last = lsh_tree_count(BufferGetPage(buffers[0])) - 1;
	PGAlignedBlock images[3];
	LshMeta		meta;
	Buffer		meta_buffer = lsh_meta_lock(index, BUFFER_LOCK_EXCLUSIVE, &meta);
	LshWal		wal;

	count += lsh_tree_entries(BufferGetPage(buffers[2]), entries + count);
	memmove(children + place, children + place + 1,
			sizeof(LshEntry) * (last - place));
	lsh_tree_make((Page) images[0].data, parent->level, parent->lo,
				  parent->hi, children, last, 0);
	lsh_tree_make((Page) images[1].data, 0, left->lo, right->hi, entries, count,
				  shift);
	LshHead(images[1].data)->right = right->head.right;
	lsh_tree_make((Page) images[2].data, 0, LSH_NO_KEY, LSH_NO_KEY, NULL, 0, 0);
	LshHead(images[2].data)->right = meta.free_leaf;
	meta.free_leaf = BufferGetBlockNumber(buffers[2]);
	lsh_wal_begin(&wal, index);
	for (int i = 0; i < 3; i++)
		lsh_wal_page(&wal, buffers[i], images[i].data);
	lsh_meta_put(&wal, meta_buffer, &meta);
	lsh_wal_finish(&wal);
	UnlockReleaseBuffer(meta_buffer);
	pfree(entries);
}

/* Merge two leaves if they are still neighbors below their parent. */
bool
lsh_tree_merge(Relation index, const LshLayout *layout, const LshEntry *left,
			   const LshEntry *right, int max)
{
	BlockNumber blocks[3] = {left->parent, left->number, right->number};
	Buffer		buffers[3];
	LshEntry   *children = palloc(sizeof(LshEntry) * LSH_LEAF_MAX);
	int			place;

	for (int i = 0; i < 3; i++)
		buffers[i] = lsh_read(index, blocks[i], BUFFER_LOCK_EXCLUSIVE, LSH_TREE, NULL);
	lsh_tree_entries(BufferGetPage(buffers[0]), children);
	place = merge_place(buffers, children, max);
	if (place > 0)
		log_merge(index, layout, buffers, children, place);
	for (int i = 2; i >= 0; i--)
		UnlockReleaseBuffer(buffers[i]);
	pfree(children);
	return place > 0;
}
