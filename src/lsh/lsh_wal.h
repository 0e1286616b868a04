/*-------------------------------------------------------------------------
 *
 * lsh_wal.h
 *	  Changing pages of an lsh index, and logging the change.
 *
 * Collect a change with lsh_wal_begin(), then lsh_wal_page(),
 * lsh_wal_append(), lsh_wal_entries() or lsh_wal_image() for each page; after
 * lsh_wal_page(), call lsh_wal_put() for each piece.  Then apply and log it
 * with lsh_wal_finish().  Pages do not change before that, so an error in
 * between leaves them as they were.
 *
 * The caller must keep the pages pinned and locked exclusively, and images
 * valid, until lsh_wal_finish() returns; pieces are copied.  Name pages in
 * the order of locks that README describes, because replay locks them in that
 * order.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_WAL_H
#define LSH_WAL_H

#include "storage/bufmgr.h"
#include "utils/rel.h"

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
extern void lsh_wal_begin(LshWal *wal, Relation index);

/*
 * Add a page; lsh_wal_put() then changes pieces of it.  More than LSH_WAL_PAGES
 * pages raise an error.
 */
extern void lsh_wal_page(LshWal *wal, Buffer buffer);

/*
 * Write length bytes of data to an address on the page that was added last.
 * Pieces that are too large for a record raise an error.
 */
extern void lsh_wal_put(LshWal *wal, const void *address, const void *data,
						Size length);

/* Add a page of a list and append an item, for which it must have room. */
extern void lsh_wal_append(LshWal *wal, Buffer buffer, const void *item,
						   Size size);

/*
 * Add a tree page and append count entries, for which it must have room: their
 * keys or fragments, of keys_size bytes in total, and their numbers.
 */
extern void lsh_wal_entries(LshWal *wal, Buffer buffer, const void *keys,
							Size keys_size, const uint32 *numbers, int count);

/* Add a page that is replaced by an image of BLCKSZ bytes. */
extern void lsh_wal_image(LshWal *wal, Buffer buffer, const char *image);

/*
 * Apply the change, mark the buffers dirty, and log it if needed.  Has no effect
 * on a change without pages.
 */
extern void lsh_wal_finish(LshWal *wal);

#endif							/* LSH_WAL_H */
