/*-------------------------------------------------------------------------
 *
 * lsh.h
 *	  The access method lsh: its types and functions, by source file.
 *
 * A file calls only functions of files that come before it here.  lsh_format.h
 * describes the pages; lsh_build.h has what only CREATE INDEX needs.
 *
 * A Buffer that a function returns is pinned and locked; the caller calls
 * UnlockReleaseBuffer().  A function that reads pages checks them, and raises
 * ERRCODE_INDEX_CORRUPTED if one is damaged; the server raises an error of its own
 * for one beyond the end of the file.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_H
#define LSH_H

#include "access/amapi.h"
#include "catalog/pg_type_d.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "compat.h"
#include "core/bands/bands.h"
#include "core/base/bits.h"
#include "lsh_format.h"

/* Fill factor of tree pages in CREATE INDEX, in percent. */
#define LSH_DEFAULT_FILLFACTOR 90
#define LSH_MIN_FILLFACTOR 20

/* Parsed storage parameters of an index. */
typedef struct LshOptions
{
	int32		vl_len_;		/* varlena header (do not touch directly!) */
	int			fillfactor;
} LshOptions;

/* Return the fill factor of an index, in percent. */
static inline int
lsh_fillfactor(Relation index)
{
	LshOptions *options = (LshOptions *) index->rd_options;

	return options == NULL ? LSH_DEFAULT_FILLFACTOR : options->fillfactor;
}

/* An entry of a leaf, or a child of an inner page: lowest key and block. */
typedef struct LshEntry
{
	uint64		key;
	uint32		number;
	BlockNumber parent;			/* of a leaf, set only by lsh_tree_leaves() */
} LshEntry;

/* A list of entries; all zero is the empty list. */
typedef struct LshEntries
{
	LshEntry   *entries;		/* palloc'd when the first is added */
	Size		count;
	Size		max;
} LshEntries;

/*
 * Return an array with room for another item, given those that it has, at most
 * *max, and their size in bytes.  An array that is NULL has none, and *max is 0.
 */
static inline void *
lsh_grow(void *items, Size count, Size *max, Size size)
{
	if (count < *max)
		return items;
	*max = Max(2 * *max, 256);
	return items == NULL ? palloc(size * *max) : repalloc_huge(items, size * *max);
}

/* Append an entry to a list. */
static inline void
lsh_add_entry(LshEntries *list, uint64 key, uint32 number)
{
	list->entries = lsh_grow(list->entries, list->count, &list->max,
							 sizeof(LshEntry));
	list->entries[list->count++] = (LshEntry) {.key = key,.number = number};
}

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
	found->numbers = lsh_grow(found->numbers, found->count, &found->max,
							  sizeof(uint32));
	found->numbers[found->count++] = number;
}

/*
 * Return true if an index on a column of a type, the opcintype of its operator
 * class, holds passages; otherwise it holds signatures.
 */
static inline bool
lsh_holds_passages(Oid type)
{
	return type == TEXTOID;
}

/*
 * Return true if the layout of records is known: always in an index of passages,
 * from the first signature on in one of signatures.  Before, it has no records.
 */
static inline bool
lsh_layout_is_known(const LshLayout *layout)
{
	return layout->content == LSH_PASSAGES || layout->kind.num_hashes != 0;
}

/*** lsh_wal.c: changing pages, and logging the change ***/

/*
 * Collect a change with lsh_wal_begin(), then lsh_wal_put(), lsh_wal_entries() or
 * lsh_wal_page() for each page; lsh_wal_put() for each of its pieces, one after
 * the other.  Then apply and log it with lsh_wal_finish().  Pages do not change
 * before that, so an error in between leaves them as they were.  More than
 * LSH_WAL_PAGES pages, and pieces that are too large for a record, raise an error.
 *
 * The caller must keep the pages pinned and locked exclusively, and images
 * valid, until lsh_wal_finish() returns; pieces are copied.  Name pages in
 * the order of locks that README describes, because replay locks them in that
 * order.
 */
#define LSH_WAL_PAGES 4			/* MAX_GENERIC_XLOG_PAGES */

