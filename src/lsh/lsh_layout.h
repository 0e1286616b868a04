/*-------------------------------------------------------------------------
 *
 * lsh_layout.h
 *	  Where the records of an index lie on a store page.
 *
 * A record has a place on its page, from 0 on, and a 4-byte number in the
 * index, block << number_bits | place, by which the tree names it.  Sizes and
 * places follow from the content of the index and the number of hashes; an
 * LshLayout holds them.  A record of passages is a TID without planes.
 *
 * The functions that take a page expect a checked store page (lsh_read) under
 * a lock, and a place below layout->per_page.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_LAYOUT_H
#define LSH_LAYOUT_H

#include "compat.h"
#include "core/sketch/planes.h"
#include "lsh_page.h"
#include "type/minhash.h"

/* The content of an index when its metapage was read, with sizes. */
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

/*
 * Return true if an index can have records: if it holds passages, or if the
 * kind of its signatures is known.
 */
static inline bool
lsh_has_kind(const LshLayout *layout)
{
	return layout->content == LSH_PASSAGES || layout->kind.num_hashes != 0;
}

/* Return the block of the record with a number. */
static inline BlockNumber
lsh_number_block(const LshLayout *layout, uint32 number)
{
	return number >> layout->number_bits;
}

/* Return the place of a record; with a damaged number it can exceed per_page. */
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

/* Return the first plane of a record. */
static inline uint8 *
lsh_record_first(const LshLayout *layout, Page page, int place)
{
	return (uint8 *) page + layout->start + layout->plane_size * place;
}

/* Return the second plane of a record. */
static inline uint8 *
lsh_record_second(const LshLayout *layout, Page page, int place)
{
	return lsh_record_first(layout, page, layout->per_page + place);
}

/* Return the third plane of a record, which is twice as large. */
static inline uint8 *
lsh_record_third(const LshLayout *layout, Page page, int place)
{
	return lsh_record_first(layout, page, 2 * (layout->per_page + place));
}

/* Return the rest of a record: its TID and its last plane. */
static inline uint8 *
lsh_record_rest(const LshLayout *layout, Page page, int place)
{
	return lsh_record_third(layout, page, layout->per_page) +
		layout->rest_size * place;
}

/* Return pointers to the planes of a record. */
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

/* Return the TID of a record. */
static inline ItemPointerData
lsh_record_tid(const LshLayout *layout, Page page, int place)
{
	ItemPointerData tid;

	memcpy(&tid, lsh_record_rest(layout, page, place), sizeof(tid));
	return tid;
}

/* Return true if a place, below LSH_STORE_MAX, has a record. */
static inline bool
lsh_record_is_used(Page page, int place)
{
	return (LshPageStore(page)->used[place / 8] >> place % 8) & 1;
}

/*
 * Compute the layout of an index of signatures of a kind; per_page is 0 if its
 * records exceed a page.
 */
extern void lsh_layout_init(LshLayout *layout, const MinHashKind *kind);

/* Compute the layout of an index of passages, with a list of k-grams. */
extern void lsh_layout_passages(LshLayout *layout, uint32 run,
								const LshGramList *common);

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
 * Raise ERRCODE_INDEX_CORRUPTED unless the records of a store page, which has
 * been read under its lock, have the number of hashes of the layout.
 */
extern void lsh_check_records(Relation index, const LshLayout *layout,
							  Buffer buffer);

#endif							/* LSH_LAYOUT_H */
