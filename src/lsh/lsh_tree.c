/*-------------------------------------------------------------------------
 *
 * lsh_tree.c
 *	  The tree of an lsh index: its pages, and finding and searching leaves.
 *
 * The tree maps keys to record numbers.  A leaf stores 32 bits of each key.
 * Keys on it lie between lo and hi, so a fragment is (key >> shift) - (lo >>
 * shift).  A new leaf has the smallest shift for which all fragments fit;
 * lsh_split.c says when a split makes it smaller.
 *
 * A descent locks an inner page before it releases the parent, so that it
 * cannot miss a split.  But a search or an insertion reads tens of pages for a
 * moment each, so most of its time would go to finding them: in the tree, in the
 * buffer mapping table, and in memory.  So a session that uses an index
 * repeatedly caches
 * - the lowest key of each leaf, so that it need not descend the tree;
 * - the buffer in which it last found each page; ReadRecentBuffer() verifies
 *   that the page is still there (lsh_page.c).
 * Both also allow prefetching into the processor's cache.
 *
 * Either may be out of date.  A leaf that the cache or a descent names may have
 * been split, merged into its left neighbor, or used again elsewhere in the
 * tree, by the time the caller locks it.  Its range shows that, and a second
 * descent, which locks the leaf before it releases the parent, leads to the right
 * one.  The session reads the leaves again after many that were not the right
 * ones or were full.
 *
 * From a leaf a search moves to its right neighbor.  It locks that before it
 * releases the first, so that VACUUM, which merges two neighbors with both
 * locked, cannot move entries from ahead of the search to behind it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "core/base/processor.h"
#include "lsh.h"
#include "support/server_memory.h"

#define MAX_LEAVES 524288		/* 6 MB; more are not cached */
#define MAX_PAGES 262144		/* 1 MB; more pages share places */
#define MIN_MISSES 32			/* misses before reading the leaves pays */
#define BLOCKS_PER_MISS 64		/* of the index, if its leaves are not cached */
#define LEAVES_PER_MISS 16		/* if they are */
#define PREFETCH_AHEAD 12		/* leaves to prefetch */
#define GALLOP_STEP 8			/* keys */
#define FIRST_NUMBERS 65536		/* records found before repetitions are
								 * removed */

#define RADIX_SORT sort_by_key
#define RADIX_ITEM LshEntry
#define RADIX_KEY(item) (item).key
#define RADIX_KEY_BITS 64
#include "core/base/radix_sort.h"

#define RADIX_SORT sort_by_fragment
#define RADIX_ITEM LshEntry
#define RADIX_KEY(item) (item).key
#define RADIX_KEY_BITS 32
#include "core/base/radix_sort.h"

#define RADIX_SORT sort_numbers
#define RADIX_ITEM uint32
#define RADIX_KEY(item) (item)
#define RADIX_KEY_BITS 32
#include "core/base/radix_sort.h"

/*** Sorting ***/

/* Sort entries by key. */
void
lsh_sort_entries(LshEntry *entries, Size count, bool fragments)
{
	LshEntry   *scratch = server_alloc_array(count, sizeof(LshEntry));
	LshEntry   *sorted = fragments ?
		sort_by_fragment(entries, scratch, count) :
		sort_by_key(entries, scratch, count);

	if (sorted == scratch)
		memcpy(entries, scratch, sizeof(LshEntry) * count);
	pfree(scratch);
}

/* Sort numbers, and keep those that occur often enough, once each. */
Size
lsh_sort_numbers(uint32 *numbers, Size count, int least)
{
	uint32	   *scratch = MemoryContextAllocHuge(CurrentMemoryContext,
												 sizeof(uint32) * count);
	const uint32 *sorted = sort_numbers(numbers, scratch, count);
	Size		kept = 0;
	Size		start = 0;

	for (Size i = 1; i <= count; i++)
		if (i == count || sorted[i] != sorted[start])
		{
			if (i - start >= (Size) least)
				numbers[kept++] = sorted[start];
			start = i;
		}
	pfree(scratch);
	return kept;
}

/*** Finding keys ***/

/*
 * Return the bound below which the page for a key begins: it is the last page
 * whose lowest key is less than the bound.  leftmost is as in
 * inner_child().
 */
static inline uint64
key_bound(uint64 key, bool leftmost)
{
	return leftmost || key == UINT64_MAX ? key : key + 1;
}