/* The changes of a page: a whole image, or some pieces. */
typedef struct LshWalPage
{
	Buffer		buffer;
	const char *image;			/* if not NULL, replaces the whole page */
	Size		start;			/* of its pieces */
} LshWalPage;

/* A change of several pages that is applied and logged as one. */
typedef struct LshWal
{
	Relation	index;
	int			count;
	LshWalPage	pages[LSH_WAL_PAGES];
	Size		size;			/* of all pieces */
	char		pieces[2 * BLCKSZ]; /* as in a WAL record */
} LshWal;

/* Begin a change without pages. */
static inline void
lsh_wal_begin(LshWal *wal, Relation index)
{
	wal->index = index;
	wal->count = 0;
	wal->size = 0;
}

/*
 * Write length bytes of data to an address on a page, which is added unless it
 * was added last.
 */
extern void lsh_wal_put(LshWal *wal, Buffer buffer, const void *address,
						const void *data, Size length);

/*
 * Add a tree page and append count entries, for which it must have room: their
 * keys or fragments, of keys_size bytes in total, and their numbers.
 */
extern void lsh_wal_entries(LshWal *wal, Buffer buffer, const void *keys,
							Size keys_size, const uint32 *numbers, int count);

/* Add a page, which is replaced by an image of BLCKSZ bytes unless that is NULL. */
extern void lsh_wal_page(LshWal *wal, Buffer buffer, const char *image);

/*
 * Apply the change, mark the buffers dirty, and log it if needed.  Has no
 * effect on a change without pages.
 */
extern void lsh_wal_finish(LshWal *wal);

/*** lsh_page.c: reading, checking and adding pages; the metapage; lists ***/

/* Raise ERRCODE_INDEX_CORRUPTED for a block; detail is a whole sentence. */
pg_noreturn extern void lsh_report_damage(Relation index, BlockNumber block,
										  const char *detail);

/* Raise that error for a TID of a page that is not valid, before the server gets it. */
static inline void
lsh_check_tid(Relation index, BlockNumber block, ItemPointer tid)
{
	if (!ItemPointerIsValid(tid))
		lsh_report_damage(index, block, "A TID on it is not valid.");
}

/* Return the TID of a record on a page, and check it. */
static inline ItemPointerData
lsh_record_tid(Relation index, const LshLayout *layout, Page page,
			   BlockNumber block, int place)
{
	ItemPointerData tid;

	memcpy(&tid, lsh_record_rest(layout, page, place), sizeof(tid));
	lsh_check_tid(index, block, &tid);
	return tid;
}

/* Make an empty page in memory: heads set, no next page, nothing in it. */
extern void lsh_page_init(Page page, LshPageType type);

/*
 * Raise ERRCODE_INDEX_CORRUPTED unless the page in a buffer, which the caller
 * has locked, is a valid page of this type.
 */
extern void lsh_check_page(Relation index, Buffer buffer, LshPageType type);

/*
 * A session that uses an index repeatedly caches where leaves begin, and the
 * buffers in which it last saw pages; lsh_tree.c fills the cache.  It is in
 * rd_amcache, which relcache invalidation frees, so never keep a pointer into it
 * across a catalog access.
 */
typedef struct LshCache
{
	uint32		misses;			/* descents, or cached leaves that were full
								 * or too far left */
	int			leaves;			/* 0 if the leaves are not cached */
	uint32		pages;			/* a power of two, or 0 */

	/*
	 * the lowest key of each leaf; then the blocks of leaves, and the buffers
	 * of pages, several of which may share a place
	 */
	uint64		keys[FLEXIBLE_ARRAY_MEMBER];
} LshCache;

/* Return the blocks of the leaves. */
static inline BlockNumber *
lsh_cache_blocks(LshCache *cache)
{
	return (BlockNumber *) (cache->keys + cache->leaves);
}

/* Return the cached buffers. */
static inline Buffer *
lsh_cache_buffers(LshCache *cache)
{
	return (Buffer *) (lsh_cache_blocks(cache) + cache->leaves);
}

/*
 * Pin a page, from the buffer where the session last saw it if it is still there.
 * strategy is that of a VACUUM, or NULL.  lsh_read() also locks the page
 * (BUFFER_LOCK_SHARE or BUFFER_LOCK_EXCLUSIVE) and checks it.
 */
