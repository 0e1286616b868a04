/*-------------------------------------------------------------------------
 *
 * lsh_wal.h
 *	  Changing pages of an lsh index, and logging the change.
 *
 * Collect a change with lsh_wal_begin(), then lsh_wal_page(),
 * lsh_wal_append() or lsh_wal_image() for each page; after lsh_wal_page(), call
 * lsh_wal_put() for each piece.  Then apply and log it with lsh_wal_finish().
 * Pages do not change before that, so an error in between leaves them as they
 * were.
 *
 * The caller must keep the pages pinned and locked exclusively, and the data
 * valid, until lsh_wal_finish() returns.  Name pages in the order of locks that
 * README describes, because replay locks them in that order.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_WAL_H
#define LSH_WAL_H

#include "storage/bufmgr.h"
#include "utils/rel.h"

#define LSH_WAL_PAGES 4			/* MAX_GENERIC_XLOG_PAGES */
#define LSH_WAL_PIECES 5

/* New contents of one piece of a page. */
typedef struct LshWalPiece
{
	const void *data;
	uint16		offset;
	uint16		length;
} LshWalPiece;

/* The changes of a page: a whole image, or some pieces. */
typedef struct LshWalPage
{
	Buffer		buffer;
	const char *image;			/* if not NULL, replaces the whole page */
	LocationIndex lower;		/* new pd_lower after lsh_wal_append() */
	int			count;
	LshWalPiece pieces[LSH_WAL_PIECES];
} LshWalPage;

/* A change of several pages that is applied and logged as one. */
typedef struct LshWal
{
	Relation	index;
	int			count;
	LshWalPage	pages[LSH_WAL_PAGES];
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
 * More than LSH_WAL_PIECES pieces raise an error.
 */
extern void lsh_wal_put(LshWal *wal, const void *address, const void *data,
						Size length);

/* Add a page of a list and append an item, for which it must have room. */
extern void lsh_wal_append(LshWal *wal, Buffer buffer, const void *item,
						   Size size);

/* Add a page that is replaced by an image of BLCKSZ bytes. */
extern void lsh_wal_image(LshWal *wal, Buffer buffer, const char *image);

/* Apply the change, mark the buffers dirty, and log it if needed. */
extern void lsh_wal_finish(LshWal *wal);

#endif							/* LSH_WAL_H */