/* Guess the place of a key among count keys spread evenly over 0 to span. */
static inline int
guess_place(uint64 key, uint64 span, int count)
{
	return (int) (Min((double) key / ((double) span + 1), 1) * count);
}

/* Return key i of an array of 8-byte (wide) or 4-byte keys. */
static inline uint64
key_at(const void *keys, bool wide, int i)
{
	return wide ? ((const uint64 *) keys)[i] : ((const uint32 *) keys)[i];
}

/*
 * Return the place of the first of count sorted keys that is not below from,
 * or count if all are; guess is between 0 and count.
 *
 * Galloping search.  Keys are hashes and evenly spread, so a guess by
 * interpolation is off by a few places.  From there the range doubles until it
 * has the key, and a binary search ends it (Bentley and Yao, "An almost optimal
 * algorithm for unbounded searching", 1976).  However wrong the guess, the search
 * takes O(log n) steps.
 */
static inline int
first_from(const void *keys, bool wide, int count, uint64 from, int guess)
{
	int			low = guess;
	int			high = guess;

	for (int step = GALLOP_STEP; low > 0 &&
		 key_at(keys, wide, low - 1) >= from; step *= 2)
		low = Max(guess - step, 0);
	for (int step = GALLOP_STEP; high < count &&
		 key_at(keys, wide, high) < from; step *= 2)
		high = Min(guess + step, count);
	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (key_at(keys, wide, middle) < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*** Making and reading pages ***/

/* Make a tree page with sorted entries. */
void
lsh_tree_make(Page page, int level, uint64 lo, uint64 hi,
			  const LshEntry *entries, int count, int shift)
{
	LshTree    *tree = LshPageTree(page);

	lsh_page_init(page, LSH_TREE);
	tree->lo = lo;
	tree->hi = hi;
	tree->sorted = (uint16) count;
	tree->level = (uint8) level;
	tree->shift = (uint8) shift;
	tree->unused = 0;
	for (int i = 0; i < count; i++)
	{
		if (level == 0)
			LshFragments(page)[i] = lsh_key_fragment(tree, entries[i].key);
		else
			LshKeys(page)[i] = entries[i].key;
		LshNumber(page, i) = entries[i].number;
	}
	((PageHeader) page)->pd_lower =
		(uint16) (LSH_TREE_START + (level == 0 ? 4 : 8) * count);
	((PageHeader) page)->pd_upper = (uint16) (BLCKSZ - 4 * count);
}

/* Read the entries of a tree page, and sort them. */
int
lsh_tree_entries(Page page, LshEntry *entries)
{
	const LshTree *tree = LshPageTree(page);
	bool		is_leaf = tree->level == 0;
	int			count = lsh_tree_count(page);

	for (int i = 0; i < count; i++)
		entries[i] = (LshEntry) {
			.key = is_leaf ? LshFragments(page)[i] : LshKeys(page)[i],
			.number = LshNumber(page, i)
		};
	lsh_sort_entries(entries, count, is_leaf);
	for (int i = 0; is_leaf && i < count; i++)
		entries[i].key = lsh_fragment_key(tree, (uint32) entries[i].key);
	return count;
}

/*
 * Return the block of the child for a key: the last child that begins at the
 * key or before it.  If leftmost, return the last that begins before the key,
 * because a key that fills several leaves begins on that one.  The first children
 * are sorted, later ones are not.
 */
static BlockNumber
inner_child(Relation index, Buffer parent, uint64 key, bool leftmost)
{
	Page		page = BufferGetPage(parent);
	const uint64 *keys = LshKeys(page);
	int			count = lsh_tree_count(page);
	int			sorted = LshPageTree(page)->sorted;
	uint64		bound = key_bound(key, leftmost);
	int			best = Max(first_from(keys, true, sorted, bound,
									  sorted / 2) - 1, 0);

	for (int i = sorted; i < count; i++)
		if (keys[i] < bound && keys[i] >= keys[best])
			best = i;
	/* To lock it again would be to wait without end. */
	if (LshNumber(page, best) == BufferGetBlockNumber(parent))
		lsh_report_damage(index, LshNumber(page, best), "It is its own child.");
	return LshNumber(page, best);
}

/*** Descending ***/

/* Lock the child of an inner page for a key. */
Buffer
lsh_tree_child(Relation index, Buffer parent, uint64 key, bool leftmost,
			   int lock)
{
	BlockNumber block = inner_child(index, parent, key, leftmost);
	Buffer		child = lsh_read(index, block, lock, LSH_TREE, NULL);
	int			level = LshPageTree(BufferGetPage(child))->level;

	if (level != LshPageTree(BufferGetPage(parent))->level - 1 ||
		!lsh_tree_is_for(BufferGetPage(child), key, leftmost))
		lsh_report_damage(index, block,
						  "It is not the page that the tree says it is.");
	return child;
}

/* Lock the root. */
Buffer
lsh_tree_root(Relation index, int lock)
{
	Buffer		root = lsh_read(index, LSH_ROOT_BLOCK, lock, LSH_TREE, NULL);

	if (LshPageTree(BufferGetPage(root))->level == 0)
		lsh_report_damage(index, LSH_ROOT_BLOCK, "The root is a leaf.");
	return root;
}

/* Descend to the parent of the leaf for a key, and return it locked. */
static Buffer
descend(Relation index, uint64 key, bool leftmost)
{
	Buffer		buffer = lsh_tree_root(index, BUFFER_LOCK_SHARE);

	while (LshPageTree(BufferGetPage(buffer))->level > 1)
	{
		Buffer		child = lsh_tree_child(index, buffer, key, leftmost,
										   BUFFER_LOCK_SHARE);

		UnlockReleaseBuffer(buffer);
		buffer = child;
	}
	return buffer;
}

/* Descend to the leaf for a key. */
BlockNumber
lsh_tree_find(Relation index, uint64 key, bool leftmost)
{
	Buffer		parent = descend(index, key, leftmost);
	BlockNumber leaf = inner_child(index, parent, key, leftmost);

	UnlockReleaseBuffer(parent);
	return leaf;
}

/* Descend to the leaf for a key, and lock it before its parent is released. */
Buffer
lsh_tree_lock(Relation index, uint64 key, bool leftmost, int lock)
{
	Buffer		parent = descend(index, key, leftmost);
	Buffer		leaf = lsh_tree_child(index, parent, key, leftmost, lock);

	UnlockReleaseBuffer(parent);
	return leaf;
}

/* Collect the leaves below an inner page, until there are max. */
static void
collect_leaves(Relation index, BlockNumber block, int level, Size max,
			   LshEntries *leaves)
{
	Buffer		buffer = lsh_read(index, block, BUFFER_LOCK_SHARE, LSH_TREE, NULL);
	LshTree    *tree = LshPageTree(BufferGetPage(buffer));
	LshEntry   *children = palloc(sizeof(LshEntry) * LSH_LEAF_MAX);
	int			count = lsh_tree_entries(BufferGetPage(buffer), children);

	if (tree->level == 0 || (level >= 0 && tree->level != level))
		lsh_report_damage(index, block, "It is at the wrong level.");
	level = tree->level;
	UnlockReleaseBuffer(buffer);
	CHECK_FOR_INTERRUPTS();
	for (int i = 0; i < count && leaves->count < max; i++)
		if (level == 1)
		{
			lsh_add_entry(leaves, children[i].key, children[i].number);
			leaves->entries[leaves->count - 1].parent = block;
		}
		else
			collect_leaves(index, children[i].number, level - 1, max, leaves);
	pfree(children);
}

/* Return the lowest key, the block and the parent of each leaf. */
LshEntry *
lsh_tree_leaves(Relation index, Size max, Size *count)
{
	LshEntries	leaves = {NULL, 0, 0};

	collect_leaves(index, LSH_ROOT_BLOCK, -1,
				   Min(max, RelationGetNumberOfBlocks(index)), &leaves);
	*count = leaves.count < max ? leaves.count : 0;
	return leaves.entries;
}

/*** The cache ***/

/* Allocate a cache for leaves and blocks. */
static LshCache *
make_cache(Relation index, int leaves, BlockNumber blocks)
{
	uint32		pages = blocks == 0 ? 0 :
		pg_nextpower2_32(Min(blocks, MAX_PAGES));
	Size		size = offsetof(LshCache, keys) +
		(sizeof(uint64) + sizeof(BlockNumber)) * leaves +
		sizeof(Buffer) * pages;
	LshCache   *cache = MemoryContextAllocZero(index->rd_indexcxt, size);

	cache->leaves = leaves;
	cache->pages = pages;
	return cache;
}

/* Read the lowest key of each leaf, and begin to cache buffers. */
static void
cache_leaves(Relation index)
{
	Size		count;
	LshEntry   *leaves = lsh_tree_leaves(index, MAX_LEAVES, &count);
	LshCache   *cache = make_cache(index, (int) count,
								   RelationGetNumberOfBlocks(index));

	for (Size i = 0; i < count; i++)
	{
		cache->keys[i] = leaves[i].key;
		lsh_cache_blocks(cache)[i] = leaves[i].number;
	}
	pfree(leaves);
	if (index->rd_amcache != NULL)
		pfree(index->rd_amcache);
	index->rd_amcache = cache;
}

/* Fill the cache before a scan of all records. */
void
lsh_cache_prepare(Relation index)
{
	LshCache   *cache = index->rd_amcache;

	if (cache == NULL || cache->pages == 0)
		cache_leaves(index);
}

/* Count a miss; read the leaves, or read them again, after many. */
void
lsh_cache_missed(Relation index)
{
	LshCache   *cache = index->rd_amcache;

	if (cache == NULL)
		index->rd_amcache = cache = make_cache(index, 0, 0);
	if (++cache->misses % MIN_MISSES == 0 &&
		cache->misses >= (cache->leaves > 0 ? (uint32) cache->leaves / LEAVES_PER_MISS :
						  RelationGetNumberOfBlocks(index) / BLOCKS_PER_MISS))
		cache_leaves(index);
}

/* Find the place of the leaf for a key among those in the cache, or -1. */
static int
cached_leaf(Relation index, uint64 key, bool leftmost)
{
	LshCache   *cache = index->rd_amcache;
	int			guess;

	if (cache == NULL || cache->leaves == 0)
		return -1;
	guess = guess_place(key, cache->keys[cache->leaves - 1],
						cache->leaves);
	return Max(first_from(cache->keys, true, cache->leaves,
						  key_bound(key, leftmost), guess) - 1, 0);
}

/* Find the leaf for a key in the cache, or descend to it. */
static BlockNumber
find_leaf(Relation index, uint64 key, bool leftmost)
{
	int			place = cached_leaf(index, key, leftmost);

	if (place < 0)
	{
		lsh_cache_missed(index);
		place = cached_leaf(index, key, leftmost);
	}
	return place < 0 ? lsh_tree_find(index, key, leftmost) :
		lsh_cache_blocks(index->rd_amcache)[place];
}

/*** Prefetching ***/

/* Prefetch the lines of a leaf that a search for a key will read. */
static void
prefetch_leaf(Relation index, uint64 key)
{
	int			place = cached_leaf(index, key, true);
	LshCache   *cache = index->rd_amcache;
	char	   *page = place < 0 ? NULL :
		lsh_cached_page(index, lsh_cache_blocks(cache)[place]);
	uint64		lo;
	uint64		width;
	Size		guess;

	if (page == NULL)
		return;
	lo = cache->keys[place];
	width = (place + 1 < cache->leaves ? cache->keys[place + 1] : UINT64_MAX) - lo;
	guess = 4 * guess_place(key - lo, width,
							LSH_LEAF_MAX * LSH_DEFAULT_FILLFACTOR / 100);
	prefetch_line(page);
	prefetch_line(page + LSH_TREE_START + guess);
	prefetch_line(page + BLCKSZ - guess - 4);
}

/*
 * Find the leaves for some keys, and prefetch their heads, and then the places
 * where entries will be added.  pd_lower and pd_upper are read without pin and lock, so
 * that the buffer may have any page by now, or one that is being read.  Then other
 * lines are prefetched, which is harmless: the memory of buffers stays mapped, the
 * two are 16 bits, and the prefetch of an address outside does nothing.
 */
void
lsh_find_leaves(Relation index, const uint64 *keys, int count, BlockNumber *blocks)
{
	for (int i = 0; i < count; i++)
	{
		char	   *page;

		blocks[i] = find_leaf(index, keys[i], false);
		page = lsh_cached_page(index, blocks[i]);
		if (page != NULL)
			prefetch_line(page);
	}
	for (int i = 0; i < count; i++)
	{
		char	   *page = lsh_cached_page(index, blocks[i]);

		if (page == NULL)
			continue;
		prefetch_line(page + ((PageHeader) page)->pd_lower);
		prefetch_line(page + ((PageHeader) page)->pd_upper - 1);
	}
}

/*** Reading leaves ***/

/* Lock the leaf for a key, which is probably the block found. */
Buffer
lsh_leaf_lock(Relation index, BlockNumber block, uint64 key, bool leftmost,
			  int lock, bool wait)
{
	Buffer		buffer = lsh_pin(index, block, NULL);

	if (wait)
		LockBuffer(buffer, lock);
	else if (!ConditionalLockBuffer(buffer))
	{
		ReleaseBuffer(buffer);
		return InvalidBuffer;
	}
	lsh_check_page(index, buffer, LSH_TREE);
	if (lsh_leaf_is_for(BufferGetPage(buffer), key, leftmost))
		return buffer;
	UnlockReleaseBuffer(buffer);
	/* This locks inner pages, so not while the caller holds a leaf. */
	if (!wait)
		return InvalidBuffer;
	lsh_cache_missed(index);
	return lsh_tree_lock(index, key, leftmost, lock);
}

/* Move to the next leaf. */
Buffer
lsh_leaf_next(Relation index, Buffer buffer, BlockNumber *steps)
{
	LshTree    *tree = LshPageTree(BufferGetPage(buffer));
	BlockNumber block = tree->head.right;
	Buffer		next = InvalidBuffer;

	/*
	 * The lock holds off interrupts, so handle those that raise an error
	 * after its release.  elog() is never reached, because no caller holds
	 * them off.
	 */
	if (QueryCancelPending || ProcDiePending)
	{
		UnlockReleaseBuffer(buffer);
		CHECK_FOR_INTERRUPTS();
		elog(ERROR, "a search of index \"%s\" was interrupted",
			 RelationGetRelationName(index));
	}
	if (block != InvalidBlockNumber)
	{
		next = lsh_read(index, block, BUFFER_LOCK_SHARE, LSH_TREE, NULL);
		/* A key that fills a leaf may continue on the next. */
		if (LshPageTree(BufferGetPage(next))->level != 0 ||
			LshPageTree(BufferGetPage(next))->lo - tree->hi > 1)
			lsh_report_damage(index, block,
							  "It does not begin where the leaf before it ends.");
		lsh_check_loop(index, block, steps);
	}
	UnlockReleaseBuffer(buffer);
	return next;
}

/* Append the record numbers of a leaf whose fragments are in a range. */
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
	for (int i = first_from(fragments, false, tree->sorted, from,
							guess_place(from, largest, tree->sorted));
		 i < tree->sorted && fragments[i] <= to; i++)
		lsh_add_number(found, LshNumber(page, i));
	for (int i = tree->sorted; i < count; i++)
		if (fragments[i] - from <= to - from)
			lsh_add_number(found, LshNumber(page, i));
}

/* Append the record numbers of the keys from lo to hi. */
static void
collect_range(Relation index, Snapshot snapshot, uint64 lo, uint64 hi,
			  LshNumbers *found)
{
	BlockNumber block = find_leaf(index, lo, true);
	BlockNumber steps = 0;
	Buffer		buffer;

	CHECK_FOR_INTERRUPTS();
	buffer = lsh_leaf_lock(index, block, lo, true, BUFFER_LOCK_SHARE, true);
	for (;;)
	{
		compat_test_snapshot(snapshot, index, BufferGetPage(buffer));
		collect_leaf(BufferGetPage(buffer), lo, hi, found);
		/* A key that ends this leaf may continue on the next. */
		if (LshPageTree(BufferGetPage(buffer))->hi > hi)
			break;
		buffer = lsh_leaf_next(index, buffer, &steps);
		if (!BufferIsValid(buffer))
			return;
	}
	UnlockReleaseBuffer(buffer);
}

/* Collect the records that have enough of some keys. */
bool
lsh_tree_collect(Relation index, Snapshot snapshot, const uint64 *keys,
				 Size count, uint64 rest, int least, Size most,
				 LshNumbers *found)
{
	Size		limit = FIRST_NUMBERS;

	for (Size i = 0; i < Min(count, PREFETCH_AHEAD); i++)
		prefetch_leaf(index, keys[i]);
	for (Size i = 0; i < count; i++)
	{
		if (i + PREFETCH_AHEAD < count)
			prefetch_leaf(index, keys[i + PREFETCH_AHEAD]);
		collect_range(index, snapshot, keys[i], keys[i] | rest, found);
		if (found->count > most)
			return false;
		if (found->count < limit || least > 1)
			continue;
		found->count = lsh_sort_numbers(found->numbers, found->count, 1);
		limit = 2 * Max(found->count, FIRST_NUMBERS);
	}
	found->count = lsh_sort_numbers(found->numbers, found->count, least);
	return true;
}