extern Buffer lsh_pin(Relation index, BlockNumber block,
					  BufferAccessStrategy strategy);
extern Buffer lsh_read(Relation index, BlockNumber block, int lock,
					   LshPageType type, BufferAccessStrategy strategy);

/*
 * Return the page in the buffer where the session last saw a block, or NULL; it
 * needs no pin and no lock, so that it may be any page by now.  Only for addresses
 * to prefetch into the processor's cache: reading from it is allowed, but what is
 * read may be anything.
 */
extern char *lsh_cached_page(Relation index, BlockNumber block);

/*
 * Extend the index by one page, which is locked exclusively, and all zero.  If
 * the caller fails before it logs the page, the page stays unused.
 */
extern Buffer lsh_new_buffer(Relation index);

/*
 * For CREATE INDEX, which logs the whole index at its end: extend the index by
 * a page and return its block; write the image of a page to its block.
 */
extern BlockNumber lsh_append_page(Relation index);
extern void lsh_write_page(Relation index, BlockNumber block,
						   const char *image);

/*
 * A list of pages that CREATE INDEX writes, of which the last, the open page, is
 * being filled in memory.  An item that does not fit there opens another.  The
 * last page must be closed, too, with InvalidBlockNumber or the list that follows
 * as its right neighbor.
 */
typedef struct LshOpenList
{
	BlockNumber first;			/* invalid if the list is empty */
	BlockNumber block;			/* where the open page will be written */
	PGAlignedBlock image;
} LshOpenList;

extern void lsh_list_open_page(LshOpenList *list, BlockNumber block,
							   LshPageType type);
extern void lsh_list_write(Relation index, LshOpenList *list, LshPageType type,
						   const void *item, Size size);
extern void lsh_list_close_page(Relation index, LshOpenList *list,
								BlockNumber right);

/*
 * Call it at each step along a list of pages, with the link to the next page;
 * *steps is 0 at first.  Checks for interrupts, and reports a list that damage
 * has linked to itself, when it is longer than the index.
 */
static inline void
lsh_check_loop(Relation index, BlockNumber block, BlockNumber *steps)
{
	CHECK_FOR_INTERRUPTS();
	if (++*steps % 4096 == 0 && *steps > RelationGetNumberOfBlocks(index))
		lsh_report_damage(index, block, "A list of pages has no end.");
}

/*
 * Compute the layout of an index without rows; common is the list of k-grams of
 * an index of passages.
 */
extern void lsh_layout_init(Relation index, const LshGramList *common,
							LshLayout *layout);

/*
 * Let a layout without a kind take that of the first signature.  Raises
 * ERRCODE_PROGRAM_LIMIT_EXCEEDED for a signature larger than a page.
 */
extern void lsh_layout_set_kind(Relation index, const MinHash *sig,
								LshLayout *layout);

/*
 * All signatures of an index have the same shingling, method, number of hashes
 * and seed, its kind, which the metapage holds.  The first one sets it.  An
 * index of passages has a run and a list of common k-grams instead.  Neither
 * ever changes, so that a layout remains valid without a lock on the metapage.
 */

/* Return the run of an index of passages, an option of its column. */
extern uint32 lsh_index_run(Relation index);

/*
 * Make a metapage in memory, for the kind of layout.  The list of NULLs begins
 * at first_nulls, and free_nulls is its first page with room; both are
 * InvalidBlockNumber if there is no list.
 */
extern void lsh_meta_init(Page page, const LshLayout *layout,
						  BlockNumber last_directory, BlockNumber first_nulls,
						  BlockNumber free_nulls);

/*
 * Lock the metapage (BUFFER_LOCK_...), and copy it to *meta, of any format version.
 */
extern Buffer lsh_meta_lock(Relation index, int lock, LshMeta *meta);

/*
 * Return a copy of the metapage, and compute the layout of its kind.  Raises
 * ERRCODE_FEATURE_NOT_SUPPORTED for another format version.  A scan passes its
 * snapshot, so that one that is too old raises an error (until PostgreSQL 16);
 * others pass NULL.
 */
extern LshMeta lsh_meta_read(Relation index, Snapshot snapshot,
							 LshLayout *layout);

