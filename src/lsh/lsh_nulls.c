/*-------------------------------------------------------------------------
 *
 * lsh_nulls.c
 *	  Adding rows whose signature is NULL to an lsh index.
 *
 * Such a row has no record, only a TID in a list of pages.  The metapage names
 * a page of the list with room; VACUUM sets it back to the first one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lsh_meta.h"
#include "lsh_nulls.h"
#include "lsh_wal.h"

/* Append a TID to a page with room, and log it. */
static void
log_null(Relation index, Buffer buffer, ItemPointer tid)
{
	LshWal		wal;

	lsh_wal_begin(&wal, index);
	lsh_wal_append(&wal, buffer, tid, sizeof(ItemPointerData));
	lsh_wal_finish(&wal);
}

/* Lock the first page with room, from a block on, or else the last page. */
static Buffer
nulls_page_with_room(Relation index, BlockNumber block)
{
	BlockNumber steps = 0;

	for (;;)
	{
		Buffer		buffer = lsh_read(index, block, BUFFER_LOCK_EXCLUSIVE,
									  LSH_NULLS);
		Page		page = BufferGetPage(buffer);

		block = LshHead(page)->right;
		if (lsh_nulls_count(page) < LSH_NULLS_MAX ||
			block == InvalidBlockNumber)
			return buffer;
		UnlockReleaseBuffer(buffer);
		lsh_step(index, block, &steps);
	}
}

/* Append a page with a TID to the list, whose last page may be invalid. */
static void
add_nulls_page(Relation index, Buffer meta_buffer, Buffer last, ItemPointer tid)
{
	Buffer		buffer = lsh_new_buffer(index);
	BlockNumber block = BufferGetBlockNumber(buffer);
	LshMeta		meta = *LshPageMeta(BufferGetPage(meta_buffer));
	PGAlignedBlock image;
	LshWal		wal;

	lsh_page_init((Page) image.data, LSH_NULLS);
	LshTids(image.data)[0] = *tid;
	((PageHeader) image.data)->pd_lower += sizeof(ItemPointerData);
	meta.free_nulls = block;
	if (!BufferIsValid(last))
		meta.first_nulls = block;
	lsh_wal_begin(&wal, index);
	lsh_wal_image(&wal, buffer, image.data);
	lsh_wal_page(&wal, meta_buffer);
	lsh_wal_put(&wal, LshPageMeta(BufferGetPage(meta_buffer)), &meta,
				sizeof(meta));
	if (BufferIsValid(last))
	{
		lsh_wal_page(&wal, last);
		lsh_wal_put(&wal, &LshHead(BufferGetPage(last))->right, &block,
					sizeof(block));
	}
	lsh_wal_finish(&wal);
	UnlockReleaseBuffer(buffer);
}

/* Add a row where the usual page has no room. */
static void
add_null_elsewhere(Relation index, ItemPointer tid)
{
	LshMeta		meta;
	Buffer		meta_buffer = lsh_meta_lock(index, BUFFER_LOCK_EXCLUSIVE, &meta,
											NULL);
	Buffer		buffer = InvalidBuffer;

	if (meta.free_nulls != InvalidBlockNumber)
		buffer = nulls_page_with_room(index, meta.free_nulls);
	if (BufferIsValid(buffer) &&
		lsh_nulls_count(BufferGetPage(buffer)) < LSH_NULLS_MAX)
	{
		meta.free_nulls = BufferGetBlockNumber(buffer);
		lsh_meta_log(index, meta_buffer, &meta);
		log_null(index, buffer, tid);
	}
	else
		add_nulls_page(index, meta_buffer, buffer, tid);
	if (BufferIsValid(buffer))
		UnlockReleaseBuffer(buffer);
	UnlockReleaseBuffer(meta_buffer);
}

/* Add a row whose signature is NULL. */
void
lsh_nulls_add(Relation index, ItemPointer tid)
{
	LshMeta		meta;
	Buffer		meta_buffer = lsh_meta_lock(index, BUFFER_LOCK_SHARE, &meta, NULL);
	bool		added = false;

	if (meta.free_nulls != InvalidBlockNumber)
	{
		Buffer		buffer = lsh_read(index, meta.free_nulls,
									  BUFFER_LOCK_EXCLUSIVE, LSH_NULLS);

		added = lsh_nulls_count(BufferGetPage(buffer)) < LSH_NULLS_MAX;
		if (added)
			log_null(index, buffer, tid);
		UnlockReleaseBuffer(buffer);
	}
	UnlockReleaseBuffer(meta_buffer);
	if (!added)
		add_null_elsewhere(index, tid);
}
