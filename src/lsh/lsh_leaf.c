/*-------------------------------------------------------------------------
 *
 * lsh_leaf.c
 *	  Leaves of an lsh index, and the cache of leaves and buffers.
 *
 * A search or an insertion reads tens of pages for a moment each, so most of
 * its time would go to finding them: in the tree, in the buffer mapping table,
 * and in memory.  So a session that uses an index repeatedly caches
 * - the lowest key of each leaf, so that it need not descend the tree;
 * - the buffer in which it last found each page; ReadRecentBuffer() verifies
 *   that the page is still there.
 * Both also allow prefetching into the processor's cache.
 *
 * Either may be out of date.  A leaf that the cache or a descent names may have
 * been split, merged into its left neighbor, or used again elsewhere in the
 * tree.  Its range shows that once it is locked, and a second descent, which
 * locks the leaf before it releases the parent, leads to the right one.  The
 * session reads the leaves again after many that were not the right ones or
 * were full.
 *
 * From a leaf a search moves to its right neighbor.  It locks that before it
 * releases the first, so that VACUUM, which merges two neighbors with both
 * locked, cannot move entries from ahead of the search to behind it.
 *
 * The cache is rd_amcache.  Relcache invalidation frees it, so never keep a
 * pointer into it across a catalog access.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "storage/buf_internals.h"
#include "utils/memutils.h"

#include "lsh.h"
#include "support/prefetch.h"

#define MAX_LEAVES 524288		/* 6 MB; more are not cached */
#define MAX_PAGES 262144		/* 2 MB; more pages share places */
#define MIN_DESCENTS 32			/* descents before caching pays */
#define BLOCKS_PER_DESCENT 64	/* of the index, for each further descent */

/* A page; several may share a place. */
typedef struct CachedPage
{
	Buffer		buffer;			/* where it was last, or invalid */
	uint32		entries;		/* on a leaf, when this session last added one */
} CachedPage;

typedef struct LshCache
{
	uint32		descents;		/* so far */
	uint32		outdated;		/* leaves found to be full or too far left */
	int			leaves;			/* 0 if the leaves are not cached */
	uint32		pages;			/* a power of two, or 0 */
	/* the lowest key of each leaf; then the blocks of leaves, and the pages */
	uint64		keys[FLEXIBLE_ARRAY_MEMBER];
} LshCache;

/* Return the blocks of the leaves. */
static inline BlockNumber *
cache_blocks(LshCache *cache)
{
	return (BlockNumber *) (cache->keys + cache->leaves);
}

/* Return the cached pages. */
static inline CachedPage *
cache_pages(LshCache *cache)
{
	return (CachedPage *) (cache_blocks(cache) + cache->leaves);
}

/* Return the place that caches a page, or NULL. */
static inline CachedPage *
cache_page(Relation index, BlockNumber block)
{
	LshCache   *cache = index->rd_amcache;

	if (cache == NULL || cache->pages == 0)
		return NULL;
	return &cache_pages(cache)[block & (cache->pages - 1)];
}

/*** Buffers ***/

/*
 * Pin a page, in its cached buffer if that still holds it.  The caller locks
 * and checks the page.
 */
static Buffer
pin_cached(Relation index, BlockNumber block)
{
	CachedPage *recent = cache_page(index, block);
	Buffer		buffer;

	if (recent != NULL && BufferIsValid(recent->buffer) &&
		ReadRecentBuffer(compat_relation_file(index), MAIN_FORKNUM, block,
						 recent->buffer))
		return recent->buffer;
	lsh_check_block(index, block);
	buffer = ReadBuffer(index, block);
	recent = cache_page(index, block);
	if (recent != NULL)
		recent->buffer = buffer;
	return buffer;
}

/* Pin, lock and check a page. */
Buffer
lsh_read_cached(Relation index, BlockNumber block, int lock, LshPageType type)
{
	Buffer		buffer = pin_cached(index, block);

	LockBuffer(buffer, lock);
	lsh_page_check(index, buffer, type);
	return buffer;
}

/* Remember the number of entries on a leaf. */
void
lsh_cache_entries(Relation index, BlockNumber block, int entries)
{
	CachedPage *recent = cache_page(index, block);

	if (recent != NULL)
		recent->entries = entries;
}

/*** Cached leaves ***/