/*
 * Replace the metapage by *meta, if that differs, as a part of a change, or log
 * that as a change of its own.  The caller holds the buffer locked exclusively.
 */
extern void lsh_meta_put(LshWal *wal, Buffer buffer, const LshMeta *meta);
extern void lsh_meta_log(Relation index, Buffer buffer, const LshMeta *meta);

/*
 * Raise ERRCODE_DATA_EXCEPTION for a signature of another kind than that of the
 * index.
 */
extern void lsh_check_kind(Relation index, const LshLayout *layout,
						   const MinHash *sig);

/*
 * Raise ERRCODE_DATA_EXCEPTION for a signature of another kind.  If the layout, as
 * read from the metapage, has no kind, first lock the metapage exclusively, and
 * give the kind of sig to the index, unless it has one by now, and to the layout.
 */
extern void lsh_meta_take_kind(Relation index, const MinHash *sig,
							   LshLayout *layout);

/*
 * Append an item to the directory (LSH_DIRECTORY) or to the list of NULLs
 * (LSH_NULLS), and log it.  In the same change, make store_image the content of
 * the page in store, unless that is InvalidBuffer.  The caller holds no lock on
 * any other page.
 */
extern void lsh_list_add(Relation index, LshPageType type, const void *item,
						 Size size, Buffer store, const char *store_image);

/*** lsh_tree.c: tree pages; finding and searching leaves; the session's cache ***/

/*
 * lsh_tree_...() begins at the root, with a key; lsh_leaf_...() at a leaf that the
 * caller names.  lsh_find_leaves() uses the session's cache, which lsh_cache_...()
 * fill.  lsh_tree_find() and lsh_find_leaves() return blocks, which another process
 * can change before the caller locks them; ..._lock() returns the leaf for a key,
 * locked and checked.
 */

/*
 * Sort entries by key; the sort is stable, and takes memory for as many again.
 * It is faster for fragments, whose keys have 32 bits.  Checks for interrupts.
 */
extern void lsh_sort_entries(LshEntry *entries, Size count, bool fragments);

/*
 * Make a tree page in memory for the keys lo to hi, both inclusive, with at most
 * LSH_LEAF_MAX sorted entries, or LSH_INNER_MAX sorted children.  shift is that of
 * a leaf, and 0 for an inner page.
 */
extern void lsh_tree_make(Page page, int level, uint64 lo, uint64 hi,
						  const LshEntry *entries, int count, int shift);

/*
 * Read the entries or children of a tree page into an array with room for
 * LSH_LEAF_MAX, sorted by their keys, or by the first keys that the fragments of
 * entries can stand for; return their number.  Those of the same key stay in the
 * order in which they were added.
 */
extern int	lsh_tree_entries(Page page, LshEntry *entries);

/*
 * Return true if a descent for a key leads to a tree page of this range: it has
 * the key.  If leftmost, it has the last key before, so that this leaf and those
 * right of it have all entries of the key; for key 0 it is the first.
 */
static inline bool
lsh_tree_is_for(Page page, uint64 key, bool leftmost)
{
	const LshTree *tree = LshPageTree(page);
	uint64		in_range = leftmost && key > 0 ? key - 1 : key;

	return tree->lo <= in_range && tree->hi >= in_range;
}

/* Return true if a tree page is the leaf to which a descent for a key leads. */
static inline bool
lsh_leaf_is_for(Page page, uint64 key, bool leftmost)
{
	return LshPageTree(page)->level == 0 && lsh_tree_is_for(page, key, leftmost);
}

/*
 * Lock the root, or the child of an inner page for a key (BUFFER_LOCK_...).
 * Raises an error if it is not an inner page, or not the one for the key at the
 * next level, as no concurrent change can cause.
 */
extern Buffer lsh_tree_root(Relation index, int lock);
extern Buffer lsh_tree_child(Relation index, Buffer parent, uint64 key,
							 bool leftmost, int lock);

/*
 * Descend with share locks to the leaf for a key; return its block.  If
 * leftmost, return the first leaf that can have the key.
 */
extern BlockNumber lsh_tree_find(Relation index, uint64 key,
								 bool leftmost);

