/*-------------------------------------------------------------------------
 *
 * lsh_wal.c
 *	  Changing pages of an lsh index, and logging the change.
 *
 * The index writes generic WAL records, which a server without the extension
 * can replay.  GenericXLogFinish() finds the changed bytes by comparing pages,
 * which took 80 % of the time of an insertion, but the caller knows them.  So
 * this file writes records of the same format: for each page its changed
 * pieces, each a 16-bit offset, a 16-bit length and the bytes.
 *
 * The format is that of generic_xlog.c since PostgreSQL 9.6, but it is not
 * documented.  With LSH_GENERIC_XLOG, and for server versions for which the
 * format has not been verified, lsh_wal_finish() uses GenericXLogFinish().
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/generic_xlog.h"
#include "access/xloginsert.h"
#include "miscadmin.h"

#include "lsh_wal.h"

#if PG_VERSION_NUM >= 200000 && !defined(LSH_GENERIC_XLOG)
#define LSH_GENERIC_XLOG
#endif

/* Begin a change. */
void
lsh_wal_begin(LshWal *wal, Relation index)
{
	wal->index = index;
	wal->count = 0;
}

/* Add a page, of which lsh_wal_put() changes pieces. */
void
lsh_wal_page(LshWal *wal, Buffer buffer)
{
	LshWalPage *page = &wal->pages[wal->count];

	if (wal->count == LSH_WAL_PAGES)
		elog(ERROR, "too many pages in one change of an index");
	page->buffer = buffer;
	page->image = NULL;
	page->count = 0;
	wal->count++;
}

/* Add a piece to the page that was added last. */
void
lsh_wal_put(LshWal *wal, const void *address, const void *data, Size length)
{
	LshWalPage *page = &wal->pages[wal->count - 1];
	Size		offset = (const char *) address -
		(const char *) BufferGetPage(page->buffer);

	if (length == 0)
		return;					/* records of passages have no planes */
	if (page->count == LSH_WAL_PIECES)
		elog(ERROR, "too many pieces in one change of a page");
	page->pieces[page->count++] = (LshWalPiece) {
		data, (uint16) offset, (uint16) length
	};
}

/* Add a page of a list, and append an item to it. */
void
lsh_wal_append(LshWal *wal, Buffer buffer, const void *item, Size size)
{
	PageHeader	header = (PageHeader) BufferGetPage(buffer);
	LshWalPage *page = &wal->pages[wal->count];

	lsh_wal_page(wal, buffer);
	page->lower = header->pd_lower + size;
	lsh_wal_put(wal, &header->pd_lower, &page->lower, sizeof(page->lower));
	lsh_wal_put(wal, (char *) header + header->pd_lower, item, size);
}

/* Add a page that is replaced by an image. */
void
lsh_wal_image(LshWal *wal, Buffer buffer, const char *image)
{
	lsh_wal_page(wal, buffer);
	wal->pages[wal->count - 1].image = image;
}

/* Apply the change of a page. */
static void
apply(const LshWalPage *change, Page page)
{
	if (change->image != NULL)
		memcpy(page, change->image, BLCKSZ);
	for (int i = 0; i < change->count; i++)
		memcpy((char *) page + change->pieces[i].offset,
			   change->pieces[i].data, change->pieces[i].length);
}

#ifdef LSH_GENERIC_XLOG

/* Apply the change and log it. */
void
lsh_wal_finish(LshWal *wal)
{
	GenericXLogState *state = GenericXLogStart(wal->index);

	for (int i = 0; i < wal->count; i++)
	{
		LshWalPage *change = &wal->pages[i];
		int			flags = change->image != NULL ? GENERIC_XLOG_FULL_IMAGE : 0;

		apply(change, GenericXLogRegisterBuffer(state, change->buffer, flags));
	}
	GenericXLogFinish(state);
}

#else

/* The pieces of all pages in the format of a generic WAL record. */
typedef struct Delta
{
	Size		size;
	char		data[2 * BLCKSZ];
} Delta;

/* Append bytes to a delta. */
static void
delta_add(Delta *delta, const void *data, Size size)
{
	if (size > sizeof(delta->data) - delta->size)
		elog(ERROR, "a change of an index is too large for a record");
	memcpy(delta->data + delta->size, data, size);
	delta->size += size;
}

/* Append the pieces of a page, each with its offset and length. */
static void
delta_add_page(Delta *delta, const LshWalPage *change)
{
	for (int i = 0; i < change->count; i++)
	{
		const LshWalPiece *piece = &change->pieces[i];

		delta_add(delta, &piece->offset, sizeof(piece->offset));
		delta_add(delta, &piece->length, sizeof(piece->length));
		delta_add(delta, piece->data, piece->length);
	}
}

/* Log a change that has been applied; the pieces of page i end at ends[i]. */
static XLogRecPtr
log_change(const LshWal *wal, Delta *delta, const Size *ends)
{
	Size		start = 0;

	XLogBeginInsert();
	for (int i = 0; i < wal->count; i++)
	{
		const LshWalPage *change = &wal->pages[i];
		int			flags = REGBUF_STANDARD;

		if (change->image != NULL)
			flags |= REGBUF_FORCE_IMAGE;
		XLogRegisterBuffer((uint8) i, change->buffer, (uint8) flags);
		if (ends[i] > start)
			XLogRegisterBufData((uint8) i, delta->data + start,
								(int) (ends[i] - start));
		start = ends[i];
	}
	return XLogInsert(RM_GENERIC_ID, 0);
}

/* Apply the change and log it. */
void
lsh_wal_finish(LshWal *wal)
{
	bool		logged = RelationNeedsWAL(wal->index);
	Size		ends[LSH_WAL_PAGES];
	Delta		delta;

	delta.size = 0;
	for (int i = 0; i < wal->count; i++)
	{
		delta_add_page(&delta, &wal->pages[i]);
		ends[i] = delta.size;
	}
	START_CRIT_SECTION();
	for (int i = 0; i < wal->count; i++)
	{
		apply(&wal->pages[i], BufferGetPage(wal->pages[i].buffer));
		MarkBufferDirty(wal->pages[i].buffer);
	}
	if (logged)
	{
		XLogRecPtr	end = log_change(wal, &delta, ends);

		for (int i = 0; i < wal->count; i++)
			PageSetLSN(BufferGetPage(wal->pages[i].buffer), end);
	}
	END_CRIT_SECTION();
}

#endif							/* LSH_GENERIC_XLOG */
