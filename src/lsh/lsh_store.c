/*-------------------------------------------------------------------------
 *
 * lsh_store.c
 *	  The store of an lsh index, and its list of NULLs.
 *
 * A row whose signature or text is not NULL has a record on a page of the
 * store.  The directory lists these pages.
 *
 * A record goes to the page that this session added to last, or to one that
 * the free space map names, or to the page that was added to the index last,
 * and otherwise to a new page.  The map is not logged and may be out of date,
 * so the page itself decides.
 *
 * A row that is NULL has no record, only a TID in a list of pages.  The
 * metapage names the page of the list where to look for room; VACUUM sets it
 * back to the first page that has some.  If that page and some behind it are
 * full, a new page is added right behind it, where the search after the next
 * VACUUM finds it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/freespace.h"

#include "lsh.h"

#define ROOM (BLCKSZ / 2)		/* free space in the map of a page with room */
#define MAX_TRIES 16			/* pages of a list in which to look for room */

/*** Reading records ***/

/* Read the signature of a record that an entry of the tree names. */
void
lsh_store_slots(Relation index, const LshLayout *layout, uint32 number,
				uint16 *slots)
{
	int			place = lsh_number_place(layout, number);
	BlockNumber block = lsh_number_block(layout, number);
	Buffer		buffer = lsh_read_cached(index, block, BUFFER_LOCK_SHARE,
										 LSH_STORE);
	Planes		planes;

	lsh_check_records(index, layout, buffer);
	if (place >= layout->per_page ||
		!lsh_record_is_used(BufferGetPage(buffer), place))
		lsh_report_damage(index, block,
						  "An entry of the tree refers to a record that does not exist.");
	planes = lsh_record_planes(layout, BufferGetPage(buffer), place);
	planes_join(&planes, layout->kind.num_hashes, layout->kind.method, slots);
	UnlockReleaseBuffer(buffer);
}

/* List the blocks of the store, which workers of CREATE INDEX added in turn. */
LshNumbers
lsh_store_blocks(Relation index)
{
	LshNumbers	blocks = {NULL, 0, 0};
	BlockNumber block = LSH_FIRST_DIRECTORY;
	BlockNumber steps = 0;

	/* If there are more numbers than blocks, damage has repeated one. */
	while (block != InvalidBlockNumber &&
		   blocks.count <= RelationGetNumberOfBlocks(index))
	{
		Buffer		buffer = lsh_read(index, block, BUFFER_LOCK_SHARE,
									  LSH_DIRECTORY);
		Page		page = BufferGetPage(buffer);

		for (int i = 0; i < lsh_directory_count(page); i++)
			lsh_add_number(&blocks, LshBlocks(page)[i]);
		block = LshHead(page)->right;
		UnlockReleaseBuffer(buffer);
		lsh_check_loop(index, block, &steps);
	}
	if (lsh_sort_numbers(blocks.numbers, blocks.count, 1) < blocks.count)
		lsh_report_damage(index, LSH_FIRST_DIRECTORY,
						  "The directory has a page twice.");
	return blocks;
}

/*** Lists of pages ***/

/* Where an item is added to a list. */
typedef struct ListPlace
{
	Buffer		old;			/* a page of the list, or invalid */
	Buffer		buffer;			/* the page with room: that or a new one */
	PGAlignedBlock image;		/* of a new page */
} ListPlace;

/*
 * Lock the pages where an item is added to a list: one of MAX_TRIES pages from
 * first on, or a new page, which follows first.  A longer search would keep
 * others waiting for the metapage, whose lock also keeps the list as it is.
 * Return the block of the page with room.
 */
static BlockNumber
lock_place(Relation index, ListPlace *place, BlockNumber first,
		   LshPageType type, Size size)
{
	BlockNumber block = first;

	for (int i = 0; i < MAX_TRIES && block != InvalidBlockNumber; i++)
	{
		Buffer		buffer = lsh_read(index, block, BUFFER_LOCK_EXCLUSIVE, type);

		if (lsh_list_has_room(BufferGetPage(buffer), size))
		{
			place->old = place->buffer = buffer;
			return block;
		}
		block = LshHead(BufferGetPage(buffer))->right;
		UnlockReleaseBuffer(buffer);
	}
	place->old = first == InvalidBlockNumber ? InvalidBuffer :
		lsh_read(index, first, BUFFER_LOCK_EXCLUSIVE, type);
	place->buffer = lsh_new_buffer(index);
	return BufferGetBlockNumber(place->buffer);
}