/*
 * Descend to the leaf for a key as lsh_tree_find() does, and return it locked
 * (BUFFER_LOCK_...).  The caller holds no lock on a page of the tree.
 */
extern Buffer lsh_tree_lock(Relation index, uint64 key, bool leftmost,
							int lock);

/*
 * Return the lowest key, the block and the parent of each leaf, in order,
 * palloc'd; *count is 0 if there are max leaves or more.  Leaves that split or
 * merge in the meantime may or may not be listed.
 */
extern LshEntry *lsh_tree_leaves(Relation index, Size max, Size *count);

/*
 * lsh_find_leaves(), lsh_tree_collect(), lsh_cache_prepare(), lsh_cache_missed()
 * and lsh_pass_all() can read inner pages of the tree to fill the cache, so the
 * caller must hold no lock on a page.
 */

/* Fill the cache before a scan of all records, unless it is filled. */
extern void lsh_cache_prepare(Relation index);

/*
 * Count a leaf that was not cached, or was full or too far left; read the leaves
 * again after many.
 */
extern void lsh_cache_missed(Relation index);

/*
 * Find the leaves for count keys, in which entries will be inserted, from the
 * cache or by descents: blocks[i] is that of keys[i], or one left of it.
 * Prefetch the lines that change.
 */
extern void lsh_find_leaves(Relation index, const uint64 *keys, int count,
							BlockNumber *blocks);

/*
 * Lock the leaf for a key, as lsh_leaf_is_for() defines it (BUFFER_LOCK_...).
 * It is probably the block that lsh_find_leaves() returned; otherwise this
 * descends to it again.
 *
 * If wait is true, the caller must hold no lock on another page.  Otherwise
 * lock is exclusive, and the function returns InvalidBuffer instead of waiting
 * for a process, this one included, that holds a lock on the way, and also if
 * the block is another leaf.
 */
extern Buffer lsh_leaf_lock(Relation index, BlockNumber block, uint64 key,
							bool leftmost, int lock, bool wait);

/*
 * Lock the next leaf with BUFFER_LOCK_SHARE, and then release this one, so that
 * no entry can move past the caller.  Return InvalidBuffer after the last leaf.
 * *steps is 0 at first; see lsh_check_loop().
 */
extern Buffer lsh_leaf_next(Relation index, Buffer buffer, BlockNumber *steps);

/*
 * Collect the numbers of the records that have at least "least" of count keys,
 * which are in ascending order, and of some that have another key of the same
 * fragment: each once, in ascending order.  *found is empty at first.  A key
 * stands for all keys that differ from it only in the bits of rest.  Stop and
 * return false when more than "most" numbers have been found.
 *
 * For each key, holds a lock on a leaf from the first to the last; see
 * lsh_meta_read() for snapshot.
 */
extern bool lsh_tree_collect(Relation index, Snapshot snapshot,
							 const uint64 *keys, Size count, uint64 rest,
							 int least, Size most, LshNumbers *found);

/*
 * Sort record numbers in place, and keep one of each that occurs at least
 * "least" times; return the number that is left.
 */
extern Size lsh_sort_numbers(uint32 *numbers, Size count, int least);

/*** lsh_store.c: reading and adding records ***/

/* Make an empty store page in memory. */
extern void lsh_store_init(Page page, const LshLayout *layout);

/*
 * Write the record of a row to a place of a page in memory, and mark the place
 * as used; sig is of the kind of the layout, and not read in an index of
 * passages.
 */
extern void lsh_store_write(Page page, const LshLayout *layout, int place,
							const MinHash *sig, ItemPointer tid);

/* Return the first place without a record, or -1. */
extern int	lsh_store_free_place(Page page, const LshLayout *layout);

/*
 * Raise ERRCODE_INDEX_CORRUPTED unless the records of a store page, which the
 * caller has locked, have the number of hashes of the layout.
 */
extern void lsh_check_store(Relation index, const LshLayout *layout,
							Buffer buffer);

/*
 * Return the blocks of the store in ascending order; the caller frees the
 * numbers.  Pages that are added in the meantime may or may not be listed.
 */
extern LshNumbers lsh_store_blocks(Relation index);