/* Allocate a cache for leaves and blocks. */
static LshCache *
make_cache(Relation index, int leaves, BlockNumber blocks)
{
	uint32		pages = blocks == 0 ? 0 :
		pg_nextpower2_32(Min(blocks, MAX_PAGES));
	Size		size = offsetof(LshCache, keys) +
		(sizeof(uint64) + sizeof(BlockNumber)) * leaves +
		sizeof(CachedPage) * pages;
	LshCache   *cache = MemoryContextAllocZero(index->rd_indexcxt, size);

	cache->leaves = leaves;
	cache->pages = pages;
	return cache;
}

/*
 * Read the lowest key of each leaf.  Cached buffers stay: they are only hints,
 * which ReadRecentBuffer() verifies.
 */
static void
cache_leaves(Relation index)
{
	Size		count;
	LshEntry   *leaves = lsh_tree_leaves(index, MAX_LEAVES, &count);
	LshCache   *old = index->rd_amcache;
	LshCache   *cache = make_cache(index, (int) count,
								   RelationGetNumberOfBlocks(index));

	for (Size i = 0; i < count; i++)
	{
		cache->keys[i] = leaves[i].key;
		cache_blocks(cache)[i] = leaves[i].number;
	}
	pfree(leaves);
	if (old != NULL && old->pages > 0)
		for (uint32 i = 0; i < cache->pages; i++)
			cache_pages(cache)[i] = cache_pages(old)[i & (old->pages - 1)];
	if (old != NULL)
		pfree(old);
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

/* Count a descent; fill the cache when there have been many. */
static void
count_descent(Relation index)
{
	LshCache   *cache = index->rd_amcache;

	if (cache == NULL)
		index->rd_amcache = cache = make_cache(index, 0, 0);
	cache->descents++;
	if (cache->descents >= MIN_DESCENTS && cache->descents % MIN_DESCENTS == 0 &&
		cache->descents >= RelationGetNumberOfBlocks(index) / BLOCKS_PER_DESCENT)
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
	guess = lsh_guess_place(key, cache->keys[cache->leaves - 1],
							cache->leaves);
	return Max(lsh_first_from(cache->keys, true, cache->leaves,
							  lsh_key_beyond(key, leftmost), guess) - 1, 0);
}

/* Count an outdated leaf; read the leaves again after many. */
void
lsh_cache_outdated(Relation index)
{
	LshCache   *cache = index->rd_amcache;

	if (cache != NULL && cache->leaves > 0 &&
		++cache->outdated > MIN_DESCENTS + (uint32) cache->leaves / 16)
		cache_leaves(index);
}

/*** Prefetching ***/

/* Return the page in the cached buffer of a block, or NULL. */
static inline char *
recent_page(Relation index, BlockNumber block)
{
	CachedPage *recent = cache_page(index, block);

	if (recent == NULL || recent->buffer <= 0)
		return NULL;
	prefetch_line(GetBufferDescriptor(recent->buffer - 1));
	return (char *) BufferGetBlock(recent->buffer);
}

/* Prefetch the lines of a leaf that a search for a key will read. */
void
lsh_prefetch_leaf(Relation index, uint64 key)
{
	int			place = cached_leaf(index, key, true);
	LshCache   *cache = index->rd_amcache;
	char	   *page;
	uint64		lo;
	uint64		width;
	Size		guess;

	if (place < 0)
		return;
	page = recent_page(index, cache_blocks(cache)[place]);
	if (page == NULL)
		return;
	lo = cache->keys[place];
	width = (place + 1 < cache->leaves ? cache->keys[place + 1] : UINT64_MAX) - lo;
	guess = 4 * lsh_guess_place(key - lo, width,
								LSH_LEAF_MAX * LSH_DEFAULT_FILLFACTOR / 100);
	prefetch_line(page);
	prefetch_line(page + LSH_TREE_START + guess);
	prefetch_line(page + BLCKSZ - guess - 4);
}

/* Prefetch the first lines of a page, and its buffer descriptor. */
void
lsh_prefetch_head(Relation index, BlockNumber block, int lines)
{
	char	   *page = recent_page(index, block);

	if (page == NULL)
		return;
	for (int i = 0; i < lines; i++)
		prefetch_line(page + CACHE_LINE * i);
}

/*
 * Prefetch the head of a leaf, and the lines where entries will be added if no
 * other session has added any since.
 */
void
lsh_prefetch_ends(Relation index, BlockNumber block)
{
	char	   *page = recent_page(index, block);
	Size		entries;

	if (page == NULL)
		return;
	entries = cache_page(index, block)->entries;
	prefetch_line(page);
	prefetch_line(page + LSH_TREE_START + sizeof(uint32) * entries);
	prefetch_line(page + BLCKSZ - sizeof(uint32) * (entries + 1));
}

/* Prefetch the planes of a record. */
void
lsh_prefetch_record(Relation index, const LshLayout *layout, uint32 number)
{
	char	   *page = recent_page(index, lsh_number_block(layout, number));
	Size		place = lsh_number_place(layout, number);

	if (page == NULL)
		return;
	prefetch_line(page);
	prefetch_line((char *) lsh_record_first(layout, page, place));
	prefetch_line((char *) lsh_record_second(layout, page, place));
	prefetch_line((char *) lsh_record_third(layout, page, place));
	prefetch_line((char *) lsh_record_rest(layout, page, place));
}

/*** Reading leaves ***/

/* Find the leaf for a key in the cache, or descend to it. */
BlockNumber
lsh_leaf_find(Relation index, uint64 key, bool leftmost)
{
	int			place = cached_leaf(index, key, leftmost);

	if (place < 0)
	{
		count_descent(index);
		place = cached_leaf(index, key, leftmost);
	}
	return place < 0 ? lsh_tree_descend(index, key, leftmost) :
		cache_blocks(index->rd_amcache)[place];
}

/* Lock the leaf for a key, which is probably the block found. */
Buffer
lsh_leaf_lock(Relation index, BlockNumber block, uint64 key, bool leftmost,
			  int lock, bool wait)
{
	Buffer		buffer = pin_cached(index, block);

	if (wait)
		LockBuffer(buffer, lock);
	else if (!ConditionalLockBuffer(buffer))
	{
		ReleaseBuffer(buffer);
		return InvalidBuffer;
	}
	lsh_page_check(index, buffer, LSH_TREE);
	if (lsh_leaf_is_for(BufferGetPage(buffer), key, leftmost))
		return buffer;
	UnlockReleaseBuffer(buffer);
	/* This locks inner pages, so not while the caller holds a leaf. */
	if (!wait)
		return InvalidBuffer;
	lsh_cache_outdated(index);
	return lsh_tree_leaf(index, key, leftmost, lock);
}

/* Move to the next leaf. */
Buffer
lsh_leaf_next(Relation index, Buffer buffer, BlockNumber *steps)
{
	LshTree    *tree = LshPageTree(BufferGetPage(buffer));
	BlockNumber block = tree->head.right;
	Buffer		next = InvalidBuffer;

	/* The lock holds off interrupts.  These always raise an error. */
	if (QueryCancelPending || ProcDiePending)
	{
		UnlockReleaseBuffer(buffer);
		CHECK_FOR_INTERRUPTS();
		elog(ERROR, "a search of index \"%s\" was interrupted",
			 RelationGetRelationName(index));
	}
	if (block != InvalidBlockNumber)
	{
		next = lsh_read_cached(index, block, BUFFER_LOCK_SHARE, LSH_TREE);
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
	for (int i = lsh_first_from(fragments, false, tree->sorted, from,
								lsh_guess_place(from, largest, tree->sorted));
		 i < tree->sorted && fragments[i] <= to; i++)
		lsh_add_number(found, LshNumber(page, i));
	for (int i = tree->sorted; i < count; i++)
		if (fragments[i] - from <= to - from)
			lsh_add_number(found, LshNumber(page, i));
}

/* Append the record numbers of a range of keys. */
void
lsh_leaf_collect(Relation index, Snapshot snapshot, uint64 lo, uint64 hi,
				 LshNumbers *found)
{
	BlockNumber block = lsh_leaf_find(index, lo, true);
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

/* Read the entries of a leaf. */
int
lsh_leaf_read(Relation index, const LshEntry *leaf, LshEntry *entries)
{
	Buffer		buffer = lsh_read(index, leaf->number, BUFFER_LOCK_SHARE,
								  LSH_TREE);
	Page		page = BufferGetPage(buffer);
	int			count = 0;

	if (lsh_leaf_is_for(page, leaf->key, false))
		count = lsh_leaf_entries(page, entries);
	UnlockReleaseBuffer(buffer);
	return count;
}
