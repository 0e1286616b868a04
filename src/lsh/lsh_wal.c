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
 * documented, so that it must be verified for each new version of the server.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/generic_xlog.h"
#include "access/xloginsert.h"

#include "lsh.h"

#if PG_VERSION_NUM >= 200000
#error "compare the format of WAL records with generic_xlog.c of this version"
#endif

/* Add a page to a change. */
void
lsh_wal_page(LshWal *wal, Buffer buffer, const char *image)
{
	LshWalPage *page = &wal->pages[wal->count];

	if (wal->count == LSH_WAL_PAGES)
		elog(ERROR, "too many pages in one change of an index");
	page->buffer = buffer;
	page->image = image;
	page->start = wal->size;
	wal->count++;
}

/* Append bytes to the pieces. */
static void
add_bytes(LshWal *wal, const void *data, Size size)
{
	if (size > sizeof(wal->pieces) - wal->size)
		elog(ERROR, "a change of an index is too large for a record");
	memcpy(wal->pieces + wal->size, data, size);
	wal->size += size;
}

/* Add a piece to a page, and the page if need be. */
void
lsh_wal_put(LshWal *wal, Buffer buffer, const void *address, const void *data,
			Size length)
{
	Size		offset = (const char *) address - (const char *) BufferGetPage(buffer);
	uint16		span[2] = {(uint16) offset, (uint16) length};

	if (wal->count == 0 || wal->pages[wal->count - 1].buffer != buffer)
		lsh_wal_page(wal, buffer, NULL);
	if (length == 0)
		return;					/* records of passages have no planes */
	add_bytes(wal, span, sizeof(span));
	add_bytes(wal, data, length);
}

/* Add a tree page, and append entries to it. */
void
lsh_wal_entries(LshWal *wal, Buffer buffer, const void *keys, Size keys_size,
				const uint32 *numbers, int count)
{
	PageHeader	header = (PageHeader) BufferGetPage(buffer);
	Size		numbers_size = sizeof(uint32) * count;
	LocationIndex bounds[2] = {
		header->pd_lower + keys_size, header->pd_upper - numbers_size
	};

	/* pd_upper follows pd_lower. */
	lsh_wal_put(wal, buffer, &header->pd_lower, bounds, sizeof(bounds));
	lsh_wal_put(wal, buffer, (char *) header + header->pd_lower, keys, keys_size);
	lsh_wal_put(wal, buffer, (char *) header + bounds[1], numbers, numbers_size);
}

/* Return the end of the pieces of page i. */
static Size
pieces_end(const LshWal *wal, int i)
{
	return i + 1 < wal->count ? wal->pages[i + 1].start : wal->size;
}

/* Apply the change of page i. */
static void
apply_page(const LshWal *wal, int i, Page page)
{
	uint16		span[2];

	if (wal->pages[i].image != NULL)
		memcpy(page, wal->pages[i].image, BLCKSZ);
	for (Size at = wal->pages[i].start; at < pieces_end(wal, i); at += span[1])
	{
		memcpy(span, wal->pieces + at, sizeof(span));
		at += sizeof(span);
		memcpy((char *) page + span[0], wal->pieces + at, span[1]);
	}
}

/* Log a change that has been applied. */
static XLogRecPtr
log_change(const LshWal *wal)
{
	XLogBeginInsert();
	for (int i = 0; i < wal->count; i++)
	{
		const LshWalPage *change = &wal->pages[i];
		int			flags = REGBUF_STANDARD;
		Size		size = pieces_end(wal, i) - change->start;

		if (change->image != NULL)
			flags |= REGBUF_FORCE_IMAGE;
		XLogRegisterBuffer((uint8) i, change->buffer, (uint8) flags);
		if (size > 0)
			XLogRegisterBufData((uint8) i, (char *) wal->pieces + change->start,
								(int) size);
	}
	return XLogInsert(RM_GENERIC_ID, 0);
}

/* Apply the change and log it. */
void
lsh_wal_finish(LshWal *wal)
{
	bool		logged = RelationNeedsWAL(wal->index);

	if (wal->count == 0)
		return;
	START_CRIT_SECTION();
	for (int i = 0; i < wal->count; i++)
	{
		apply_page(wal, i, BufferGetPage(wal->pages[i].buffer));
		MarkBufferDirty(wal->pages[i].buffer);
	}
	if (logged)
	{
		XLogRecPtr	end = log_change(wal);

		for (int i = 0; i < wal->count; i++)
			PageSetLSN(BufferGetPage(wal->pages[i].buffer), end);
	}
	END_CRIT_SECTION();
}