/*
 * A pass over pages of the store: those of some records, whose numbers the caller
 * puts there in ascending order, or all, after lsh_pass_all().  All zero, it is a
 * pass over no page.  The caller may set next to 0, to begin again.
 */
typedef struct LshPass
{
	LshNumbers	numbers;		/* of records; of all blocks if all is true */
	bool		all;
	Size		next;			/* the number to read next */
	/* the last page, and the places on it: of the records, or all */
	BlockNumber block;
	int			count;
	uint16		places[LSH_STORE_MAX];
} LshPass;

extern void lsh_pass_all(Relation index, LshPass *pass);

/*
 * Pin the next page, lock it with BUFFER_LOCK_SHARE, and check it; return
 * InvalidBuffer after the last.  Places may have no record.  Prefetches what comes
 * next, and checks for interrupts.
 */
extern Buffer lsh_pass_next(Relation index, const LshLayout *layout,
							LshPass *pass);

/*
 * Read the slots of the record that an entry of the tree names; a record of
 * passages has none.  Raises an error if there is no such record.  The caller
 * may hold a lock on a leaf.
 */
extern void lsh_store_slots(Relation index, const LshLayout *layout,
							uint32 number, uint16 *slots);

/*
 * Write the record of a row and log it; return its number.  sig is of the kind
 * of the index, and not read in an index of passages.  The caller holds no lock
 * on any page, and adds the entries of the tree afterwards.
 */
extern uint32 lsh_store_add(Relation index, const LshLayout *layout,
							const MinHash *sig, ItemPointer tid);

/*
 * Note in the free space map whether a store page has room.  Other sessions see
 * that only when VACUUM has updated the upper levels of the map; lsh_fsm_add(),
 * for a page with room, updates these at once.
 */
extern void lsh_fsm_update(Relation index, BlockNumber block, bool has_room);
extern void lsh_fsm_add(Relation index, BlockNumber block);

/*
 * Raise ERRCODE_PROGRAM_LIMIT_EXCEEDED if the records of a new store page
 * would have numbers of more than 32 bits, or UINT32_MAX, which stands for no
 * record.
 */
extern void lsh_check_block_limit(Relation index, const LshLayout *layout,
								  BlockNumber block);

/*** lsh_split.c: splitting and merging tree pages ***/

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
 * Split the leaf for a key if it is full, and full inner pages on the way.  The
 * caller holds no lock on any page.  Afterwards another process may have filled
 * the leaf again.
 */
extern void lsh_tree_split(Relation index, const LshLayout *layout,
						   uint64 key);

/*
 * Merge two leaves, and let the second become free, if they are still neighbors
 * below a parent, and have at most max entries; return true if so.  The leaves
 * are in the order of their keys, and neither has become free since they were
 * listed.  The caller holds no lock on any page.  Only VACUUM may call it, so that
 * no other process does at the same time.
 */
extern bool lsh_tree_merge(Relation index, const LshLayout *layout,
						   const LshEntry *left, const LshEntry *right, int max);

/*** lsh_keys.c: common k-grams, and the keys of a value ***/

/*
 * A search visits every row that has a key in common with its text, so keys
 * that many rows have make it slow.  Therefore an index has a list of common
 * k-grams, and a text gets keys from these only where it has no others (see
 * core/passages/winnow.c).  All keys of an index must be made with the same
 * list, so CREATE INDEX makes it, and only REINDEX replaces it.
 */

/*
 * Sample the table of an index that is being built, append the list of k-grams
 * that are common in it to the index, and return where the list is.
 */
extern LshGramList lsh_grams_write(Relation heap, Relation index,
								   IndexInfo *info);

/*
 * Read the list from the pages of the index; return the k-grams, palloc'd.
 * Raises an error if the list is damaged.
 */
extern uint64 *lsh_grams_read(Relation index, const LshGramList *common);

/* Return the signature that an index of signatures stores; otherwise NULL. */
static inline const MinHash *
lsh_signature(const LshLayout *layout, Datum value)
{
	return layout->content == LSH_SIGNATURES ? DatumGetWholeMinHash(value) : NULL;
}

