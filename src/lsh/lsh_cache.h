/*-------------------------------------------------------------------------
 *
 * lsh_cache.h
 *	  Per-session cache of the leaves and buffers of an lsh index.
 *
 * The cache is in rd_amcache, which relcache invalidation frees; no function
 * here returns a pointer into it.  lsh_cached_leaf(), lsh_cache_prepare() and
 * lsh_cache_moved() can read inner pages of the tree to fill the cache, so the
 * caller must hold no lock on a page.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_CACHE_H
#define LSH_CACHE_H

#include "lsh_layout.h"

/*
 * Pin a page in the buffer where the session last saw it, if it is still
 * there; otherwise like ReadBuffer().  The caller locks and checks the page.
 */
extern Buffer lsh_pin_again(Relation index, BlockNumber block);

/* Do the same, lock the page (BUFFER_LOCK_...), and check its type. */
extern Buffer lsh_read_again(Relation index, BlockNumber block, int lock,
							 LshPageType type);

/*
 * Return the block of the leaf for a key, or of one left of it; return
 * InvalidBlockNumber if the leaves are not cached (yet).
 */
extern BlockNumber lsh_cached_leaf(Relation index, uint64 key, bool leftmost);

/* Fill the cache before a scan of all records, unless it is filled. */
extern void lsh_cache_prepare(Relation index);

/* Count a cached leaf that was out of date; read all again after many. */
extern void lsh_cache_moved(Relation index);

/* Remember the number of entries on a leaf for lsh_fetch_ends(). */
extern void lsh_cache_entries(Relation index, BlockNumber block, int entries);

/*
 * The functions below prefetch parts of a page into the processor's cache.
 * They need no lock, because they do not read the page, and have no effect if
 * its buffer is not cached.
 */

/* Prefetch the lines of a leaf where a key is likely to be. */
extern void lsh_fetch_leaf(Relation index, uint64 key);

/* Prefetch the first cache lines of a page. */
extern void lsh_fetch_start(Relation index, BlockNumber block, int lines);

/*
 * Prefetch the head of a leaf before an insertion, and the places where entries
 * will be added, as far as lsh_cache_entries() knows them.
 */
extern void lsh_fetch_ends(Relation index, BlockNumber block);

/* Prefetch the planes of a record. */
extern void lsh_fetch_record(Relation index, const LshLayout *layout,
							 uint32 number);

#endif							/* LSH_CACHE_H */
