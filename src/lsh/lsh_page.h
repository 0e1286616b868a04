/*-------------------------------------------------------------------------
 *
 * lsh_page.h
 *	  On-disk format of the pages of an lsh index, and reading them.
 *
 * Every page begins with the server's page header and an LshPageHead; README.md
 * describes the types of pages.  Numbers are in native byte order and aligned.
 * The records of a store page are bytes; lsh_layout.h describes where each of
 * them lies.
 *
 * lsh_read() checks all fields of a page that later code trusts.  Call it, or
 * lsh_page_check() under the buffer's lock, before using a page.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_PAGE_H
#define LSH_PAGE_H

#include "storage/bufmgr.h"
#include "storage/bufpage.h"
#include "storage/itemptr.h"
#include "utils/rel.h"

#define LSH_MAGIC 0x4C534849	/* "LSHI" */
#define LSH_VERSION 3			/* of the format of all pages; older are
								 * drafts */

#define LSH_META_BLOCK 0
#define LSH_ROOT_BLOCK 1
#define LSH_FIRST_DIRECTORY 2

typedef enum LshPageType
{
	LSH_META = 1,
	LSH_TREE,
	LSH_STORE,
	LSH_DIRECTORY,
	LSH_NULLS,
	LSH_COMMON
} LshPageType;

#define LSH_PAGE_ID 0x4C53

typedef struct LshPageHead
{
	uint16		id;				/* LSH_PAGE_ID */
	uint16		type;			/* an LshPageType */
	BlockNumber right;			/* next page of the list, or invalid */
} LshPageHead;

#define LshHead(page) ((LshPageHead *) ((char *) (page) + SizeOfPageHeaderData))
#define LSH_HEAD_END (SizeOfPageHeaderData + sizeof(LshPageHead))

/* The content of an index; the type of its column decides. */
typedef enum LshContent
{
	LSH_SIGNATURES,
	LSH_PASSAGES
} LshContent;

/* The list of common k-grams of an index of passages, see lsh_common.h. */
typedef struct LshGramList
{
	BlockNumber first;			/* its first page, invalid if it is empty */
	uint32		count;
	uint64		hash;			/* of all k-grams */
} LshGramList;

/*
 * The metapage, block 0.  In an index of signatures, num_hashes is 0 until the
 * first signature sets the kind.  In an index of passages, it is always 0, and
 * shingling is the run.
 */
typedef struct LshMeta
{
	LshPageHead head;
	uint32		magic;
	uint32		version;
	uint16		num_hashes;
	uint8		method;
	uint8		unused1;
	uint32		shingling;
	int32		seed;
	uint32		unused2;
	BlockNumber last_directory;
	BlockNumber first_nulls;	/* head of the list of NULLs, or invalid */
	BlockNumber free_nulls;		/* where to look for room in that list */
	uint32		content;		/* an LshContent */
	LshGramList common;
} LshMeta;

#define LshPageMeta(page) ((LshMeta *) LshHead(page))

/*
 * A tree page.  A leaf has fragments of keys, which grow from the front, and
 * record numbers, which grow from the end of the page.  An inner page has the
 * lowest keys of its children, and their blocks.  The first "sorted" entries
 * are in order; later ones follow as they were inserted.
 */
typedef struct LshTree
{
	LshPageHead head;
	uint64		lo;				/* range of keys, both ends inclusive */
	uint64		hi;
	uint16		sorted;
	uint8		level;			/* 0 for a leaf */
	uint8		shift;			/* of a leaf: low bits that fragments lack */
	uint32		unused;
} LshTree;

#define LshPageTree(page) ((LshTree *) LshHead(page))
#define LSH_TREE_START MAXALIGN(SizeOfPageHeaderData + sizeof(LshTree))
#define LshFragments(page) ((uint32 *) ((char *) (page) + LSH_TREE_START))
#define LshKeys(page) ((uint64 *) ((char *) (page) + LSH_TREE_START))
/* number i, or block i, which grow down from the end of the page */
#define LshNumber(page, i) (((uint32 *) ((char *) (page) + BLCKSZ))[-1 - (int) (i)])
#define LSH_LEAF_MAX ((int) ((BLCKSZ - LSH_TREE_START) / 8))
#define LSH_INNER_MAX ((int) ((BLCKSZ - LSH_TREE_START) / 12))

/*
 * A store page.  Of signatures it has the first planes side by side, then
 * second planes, then third planes, then the TID and the last plane of each
 * record; of passages, TIDs.  Places without a record have a 0 in the bitmap,
 * which is longer on a page of passages.
 */
typedef struct LshStore
{
	LshPageHead head;
	uint16		num_hashes;		/* 0 on a page of passages */
	uint16		unused;
	uint8		used[FLEXIBLE_ARRAY_MEMBER];
} LshStore;

