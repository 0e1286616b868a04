/*-------------------------------------------------------------------------
 *
 * lsh_format.h
 *	  On-disk format of the pages of an lsh index.
 *
 * The format is frozen: a change of it needs another LSH_VERSION.  Every page
 * begins with the server's page header and an LshPageHead; README.md describes
 * the types of pages.  Numbers are in native byte order and aligned.
 *
 * The functions and macros that take a page expect one that lsh_read() or
 * lsh_check_page() has checked, under a lock, or a page in memory.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_FORMAT_H
#define LSH_FORMAT_H

#include "storage/bufpage.h"
#include "storage/itemptr.h"

#include "core/sketch/planes.h"
#include "type/minhash.h"

#define LSH_MAGIC 0x4C534849	/* "LSHI" */
#define LSH_VERSION 1			/* of the format of all pages */

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

/* The list of common k-grams of an index of passages, see lsh_keys.c. */
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
	BlockNumber free_leaf;		/* first of a list of free leaves, or 0 */
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

StaticAssertDecl(LSH_TREE_START % 8 == 0, "keys are aligned");

/* Return the number of entries of a tree page. */
static inline int
lsh_tree_count(Page page)
{
	return (int) (BLCKSZ - ((PageHeader) page)->pd_upper) / 4;
}

/*
 * A free leaf is not in the tree: its range is only LSH_NO_KEY, which is above
 * all keys, and it has no entries.  Its link leads to the next free one, or is
 * 0.
 */
#define LSH_NO_KEY UINT64_MAX

/*** Keys of leaves ***/

/*
 * Return a key of passages as the tree stores it: 32 bits, in the order of the
 * signed numbers, then 32 zeros, so that the fragments of any leaf are exact.
 */
static inline uint64
lsh_passage_key(int32 key)
{
	return (uint64) ((uint32) key ^ (UINT32_C(1) << 31)) << 32;
}

/* Return the fragment of a key that lies between lo and hi of a leaf. */
static inline uint32
lsh_key_fragment(const LshTree *tree, uint64 key)
{
	return (uint32) ((key >> tree->shift) - (tree->lo >> tree->shift));
}

/* Return the first key on a leaf that a fragment can stand for. */
static inline uint64
lsh_fragment_key(const LshTree *tree, uint32 fragment)
{
	return Max(((tree->lo >> tree->shift) + fragment) << tree->shift, tree->lo);
}

/* Return the last key that a fragment can stand for, given the first. */
static inline uint64
lsh_fragment_end(uint64 first, int shift)
{
	return first | ((UINT64CONST(1) << shift) - 1);
}

/*** Store pages ***/

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

/*
 * Where the records lie on the store pages of an index, which follows from its
 * content and the number of hashes.
 *
 * A record has a place on its page, from 0 to per_page - 1, and a 4-byte number
 * in the index, block << number_bits | place, by which the tree names it.  A
 * record of passages is a TID without planes.
 */
typedef struct LshLayout
{
	LshContent	content;
	MinHashKind kind;			/* of signatures: num_hashes is 0 if there is
								 * none yet; of passages: only the run, as
								 * shingling */
	LshGramList common;			/* of passages */
	int			per_page;		/* records on a page; 0 if none fits */
	int			number_bits;
	int			key_floor;		/* low bits of keys that are never set */
	Size		start;			/* of the records on a page */
	Size		plane_size;		/* bytes of a first plane, and of a second */
	Size		rest_size;		/* bytes of a TID and a last plane */
} LshLayout;

/* Return the block of the record with a number. */
static inline BlockNumber
lsh_number_block(const LshLayout *layout, uint32 number)
{
	return number >> layout->number_bits;
}

/* Return the place of a record; that of a damaged number can be too large. */
static inline int
lsh_number_place(const LshLayout *layout, uint32 number)
{
	return (int) (number & ((UINT32_C(1) << layout->number_bits) - 1));
}

/* Return the number of the record at a place. */
static inline uint32
lsh_number(const LshLayout *layout, BlockNumber block, int place)
{
	return block << layout->number_bits | (uint32) place;
}

/* Return pointers to the planes of a record. */
static inline Planes
lsh_record_planes(const LshLayout *layout, Page page, int place)
{
	uint8	   *first = (uint8 *) page + layout->start;
	uint8	   *second = first + layout->plane_size * layout->per_page;
	uint8	   *third = second + layout->plane_size * layout->per_page;
	uint8	   *rest = third + 2 * layout->plane_size * layout->per_page;
	Planes		planes = {first, second, third, rest + sizeof(ItemPointerData)};

	return planes_at(&planes, layout->plane_size, layout->rest_size, place);
}

/* Return the rest of a record: its TID and its last plane. */
static inline uint8 *
lsh_record_rest(const LshLayout *layout, Page page, int place)
{
	return lsh_record_planes(layout, page, place).rest - sizeof(ItemPointerData);
}

/* Return true if a place, below LSH_STORE_MAX, has a record. */
static inline bool
lsh_record_is_used(Page page, int place)
{
	return (LshPageStore(page)->used[place / 8] >> place % 8) & 1;
}

/*** Lists of pages ***/

/* The number of items of a type on a page of a list. */
#define LshListCount(page, type) \
	((int) ((((PageHeader) (page))->pd_lower - LSH_HEAD_END) / sizeof(type)))

/* A directory page: blocks of store pages, in the order they were added. */
#define LshBlocks(page) ((BlockNumber *) ((char *) (page) + LSH_HEAD_END))
#define lsh_directory_count(page) LshListCount(page, BlockNumber)

/* A page of the list of NULLs: TIDs of rows whose signature is NULL. */
#define LshTids(page) ((ItemPointer) ((char *) (page) + LSH_HEAD_END))
#define lsh_nulls_count(page) LshListCount(page, ItemPointerData)

/* A page of the list of common k-grams, which are in ascending order. */
#define LshGrams(page) ((uint64 *) ((char *) (page) + LSH_HEAD_END))
#define lsh_grams_count(page) LshListCount(page, uint64)

StaticAssertDecl(LSH_HEAD_END % 8 == 0, "k-grams are aligned");

/* The compiler must not lay out the pages in another way. */
StaticAssertDecl(sizeof(LshPageHead) == 8 && sizeof(LshTree) == 32 &&
				 offsetof(LshTree, shift) == 27 &&
				 sizeof(LshMeta) == 64 && offsetof(LshMeta, content) == 44 &&
				 offsetof(LshStore, used) == 12, "the format is frozen");

/* Return true if a page of a list has room for an item of a size in bytes. */
static inline bool
lsh_list_has_room(Page page, Size size)
{
	return PageGetExactFreeSpace(page) >= size;
}

#endif							/* LSH_FORMAT_H */
