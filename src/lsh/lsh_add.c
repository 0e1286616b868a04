/*-------------------------------------------------------------------------
 *
 * lsh_add.c
 *	  Adding rows to an lsh index: records, and rows that are NULL.
 *
 * A record goes to the page that this session added last or found in the free
 * space map, otherwise to a new page.  The map is not logged and may be out of
 * date, so the page itself decides.  VACUUM and CREATE INDEX fill the map.
 *
 * A row whose signature is NULL has no record, only a TID in a list of pages.
 * The metapage names the page of the list where to look for room; VACUUM sets it
 * back to the first page that has some.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/freespace.h"

#include "lsh_add.h"

#define ROOM (BLCKSZ / 2)		/* free space in the map of a page with room */

/*** Lists of pages ***/

/*
 * Lock the first page of a list with room for an item, from a block on, or else
 * the last page; return InvalidBuffer if the list is empty.
 */
static Buffer
lock_page_with_room(Relation index, BlockNumber block, LshPageType type,
					Size size)
{
	Buffer		buffer = InvalidBuffer;
	BlockNumber steps = 0;

	while (block != InvalidBlockNumber)
	{
		if (BufferIsValid(buffer))
			UnlockReleaseBuffer(buffer);
		buffer = lsh_read(index, block, BUFFER_LOCK_EXCLUSIVE, type);
		if (lsh_list_has_room(BufferGetPage(buffer), size))
			break;
		block = LshHead(BufferGetPage(buffer))->right;
		lsh_step(index, block, &steps);
	}
	return buffer;
}

/*
 * Append an item to the directory or to the list of NULLs, on a new page if no
 * other has room, and log it; for the directory, also log the image of the new
 * store page.  Otherwise, after a crash, the free space map could name a store
 * page that is not in the directory.
 */
static void
append_item(Relation index, LshPageType type, const void *item, Size size,
			Buffer store, const char *store_image)
{
	LshMeta		meta;
	Buffer		meta_buffer = lsh_meta_lock(index, BUFFER_LOCK_EXCLUSIVE, &meta,
											NULL);
	BlockNumber *tail = type == LSH_DIRECTORY ? &meta.last_directory :
		&meta.free_nulls;
	Buffer		last = lock_page_with_room(index, *tail, type, size);
	Buffer		buffer = last;
	PGAlignedBlock image;
	LshWal		wal;

	if (!BufferIsValid(last) || !lsh_list_has_room(BufferGetPage(last), size))
		buffer = lsh_new_buffer(index);
	*tail = BufferGetBlockNumber(buffer);
	if (!BufferIsValid(last))
		meta.first_nulls = *tail;
	lsh_wal_begin(&wal, index);
	lsh_meta_put(&wal, meta_buffer, &meta);
	if (buffer == last)
		lsh_wal_append(&wal, buffer, item, size);
	else
	{
		if (BufferIsValid(last))
		{
			lsh_wal_page(&wal, last);
			lsh_wal_put(&wal, &LshHead(BufferGetPage(last))->right, tail,
						sizeof(*tail));
		}
		lsh_page_init((Page) image.data, type);
		lsh_list_append((Page) image.data, item, size);
		lsh_wal_image(&wal, buffer, image.data);
	}
	if (BufferIsValid(store))
		lsh_wal_image(&wal, store, store_image);
	lsh_wal_finish(&wal);
	if (BufferIsValid(last) && buffer != last)
		UnlockReleaseBuffer(last);
	UnlockReleaseBuffer(buffer);
	UnlockReleaseBuffer(meta_buffer);
}

/*** Records ***/

/* Note in the free space map whether a page has room. */
void
lsh_store_mark(Relation index, BlockNumber block, bool has_room)
{
	RecordPageWithFreeSpace(index, block, has_room ? ROOM : 0);
}

/* Write a record to a free place of a page, and log it. */
static void
log_record(Relation index, Buffer buffer, const LshLayout *layout, int place,
		   const MinHash *sig, ItemPointer tid)
{
	Page		page = BufferGetPage(buffer);
	PGAlignedBlock block;		/* only the record and its bit are set */
	Page		image = (Page) block.data;
	uint8	   *used = &LshPageStore(page)->used[place / 8];
	uint8	   *new_used = &LshPageStore(image)->used[place / 8];
	LshWal		wal;

	*new_used = *used;
	lsh_store_write(image, layout, place, sig, tid);
	lsh_wal_begin(&wal, index);
	lsh_wal_page(&wal, buffer);
	lsh_wal_put(&wal, used, new_used, sizeof(*used));
	lsh_wal_put(&wal, lsh_record_first(layout, page, place),
				lsh_record_first(layout, image, place), layout->plane_size);
	lsh_wal_put(&wal, lsh_record_second(layout, page, place),
				lsh_record_second(layout, image, place), layout->plane_size);
	lsh_wal_put(&wal, lsh_record_third(layout, page, place),
				lsh_record_third(layout, image, place), 2 * layout->plane_size);
	lsh_wal_put(&wal, lsh_record_rest(layout, page, place),
				lsh_record_rest(layout, image, place), layout->rest_size);
	lsh_wal_finish(&wal);
}