/* Add an item to a list, as a part of a change. */
static void
put_item(LshWal *wal, ListPlace *place, LshPageType type, const void *item,
		 Size size)
{
	Page		image = (Page) place->image.data;
	BlockNumber block = BufferGetBlockNumber(place->buffer);

	if (place->buffer == place->old)
	{
		lsh_wal_append(wal, place->buffer, item, size);
		return;
	}
	lsh_page_init(image, type);
	lsh_list_append(image, item, size);
	if (BufferIsValid(place->old))
	{
		BlockNumber *right = &LshHead(BufferGetPage(place->old))->right;

		LshHead(image)->right = *right;
		lsh_wal_page(wal, place->old);
		lsh_wal_put(wal, right, &block, sizeof(block));
	}
	lsh_wal_image(wal, place->buffer, place->image.data);
}

/*
 * Add an item to the directory or to the list of NULLs, and log it.  In the
 * same change, make the image of a store page its content, unless store is
 * invalid.
 */
static void
add_item(Relation index, LshPageType type, const void *item, Size size,
		 Buffer store, const char *store_image)
{
	LshMeta		meta;
	Buffer		meta_buffer = lsh_meta_lock(index, BUFFER_LOCK_EXCLUSIVE, &meta,
											NULL);
	BlockNumber *tail = type == LSH_NULLS ? &meta.free_nulls : &meta.last_directory;
	ListPlace	place;
	LshWal		wal;

	*tail = lock_place(index, &place, *tail, type, size);
	if (type == LSH_NULLS && meta.first_nulls == InvalidBlockNumber)
		meta.first_nulls = *tail;
	lsh_wal_begin(&wal, index);
	lsh_meta_put(&wal, meta_buffer, &meta);
	put_item(&wal, &place, type, item, size);
	if (BufferIsValid(store))
		lsh_wal_image(&wal, store, store_image);
	lsh_wal_finish(&wal);
	if (BufferIsValid(place.old) && place.buffer != place.old)
		UnlockReleaseBuffer(place.old);
	UnlockReleaseBuffer(place.buffer);
	UnlockReleaseBuffer(meta_buffer);
}

/* Add a row that is NULL. */
void
lsh_nulls_add(Relation index, ItemPointer tid)
{
	add_item(index, LSH_NULLS, tid, sizeof(ItemPointerData), InvalidBuffer,
			 NULL);
}

/*** Adding records ***/

/* Note in the free space map whether a page has room. */
void
lsh_fsm_update(Relation index, BlockNumber block, bool has_room)
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
	if ((uint64) block + 1 >= UINT64CONST(1) << (32 - layout->number_bits))
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
	Buffer		buffer;
	BlockNumber block;
	PGAlignedBlock image;

	/* Check the page that is likely to come, so that an error adds none. */
	lsh_check_block_limit(index, layout, RelationGetNumberOfBlocks(index));
	buffer = lsh_new_buffer(index);
	block = BufferGetBlockNumber(buffer);
	lsh_check_block_limit(index, layout, block);
	lsh_store_init((Page) image.data, layout);
	lsh_store_write((Page) image.data, layout, 0, sig, tid);

	/*
	 * Log both at once.  If the page were logged first, the free space map
	 * could name a page after a crash that is not in the directory.
	 */
	add_item(index, LSH_DIRECTORY, &block, sizeof(block), buffer, image.data);
	UnlockReleaseBuffer(buffer);
	lsh_fsm_update(index, block, true);
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
 * The free space map rarely knows pages that were added since the last VACUUM,
 * which alone updates its upper levels.  Try the page that was added last once,
 * so that not every session adds a page.
 */
static BlockNumber
page_with_room(Relation index, bool *last_tried)
{
	BlockNumber block = RelationGetTargetBlock(index);

	if (block != InvalidBlockNumber)
		return block;
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
		lsh_fsm_update(index, block, false);
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
		lsh_fsm_update(index, block, false);
		RelationSetTargetBlock(index, InvalidBlockNumber);
		CHECK_FOR_INTERRUPTS();
	}
}