/*
 * Return the 64-bit keys under which the tree stores a value, all different, in
 * ascending order, palloc'd: those of sig, which lsh_signature() has returned, or,
 * if that is NULL, of the text.  Can be interrupted.
 */
extern uint64 *lsh_keys(Relation index, const LshLayout *layout,
						const MinHash *sig, Datum value, Size *count);

/*** lsh_nearest.c: rows in the order of their distances, in batches ***/

/*
 * For each batch call lsh_nearest_begin(), then lsh_nearest_add() for all records,
 * always the same, in any order; then lsh_nearest_fetch() until it returns no row.
 *
 * No function takes or needs a lock.
 */

typedef struct LshNearest LshNearest;

/* The batch from which on all have the same size. */
#define LSH_LAST_SIZE 3

/* Return the number of rows in a batch, the first being batch 0. */
extern Size lsh_nearest_batch_rows(int batch);

/*
 * Prepare to order the records of an index by their distances to a target of their
 * kind, then by the number of the record.  If the target is NULL, so are all
 * distances.  The current memory context holds the result and all that is
 * allocated later; layout and target must live as long.
 */
extern LshNearest *lsh_nearest_create(const LshLayout *layout,
									  const MinHash *target);

/* Begin a batch with the rows after the last one; return false if none is left. */
extern bool lsh_nearest_begin(LshNearest *nearest);

/*
 * Add the records at count places of a store page to the batch, as far as they
 * belong there; places is overwritten.
 */
extern void lsh_nearest_add(LshNearest *nearest, Relation index, Page page,
							BlockNumber block, int count, uint16 *places);

/* Return the number of next rows of the batch, at most max, whose TIDs are set. */
extern int	lsh_nearest_fetch(LshNearest *nearest, ItemPointer tids, int max);

/*** Functions of the IndexAmRoutine; the server documents their contracts ***/

/* lsh_build.c */
extern IndexBuildResult *lsh_build(Relation heap, Relation index,
								   IndexInfo *info);
extern void lsh_build_empty(Relation index);

/* lsh_insert.c */
extern bool lsh_insert(Relation index, Datum *values, bool *isnull,
					   ItemPointer tid, Relation heap,
					   IndexUniqueCheck unique, bool unchanged,
					   IndexInfo *info);

/* lsh_vacuum.c */
extern IndexBulkDeleteResult *lsh_bulk_delete(IndexVacuumInfo *info,
											  IndexBulkDeleteResult *stats,
											  IndexBulkDeleteCallback callback,
											  void *callback_state);
extern IndexBulkDeleteResult *lsh_vacuum_cleanup(IndexVacuumInfo *info,
												 IndexBulkDeleteResult *stats);

/* lsh_cost.c */
extern void lsh_cost_estimate(PlannerInfo *root, IndexPath *path,
							  double loop_count, Cost *startup, Cost *total,
							  Selectivity *selectivity, double *correlation,
							  double *pages);

/* lsh_search.c */
extern IndexScanDesc lsh_begin_scan(Relation index, int nkeys, int norderbys);
extern void lsh_rescan(IndexScanDesc scan, ScanKey keys, int nkeys,
					   ScanKey orderbys, int norderbys);
extern bool lsh_get_tuple(IndexScanDesc scan, ScanDirection direction);
extern int64 lsh_get_bitmap(IndexScanDesc scan, TIDBitmap *bitmap);
extern void lsh_end_scan(IndexScanDesc scan);

/*** lsh_handler.c: the IndexAmRoutine, options and operator classes ***/

/* Register the storage parameters; called once when the module is loaded. */
extern void lsh_define_options(void);

/*** lsh_index.c: opening an index for the functions lsh_index_...() ***/

/*
 * Open an lsh index with a lock on it and on its table.  Raises an error for
 * any other relation, for the index of a table that Citus distributes, for an
 * index that is not valid, and for one of another session.  The caller calls
 * relation_close(); the lock on the table lasts until the transaction ends.
 */
extern Relation lsh_open_index(Oid index_oid, LOCKMODE lock);

/*
 * Open an lsh index with AccessShareLock, as lsh_open_index() does.  Raises an
 * error also if the user may not read the whole table.
 */
extern Relation lsh_open_readable_index(Oid index_oid);

#endif							/* LSH_H */