/*
 * Add a record to a page if that is a store page with room; return true if so.
 * The free space map may name any page.
 */
static bool
add_to_page(Relation index, BlockNumber block, const LshLayout *layout,
			const MinHash *sig, ItemPointer tid, uint32 *number)
{
	Buffer		buffer = ReadBuffer(index, block);
	Page		page = BufferGetPage(buffer);
	int			place = -1;

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	if (!PageIsNew(page) && LshHead(page)->type == LSH_STORE)
	{
		lsh_page_check(index, buffer, LSH_STORE);
		lsh_check_records(index, layout, buffer);
		place = lsh_store_free_place(page, layout);
		if (place >= 0)
			log_record(index, buffer, layout, place, sig, tid);
	}
	UnlockReleaseBuffer(buffer);
	*number = lsh_number(layout, block, Max(place, 0));
	return place >= 0;
}

/* Raise an error for a page whose records would have no numbers. */
void
lsh_check_block_limit(Relation index, const LshLayout *layout,
					  BlockNumber block)
{
	if ((uint64) block >= UINT64CONST(1) << (32 - layout->number_bits))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("index \"%s\" is full", RelationGetRelationName(index)),
				 errhint("Partition the table.")));
}

/* Add a page with a first record; return its number. */
static uint32
add_page(Relation index, const LshLayout *layout, const MinHash *sig,
		 ItemPointer tid)
{
	Buffer		buffer = lsh_new_buffer(index);
	BlockNumber block = BufferGetBlockNumber(buffer);
	PGAlignedBlock image;

	lsh_check_block_limit(index, layout, block);
	lsh_store_init((Page) image.data, layout);
	lsh_store_write((Page) image.data, layout, 0, sig, tid);
	append_item(index, LSH_DIRECTORY, &block, sizeof(block), buffer, image.data);
	UnlockReleaseBuffer(buffer);
	lsh_store_mark(index, block, true);
	RelationSetTargetBlock(index, block);
	return lsh_number(layout, block, 0);
}

/* Return the store page that was added last, or InvalidBlockNumber. */
static BlockNumber
last_page(Relation index)
{
	LshMeta		meta = lsh_meta_read(index, NULL, NULL);
	Buffer		buffer = lsh_read(index, meta.last_directory, BUFFER_LOCK_SHARE,
								  LSH_DIRECTORY);
	Page		page = BufferGetPage(buffer);
	int			count = lsh_directory_count(page);
	BlockNumber block = count == 0 ? InvalidBlockNumber :
		LshBlocks(page)[count - 1];

	UnlockReleaseBuffer(buffer);
	return block;
}

/*
 * Find a page that may have room, or return InvalidBlockNumber.
 *
 * The free space map knows only pages that VACUUM or CREATE INDEX has seen.
 * Try the page that was added last once, so that not every session adds a
 * page.
 */
static BlockNumber
page_with_room(Relation index, bool *last_tried)
{
	BlockNumber block = RelationGetTargetBlock(index);

	if (block == InvalidBlockNumber)
		block = GetPageWithFreeSpace(index, ROOM);
	if (block == InvalidBlockNumber && !*last_tried)
	{
		block = last_page(index);
		*last_tried = true;
	}
	/* After a crash the map can name pages beyond the end of the file. */
	if (block != InvalidBlockNumber &&
		block >= RelationGetNumberOfBlocks(index))
	{
		lsh_store_mark(index, block, false);
		block = InvalidBlockNumber;
	}
	RelationSetTargetBlock(index, block);
	return block;
}

/* Add a record for a row. */
uint32
lsh_store_add(Relation index, const LshLayout *layout, const MinHash *sig,
			  ItemPointer tid)
{
	bool		last_tried = false;

	for (;;)
	{
		BlockNumber block = page_with_room(index, &last_tried);
		uint32		number;

		if (block == InvalidBlockNumber)
			return add_page(index, layout, sig, tid);
		if (add_to_page(index, block, layout, sig, tid, &number))
			return number;
		/* The page has no room. */
		lsh_store_mark(index, block, false);
		RelationSetTargetBlock(index, InvalidBlockNumber);
		CHECK_FOR_INTERRUPTS();
	}
}

/* Add a row whose signature is NULL. */
void
lsh_nulls_add(Relation index, ItemPointer tid)
{
	append_item(index, LSH_NULLS, tid, sizeof(ItemPointerData), InvalidBuffer,
				NULL);
}
