/*-------------------------------------------------------------------------
 *
 * lsh_wal.c
 *	  Change pages of an lsh index, and log the change.
 *
 * A change is collected first and made when it is complete, so that nothing
 * can fail half-way.  The caller holds the pages locked exclusively until it
 * is made, and the data that it consists of.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/generic_xlog.h"

#include "lsh_wal.h"

/* Begin a change. */
void
lsh_wal_begin(LshWal *wal, Relation index)
{
	wal->index = index;
	wal->count = 0;
}

/* Add a page that is to be changed in pieces; return its place. */
int
lsh_wal_page(LshWal *wal, Buffer buffer)
{
	LshWalPage *page = &wal->pages[wal->count];

	if (wal->count == LSH_WAL_PAGES)
		elog(ERROR, "too many pages in one change of an index");
	page->buffer = buffer;
	page->image = NULL;
	page->count = 0;
	return wal->count++;
}

/* Add a page that is to be replaced. */
void
lsh_wal_image(LshWal *wal, Buffer buffer, const char *image)
{
	wal->pages[lsh_wal_page(wal, buffer)].image = image;
}

/* Add a piece to the change of a page. */
void
lsh_wal_put(LshWal *wal, int page, Size offset, const void *data, Size length)
{
	LshWalPage *target = &wal->pages[page];

	if (target->count == LSH_WAL_PIECES)
		elog(ERROR, "too many pieces in one change of a page");
	target->pieces[target->count++] = (LshWalPiece) {
		data, (uint16) offset, (uint16) length
	};
}

/* Make the change of a page. */
static void
apply(const LshWalPage *change, Page page)
{
	if (change->image != NULL)
		memcpy(page, change->image, BLCKSZ);
	for (int i = 0; i < change->count; i++)
		memcpy((char *) page + change->pieces[i].offset,
			   change->pieces[i].data, change->pieces[i].length);
}

/* Make the change, and log it. */
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