#define LshPageStore(page) ((LshStore *) LshHead(page))
#define LSH_STORE_HEAD (SizeOfPageHeaderData + offsetof(LshStore, used))
#define LSH_SIGNATURES_START 64 /* first planes begin with a cache line */
#define LSH_SIGNATURES_USED (LSH_SIGNATURES_START - LSH_STORE_HEAD)
#define LSH_PASSAGES_USED 128
#define LSH_PASSAGES_START (LSH_STORE_HEAD + LSH_PASSAGES_USED)
#define LSH_STORE_MAX (8 * LSH_PASSAGES_USED)	/* most records on a page */

StaticAssertDecl(LSH_PASSAGES_START +
				 LSH_STORE_MAX * sizeof(ItemPointerData) <= BLCKSZ,
				 "the TIDs of a page fit");
StaticAssertDecl(LSH_TREE_START % 8 == 0, "keys are aligned");

/* The number of items of a type on a page of a list, and the most that fit. */
#define LshListCount(page, type) \
	((int) ((((PageHeader) (page))->pd_lower - LSH_HEAD_END) / sizeof(type)))
#define LSH_LIST_MAX(type) ((int) ((BLCKSZ - LSH_HEAD_END) / sizeof(type)))

/* A directory page: blocks of store pages, in the order they were added. */
#define LshBlocks(page) ((BlockNumber *) ((char *) (page) + LSH_HEAD_END))
#define lsh_directory_count(page) LshListCount(page, BlockNumber)
#define LSH_DIRECTORY_MAX LSH_LIST_MAX(BlockNumber)

/* A page of the list of NULLs: TIDs of rows whose signature is NULL. */
#define LshTids(page) ((ItemPointer) ((char *) (page) + LSH_HEAD_END))
#define lsh_nulls_count(page) LshListCount(page, ItemPointerData)

/* A page of the list of common k-grams, which are in ascending order. */
#define LshGrams(page) ((uint64 *) ((char *) (page) + LSH_HEAD_END))
#define lsh_grams_count(page) LshListCount(page, uint64)
#define LSH_GRAMS_MAX LSH_LIST_MAX(uint64)

StaticAssertDecl(LSH_HEAD_END % 8 == 0, "k-grams are aligned");

/* Return the number of entries of a tree page. */
static inline int
lsh_tree_count(Page page)
{
	return (int) (BLCKSZ - ((PageHeader) page)->pd_upper) / 4;
}

/* Return true if an index holds passages. */
extern bool lsh_holds_passages(Relation index);

/* Make an empty page in memory: heads set, no next page, nothing in it. */
extern void lsh_page_init(Page page, LshPageType type);

/* Return true if a page of a list has room for an item of a size in bytes. */
static inline bool
lsh_list_has_room(Page page, Size size)
{
	return PageGetExactFreeSpace(page) >= size;
}

/* Append an item to a page of a list in memory, which has room for it. */
extern void lsh_list_append(Page page, const void *item, Size size);

/*
 * Raise ERRCODE_INDEX_CORRUPTED unless the page in a buffer, which the caller
 * has locked, is a valid page of this type.
 */
extern void lsh_page_check(Relation index, Buffer buffer, LshPageType type);

/* Raise the same error for a block beyond the end of the index. */
extern void lsh_check_block(Relation index, BlockNumber block);

/*
 * Pin, lock (BUFFER_LOCK_SHARE or BUFFER_LOCK_EXCLUSIVE) and check a page; the
 * caller calls UnlockReleaseBuffer().  strategy is that of a VACUUM.
 */
extern Buffer lsh_read(Relation index, BlockNumber block, int lock,
					   LshPageType type);
extern Buffer lsh_read_with(Relation index, BlockNumber block, int lock,
							LshPageType type, BufferAccessStrategy strategy);

/*
 * Extend the index by one page; return it pinned, locked exclusively, and all
 * zero.  If the caller fails before it logs the page, the page stays unused.
 */
extern Buffer lsh_new_buffer(Relation index);

/*
 * For CREATE INDEX, which logs the whole index at its end: extend the index by
 * a page and return its block; write the image of a page to its block.
 */
extern BlockNumber lsh_append_page(Relation index);
extern void lsh_write_page(Relation index, BlockNumber block,
						   const char *image);

/* Raise ERRCODE_INDEX_CORRUPTED for a block; detail is a whole sentence. */
pg_noreturn extern void lsh_report_damage(Relation index, BlockNumber block,
										  const char *detail);

/* Do so for a TID on the page that is not valid, before the server gets it. */
static inline void
lsh_check_tid(Relation index, BlockNumber block, ItemPointer tid)
{
	if (!ItemPointerIsValid(tid))
		lsh_report_damage(index, block, "A TID on it is not valid.");
}

/*
 * Count a step along a list of pages, to which block is the link.  Check for
 * interrupts now and then, and report a list that is longer than the index,
 * because damage has linked it to itself.  *steps is 0 at first.
 */
extern void lsh_step(Relation index, BlockNumber block, BlockNumber *steps);

#endif							/* LSH_PAGE_H */
