/*-------------------------------------------------------------------------
 *
 * lsh_page.h
 *	  The pages of an lsh index.
 *
 * Every page begins with the server's page header and an LshPageHead.  See
 * README in this folder for what the pages are for.  All numbers are in
 * native byte order and aligned, but for the records of signatures, which
 * are bytes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_PAGE_H
#define LSH_PAGE_H

#include "access/genam.h"
#include "storage/bufmgr.h"
#include "storage/bufpage.h"
#include "storage/itemptr.h"
#include "utils/rel.h"

#include "compat.h"
#include "core/bands.h"
#include "core/hash.h"
#include "core/planes.h"
#include "type/minhash.h"

#define LSH_MAGIC 0x4C534849	/* "LSHI" */
#define LSH_VERSION 2			/* of the format of all pages; 1 was a draft */

#define LSH_META_BLOCK 0
#define LSH_ROOT_BLOCK 1
#define LSH_FIRST_DIRECTORY 2

#define LSH_DEFAULT_FILLFACTOR 90
#define LSH_MIN_FILLFACTOR 20

typedef enum LshPageType
{
	LSH_META = 1,
	LSH_TREE,
	LSH_STORE,
	LSH_DIRECTORY,
	LSH_NULLS
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

/*
 * Block 0: what the index holds.  The number of hashes is 0 as long as no
 * signature has come.
 */
typedef struct LshMeta
{
	LshPageHead head;
	uint32		magic;
	uint32		version;
	uint16		num_hashes;
	uint8		method;
	uint8		forgetting;		/* set while VACUUM looks whether all is empty */
	uint32		shingling;
	int32		seed;
	uint32		generation;		/* incremented when the kind is forgotten */
	BlockNumber last_directory;
	BlockNumber first_nulls;	/* rows that are NULL, or none */
	BlockNumber free_nulls;		/* a page of them to begin with */
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
/* entry i of those that grow down from the end of the page */
#define LshNumber(page, i) (((uint32 *) ((char *) (page) + BLCKSZ))[-1 - (int) (i)])
#define LSH_LEAF_MAX ((int) ((BLCKSZ - LSH_TREE_START) / 8))
#define LSH_INNER_MAX ((int) ((BLCKSZ - LSH_TREE_START) / 12))

/*
 * A page of records: first planes side by side, then second planes, then third
 * planes, then TID and rest of each.
 */
typedef struct LshStore
{
	LshPageHead head;
	uint16		num_hashes;
	uint16		unused;
	uint8		used[28];		/* a bit for each record */
} LshStore;

#define LshPageStore(page) ((LshStore *) LshHead(page))
#define LSH_STORE_START 64		/* first planes begin with a cache line */
#define LSH_STORE_MAX (28 * 8)

StaticAssertDecl(SizeOfPageHeaderData + sizeof(LshStore) == LSH_STORE_START,
				 "records begin where the header ends");
StaticAssertDecl(LSH_TREE_START % 8 == 0, "keys are aligned");

/* A page of the directory: the blocks of the store, in the order they came. */
#define LshBlocks(page) ((BlockNumber *) ((char *) (page) + LSH_HEAD_END))
#define LSH_DIRECTORY_MAX ((int) ((BLCKSZ - LSH_HEAD_END) / sizeof(BlockNumber)))

/* A page of the rows that are NULL. */
#define LshTids(page) ((ItemPointer) ((char *) (page) + LSH_HEAD_END))
#define LSH_NULLS_MAX ((int) ((BLCKSZ - LSH_HEAD_END) / sizeof(ItemPointerData)))

/* How records of some kind lie on a page, and what their numbers are. */
typedef struct LshLayout
{
	MinHashKind kind;			/* num_hashes is 0 if there is none yet */
	uint32		generation;
	bool		forgetting;
	int			per_page;
	int			number_bits;	/* number = block << number_bits | place */
	Size		plane_size;		/* of a record's first plane, and its second */
	Size		rest_size;		/* of the rest of a record, with its TID */
} LshLayout;

/* Return the block that a record lies in. */
static inline BlockNumber
lsh_number_block(const LshLayout *layout, uint32 number)
{
	return number >> layout->number_bits;
}

/* Return the place of a record on its page. */
static inline int
lsh_number_place(const LshLayout *layout, uint32 number)
{
	return (int) (number & ((UINT32_C(1) << layout->number_bits) - 1));
}

/* Return the number of a record. */
static inline uint32
lsh_number(const LshLayout *layout, BlockNumber block, int place)
{
	return block << layout->number_bits | (uint32) place;
}

/* Return the first plane of a record. */
static inline uint8 *
lsh_record_first(const LshLayout *layout, Page page, int place)
{
	return (uint8 *) page + LSH_STORE_START + layout->plane_size * place;
}

/* Return the second plane of a record. */
static inline uint8 *
lsh_record_second(const LshLayout *layout, Page page, int place)
{
	return lsh_record_first(layout, page, layout->per_page + place);
}

/* Return the third plane of a record. */
static inline uint8 *
lsh_record_third(const LshLayout *layout, Page page, int place)
{
	return lsh_record_first(layout, page, 2 * (layout->per_page + place));
}

/* Return the rest of a record: TID and the last plane. */
static inline uint8 *
lsh_record_rest(const LshLayout *layout, Page page, int place)
{
	return lsh_record_third(layout, page, layout->per_page) +
		layout->rest_size * place;
}

/* Return the planes of a record. */
static inline Planes
lsh_record_planes(const LshLayout *layout, Page page, int place)
{
	return (Planes) {
		lsh_record_first(layout, page, place),
		lsh_record_second(layout, page, place),
		lsh_record_third(layout, page, place),
		lsh_record_rest(layout, page, place) + sizeof(ItemPointerData)
	};
}

/* Read the TID of a record. */
static inline ItemPointerData
lsh_record_tid(const LshLayout *layout, Page page, int place)
{
	ItemPointerData tid;

	memcpy(&tid, lsh_record_rest(layout, page, place), sizeof(tid));
	return tid;
}

/* Tell whether there is a record at a place. */
static inline bool
lsh_record_is_used(Page page, int place)
{
	return (LshPageStore(page)->used[place / 8] >> place % 8) & 1;
}

/* Count the entries of a page of the tree. */
static inline int
lsh_tree_count(Page page)
{
	return (int) (BLCKSZ - ((PageHeader) page)->pd_upper) / 4;
}

/* Return the number of blocks that a directory page lists. */
static inline int
lsh_directory_count(Page page)
{
	return (int) ((((PageHeader) page)->pd_lower - LSH_HEAD_END) /
				  sizeof(BlockNumber));
}

/* Return the number of TIDs on a page of the list of NULLs. */
static inline int
lsh_nulls_count(Page page)
{
	return (int) ((((PageHeader) page)->pd_lower - LSH_HEAD_END) /
				  sizeof(ItemPointerData));
}

/* Return the key of a band, as it is in the tree, of a set that is not empty. */
static inline uint64
lsh_band_key(const uint16 *slots, int num_hashes, int band)
{
	return band_key(slots, num_hashes, band, band_rows(band, num_hashes));
}

/*
 * Return the fragment of a key on a leaf: what the bits from the shift on are
 * more than those of the leaf's first key.  So a fragment stands for keys of
 * one band.
 */
static inline uint32
lsh_key_fragment(const LshTree *tree, uint64 key)
{
	return (uint32) ((key >> tree->shift) - (tree->lo >> tree->shift));
}

/* Return the first key on a leaf that a fragment stands for. */
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

/* Return the bits of a key, from the right, that are never set. */
static inline int
lsh_key_floor(void)
{
	return lowest_bit(band_mask(BAND_ROWS));
}

extern void lsh_page_init(Page page, LshPageType type);
extern void lsh_page_check(Relation index, Buffer buffer, LshPageType type);
extern void lsh_check_block(Relation index, BlockNumber block);
extern Buffer lsh_read(Relation index, BlockNumber block, int lock,
					   LshPageType type);
extern Buffer lsh_read_with(Relation index, BlockNumber block, int lock,
							LshPageType type, BufferAccessStrategy strategy);
extern Buffer lsh_new_buffer(Relation index);
pg_noreturn extern void lsh_report_damage(Relation index, BlockNumber block,
										  const char *detail);
extern void lsh_meta_init(Page page, const LshLayout *layout,
						  BlockNumber last_directory, BlockNumber first_nulls,
						  BlockNumber last_nulls);
extern void lsh_tree_init(Page page, int level, uint64 lo, uint64 hi);
extern void lsh_layout_init(LshLayout *layout, const MinHashKind *kind);
extern void lsh_layout_read(Relation index, Page meta, LshLayout *layout);
extern bool lsh_same_kind(const LshLayout *layout, const MinHash *sig);
extern void lsh_check_kind(Relation index, const LshLayout *layout,
						   const MinHash *sig);
extern void lsh_check_size(Relation index, const MinHash *sig);

#endif							/* LSH_PAGE_H */
