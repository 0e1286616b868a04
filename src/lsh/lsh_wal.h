/*-------------------------------------------------------------------------
 *
 * lsh_wal.h
 *	  Change pages of an lsh index, and log the change.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_WAL_H
#define LSH_WAL_H

#include "storage/bufmgr.h"
#include "utils/rel.h"

#define LSH_WAL_PAGES 4			/* what a generic record may hold */
#define LSH_WAL_PIECES 5

/* A change of one piece of a page. */
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
	const char *image;			/* if not NULL, the whole page */
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

extern void lsh_wal_begin(LshWal *wal, Relation index);
extern int	lsh_wal_page(LshWal *wal, Buffer buffer);
extern void lsh_wal_image(LshWal *wal, Buffer buffer, const char *image);
extern void lsh_wal_put(LshWal *wal, int page, Size offset, const void *data,
						Size length);
extern void lsh_wal_finish(LshWal *wal);

#endif							/* LSH_WAL_H */
