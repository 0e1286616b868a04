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
 * The metapage names a page of the list with room; VACUUM sets it back to the
 * first one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/freespace.h"

#include "lsh_add.h"
#include "lsh_wal.h"

#define ROOM (BLCKSZ / 2)		/* free space in the map of a page with room */

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

/* Replace an empty page of another kind by one with a first record. */
static void
log_first_record(Relation index, Buffer buffer, const LshLayout *layout,
				 const MinHash *sig, ItemPointer tid)
{
	PGAlignedBlock image;
	LshWal		wal;

	lsh_store_init((Page) image.data, layout);
	lsh_store_write((Page) image.data, layout, 0, sig, tid);
	lsh_wal_begin(&wal, index);
	lsh_wal_image(&wal, buffer, image.data);
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
		if (LshPageStore(page)->num_hashes == layout->kind.num_hashes)
		{
			place = lsh_store_free_place(page, layout);
			if (place >= 0)
				log_record(index, buffer, layout, place, sig, tid);
		}
		else if (lsh_store_is_empty(page))
		{
			place = 0;
			log_first_record(index, buffer, layout, sig, tid);
		}
		else
			lsh_report_damage(index, block,
							  "It has records of another kind than the index.");
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

/* Lock the last directory page; append an empty one if it is full. */
static Buffer
lock_directory(Relation index, Buffer meta_buffer)
{
	LshMeta		meta = *LshPageMeta(BufferGetPage(meta_buffer));
	Buffer		directory = lsh_read(index, meta.last_directory,
									 BUFFER_LOCK_EXCLUSIVE, LSH_DIRECTORY);
	Buffer		next;
	PGAlignedBlock image;
	LshWal		wal;

	if (lsh_directory_count(BufferGetPage(directory)) < LSH_DIRECTORY_MAX)
		return directory;
	next = lsh_new_buffer(index);
	meta.last_directory = BufferGetBlockNumber(next);
	lsh_page_init((Page) image.data, LSH_DIRECTORY);
	lsh_wal_begin(&wal, index);
	lsh_wal_page(&wal, meta_buffer);
	lsh_wal_put(&wal, LshPageMeta(BufferGetPage(meta_buffer)), &meta,
				sizeof(meta));
	lsh_wal_page(&wal, directory);
	lsh_wal_put(&wal, &LshHead(BufferGetPage(directory))->right,
				&meta.last_directory, sizeof(BlockNumber));
	lsh_wal_image(&wal, next, image.data);
	lsh_wal_finish(&wal);
	UnlockReleaseBuffer(directory);
	return next;
}

/* Write a new store page and its entry in the directory, and log both. */
static void
log_new_page(Relation index, Buffer meta_buffer, Buffer buffer,
			 const char *image)
{
	Buffer		directory = lock_directory(index, meta_buffer);
	BlockNumber block = BufferGetBlockNumber(buffer);
	LshWal		wal;

	lsh_wal_begin(&wal, index);
	lsh_wal_append(&wal, directory, &block, sizeof(block));
	lsh_wal_image(&wal, buffer, image);
	lsh_wal_finish(&wal);
	UnlockReleaseBuffer(directory);
}

/*
 * Add a page with a first record; return false if the kind has changed since
 * the caller read it, or is being forgotten.
 */
static bool
add_page(Relation index, const MinHash *sig, ItemPointer tid, uint32 *number)
{
	LshLayout	layout;
	Buffer		meta_buffer = lsh_meta_lock(index, BUFFER_LOCK_EXCLUSIVE, NULL,
											&layout);
	Buffer		buffer;
	BlockNumber block;
	PGAlignedBlock image;

	if (!lsh_same_kind(&layout, sig) || layout.forgetting)
	{
		UnlockReleaseBuffer(meta_buffer);
		return false;
	}
	buffer = lsh_new_buffer(index);
	block = BufferGetBlockNumber(buffer);
	lsh_check_block_limit(index, &layout, block);
	lsh_store_init((Page) image.data, &layout);
	lsh_store_write((Page) image.data, &layout, 0, sig, tid);
	log_new_page(index, meta_buffer, buffer, image.data);
	UnlockReleaseBuffer(buffer);
	UnlockReleaseBuffer(meta_buffer);
	lsh_store_mark(index, block, true);
	RelationSetTargetBlock(index, block);
	*number = lsh_number(&layout, block, 0);
	return true;
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

/* Note that a page has no room. */
static void
forget_page(Relation index, BlockNumber block)
{
	lsh_store_mark(index, block, false);
	RelationSetTargetBlock(index, InvalidBlockNumber);
}

/*
 * Add a record to a page that may have room; return true if it had.  *has_kind
 * is false if the index has no kind, or VACUUM may be about to forget it.
 */
static bool
try_page(Relation index, BlockNumber block, const MinHash *sig,
		 ItemPointer tid, LshLayout *layout, bool *has_kind, uint32 *number)
{
	Buffer		buffer = lsh_meta_lock(index, BUFFER_LOCK_SHARE, NULL, layout);
	bool		added = false;

	if (lsh_has_kind(layout))
		lsh_check_kind(index, layout, sig);
	*has_kind = lsh_has_kind(layout) && !layout->forgetting;
	if (*has_kind && block != InvalidBlockNumber)
		added = add_to_page(index, block, layout, sig, tid, number);
	UnlockReleaseBuffer(buffer);
	return added;
}

/* Add a record for a row. */
uint32
lsh_store_add(Relation index, const MinHash *sig, ItemPointer tid,
			  LshLayout *layout)
{
	uint32		number;
	bool		has_kind;
	bool		last_tried = false;

	if (sig != NULL)
		lsh_check_size(index, sig);
	for (;;)
	{
		BlockNumber block = page_with_room(index, &last_tried);

		if (try_page(index, block, sig, tid, layout, &has_kind, &number))
			return number;
		CHECK_FOR_INTERRUPTS();
		if (!has_kind)
			lsh_meta_set_kind(index, sig);
		else if (block != InvalidBlockNumber)
			forget_page(index, block);
		else if (add_page(index, sig, tid, &number))
			return number;
	}
}

/*** NULLs ***/

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
