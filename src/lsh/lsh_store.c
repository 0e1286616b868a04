/*-------------------------------------------------------------------------
 *
 * lsh_store.c
 *	  The records of an lsh index: TIDs and signatures.
 *
 * A record lies where its number says, for as long as it exists.  Pages with
 * room are found by the free space map, which may be out of date: what counts
 * is the page.  Rows that are NULL have no record, only a TID in a list.
 *
 * An insertion holds the first page of the index in share mode until its
 * record is written, so that the kind of signatures cannot change meanwhile.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/freespace.h"

#include "lsh_store.h"
#include "lsh_wal.h"

#define ROOM (BLCKSZ / 2)		/* what the map says of a page with room */

/*** Records on a page ***/

/* Make the record of a row. */
void
lsh_record_make(LshRecord *record, const MinHash *sig, ItemPointer tid)
{
	PlaneBuffers planes = {
		record->first, record->second, record->third,
		record->rest + sizeof(ItemPointerData)
	};

	memcpy(record->rest, tid, sizeof(ItemPointerData));
	planes_split(sig->slots, sig->num_hashes, sig->method, &planes);
}

/* Make an empty page for records. */
void
lsh_store_init(Page page, const LshLayout *layout)
{
	lsh_page_init(page, LSH_STORE);
	LshPageStore(page)->num_hashes = (uint16) layout->kind.num_hashes;
	/* There is no hole: records lie at fixed places. */
	((PageHeader) page)->pd_lower = BLCKSZ;
}

/* Write a record to a page in memory. */
void
lsh_store_write(Page page, const LshLayout *layout, int place,
				const LshRecord *record)
{
	LshPageStore(page)->used[place / 8] |= (uint8) (1 << place % 8);
	memcpy(lsh_record_first(layout, page, place), record->first,
		   layout->plane_size);
	memcpy(lsh_record_second(layout, page, place), record->second,
		   layout->plane_size);
	memcpy(lsh_record_third(layout, page, place), record->third,
		   2 * layout->plane_size);
	memcpy(lsh_record_rest(layout, page, place), record->rest,
		   layout->rest_size);
}

/* Find a place without a record; -1 if there is none. */
static int
find_free_place(Page page, const LshLayout *layout)
{
	for (int place = 0; place < layout->per_page; place++)
		if (!lsh_record_is_used(page, place))
			return place;
	return -1;
}

/* Tell whether a page has no record. */
bool
lsh_store_is_empty(Page page)
{
	for (int i = 0; i < (int) lengthof(LshPageStore(page)->used); i++)
		if (LshPageStore(page)->used[i] != 0)
			return false;
	return true;
}

/* Note in the free space map whether a page has room. */
void
lsh_store_mark(Relation index, BlockNumber block, bool has_room)
{
	RecordPageWithFreeSpace(index, block, has_room ? ROOM : 0);
}

/*** Adding records ***/

/* Log a record that is added to a page of the store. */
static void
log_record(Relation index, Buffer buffer, const LshLayout *layout, int place,
		   const LshRecord *record)
{
	Page		page = BufferGetPage(buffer);
	uint8	   *used = &LshPageStore(page)->used[place / 8];
	uint8		bits = *used | (uint8) (1 << place % 8);
	LshWal		wal;

	lsh_wal_begin(&wal, index);
	lsh_wal_page(&wal, buffer);
	lsh_wal_put(&wal, 0, (char *) used - (char *) page, &bits, sizeof(bits));
	lsh_wal_put(&wal, 0, lsh_record_first(layout, page, place) - (uint8 *) page,
				record->first, layout->plane_size);
	lsh_wal_put(&wal, 0, lsh_record_second(layout, page, place) - (uint8 *) page,
				record->second, layout->plane_size);
	lsh_wal_put(&wal, 0, lsh_record_third(layout, page, place) - (uint8 *) page,
				record->third, 2 * layout->plane_size);
	lsh_wal_put(&wal, 0, lsh_record_rest(layout, page, place) - (uint8 *) page,
				record->rest, layout->rest_size);
	lsh_wal_finish(&wal);
}

/* Begin a page anew that has held records of another kind. */
static void
log_first_record(Relation index, Buffer buffer, const LshLayout *layout,
				 const LshRecord *record)
{
	PGAlignedBlock image;
	LshWal		wal;

	lsh_store_init((Page) image.data, layout);
	lsh_store_write((Page) image.data, layout, 0, record);
	lsh_wal_begin(&wal, index);
	lsh_wal_image(&wal, buffer, image.data);
	lsh_wal_finish(&wal);
}

/* Add a record to a page if it has room; the map may name any page. */
static bool
add_to_page(Relation index, BlockNumber block, const LshLayout *layout,
			const LshRecord *record, uint32 *number)
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
			place = find_free_place(page, layout);
			if (place >= 0)
				log_record(index, buffer, layout, place, record);
		}
		else if (lsh_store_is_empty(page))
		{
			place = 0;
			log_first_record(index, buffer, layout, record);
		}
		else
			lsh_report_damage(index, block,
							  "It has records of another kind than the index.");
	}
	UnlockReleaseBuffer(buffer);
	*number = lsh_number(layout, block, Max(place, 0));
	return place >= 0;
}

/* Refuse a page whose records would have no numbers. */
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

/* Log a new page of the store, and its entry in the directory. */
static void
log_new_page(Relation index, Buffer meta, Buffer buffer, const char *image)
{
	Buffer		directory = lsh_read(index,
									 LshPageMeta(BufferGetPage(meta))->last_directory,
									 BUFFER_LOCK_EXCLUSIVE, LSH_DIRECTORY);
	Page		page = BufferGetPage(directory);
	int			count = lsh_directory_count(page);
	BlockNumber block = BufferGetBlockNumber(buffer);
	BlockNumber more_block;
	Buffer		more = InvalidBuffer;
	PGAlignedBlock more_image;
	LocationIndex lower = ((PageHeader) page)->pd_lower + sizeof(block);
	LshWal		wal;
	int			place;

	lsh_wal_begin(&wal, index);
	lsh_wal_image(&wal, buffer, image);
	place = lsh_wal_page(&wal, directory);
	if (count < LSH_DIRECTORY_MAX)
	{
		lsh_wal_put(&wal, place, offsetof(PageHeaderData, pd_lower), &lower,
					sizeof(lower));
		lsh_wal_put(&wal, place, (char *) &LshBlocks(page)[count] - (char *) page,
					&block, sizeof(block));
	}
	else
	{
		more = lsh_new_buffer(index);
		more_block = BufferGetBlockNumber(more);
		lsh_page_init((Page) more_image.data, LSH_DIRECTORY);
		LshBlocks(more_image.data)[0] = block;
		((PageHeader) more_image.data)->pd_lower += sizeof(block);
		lsh_wal_image(&wal, more, more_image.data);
		lsh_wal_put(&wal, place, SizeOfPageHeaderData + offsetof(LshPageHead, right),
					&more_block, sizeof(more_block));
		place = lsh_wal_page(&wal, meta);
		lsh_wal_put(&wal, place,
					SizeOfPageHeaderData + offsetof(LshMeta, last_directory),
					&more_block, sizeof(more_block));
	}
	lsh_wal_finish(&wal);
	if (BufferIsValid(more))
		UnlockReleaseBuffer(more);
	UnlockReleaseBuffer(directory);
}

/*
 * Add a page with a first record; false if the kind has changed meanwhile, or
 * is being forgotten.
 */
static bool
add_page(Relation index, const MinHash *sig, const LshRecord *record,
		 uint32 *number)
{
	Buffer		meta = lsh_read(index, LSH_META_BLOCK, BUFFER_LOCK_EXCLUSIVE,
								LSH_META);
	Buffer		buffer;
	BlockNumber block;
	LshLayout	layout;
	PGAlignedBlock image;

	lsh_layout_read(index, BufferGetPage(meta), &layout);
	if (!lsh_same_kind(&layout, sig) || layout.forgetting)
	{
		UnlockReleaseBuffer(meta);
		return false;
	}
	buffer = lsh_new_buffer(index);
	block = BufferGetBlockNumber(buffer);
	lsh_check_block_limit(index, &layout, block);
	lsh_store_init((Page) image.data, &layout);
	lsh_store_write((Page) image.data, &layout, 0, record);
	log_new_page(index, meta, buffer, image.data);
	UnlockReleaseBuffer(buffer);
	UnlockReleaseBuffer(meta);
	lsh_store_mark(index, block, true);
	RelationSetTargetBlock(index, block);
	*number = lsh_number(&layout, block, 0);
	return true;
}

/* Return the page of the store that was added last; none if there is none. */
static BlockNumber
last_page(Relation index)
{
	Buffer		buffer = lsh_read(index, LSH_META_BLOCK, BUFFER_LOCK_SHARE,
								  LSH_META);
	BlockNumber block = LshPageMeta(BufferGetPage(buffer))->last_directory;
	int			count;

	UnlockReleaseBuffer(buffer);
	buffer = lsh_read(index, block, BUFFER_LOCK_SHARE, LSH_DIRECTORY);
	count = lsh_directory_count(BufferGetPage(buffer));
	block = count == 0 ? InvalidBlockNumber :
		LshBlocks(BufferGetPage(buffer))[count - 1];
	UnlockReleaseBuffer(buffer);
	return block;
}

/*
 * Find a page that may have room; InvalidBlockNumber if there is none.
 *
 * The free space map tells only what VACUUM has found.  So that not every
 * session adds a page of its own, the page that was added last is tried once.
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
	/* After a crash the map can name pages that do not exist. */
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

/* Write down what has changed on the first page, if anything has. */
void
lsh_log_meta(Relation index, Buffer buffer, const LshMeta *meta)
{
	LshWal		wal;

	if (memcmp(meta, LshPageMeta(BufferGetPage(buffer)), sizeof(LshMeta)) == 0)
		return;
	lsh_wal_begin(&wal, index);
	lsh_wal_put(&wal, lsh_wal_page(&wal, buffer), SizeOfPageHeaderData,
				meta, sizeof(LshMeta));
	lsh_wal_finish(&wal);
}

/*
 * Write down of which kind the signatures of an index are, and that there are
 * some, or will be in a moment.
 */
static void
set_kind(Relation index, const MinHash *sig)
{
	Buffer		buffer = lsh_read(index, LSH_META_BLOCK, BUFFER_LOCK_EXCLUSIVE,
								  LSH_META);
	LshMeta		meta = *LshPageMeta(BufferGetPage(buffer));

	if (meta.num_hashes == 0)
	{
		meta.num_hashes = sig->num_hashes;
		meta.method = sig->method;
		meta.shingling = sig->shingling;
		meta.seed = sig->seed;
	}
	meta.forgetting = false;
	lsh_log_meta(index, buffer, &meta);
	UnlockReleaseBuffer(buffer);
}

/* Add a record for a row; return its number, and the layout of the index. */
uint32
lsh_store_add(Relation index, const MinHash *sig, ItemPointer tid,
			  LshLayout *layout)
{
	LshRecord	record;
	uint32		number;
	bool		last_tried = false;

	lsh_check_size(index, sig);
	lsh_record_make(&record, sig, tid);
	for (;;)
	{
		BlockNumber block = page_with_room(index, &last_tried);
		Buffer		meta = lsh_read(index, LSH_META_BLOCK, BUFFER_LOCK_SHARE,
									LSH_META);
		bool		added = false;
		bool		has_kind;

		lsh_layout_read(index, BufferGetPage(meta), layout);
		if (layout->kind.num_hashes != 0)
			lsh_check_kind(index, layout, sig);
		has_kind = layout->kind.num_hashes != 0 && !layout->forgetting;
		if (has_kind && block != InvalidBlockNumber)
			added = add_to_page(index, block, layout, &record, &number);
		UnlockReleaseBuffer(meta);
		if (added)
			return number;
		CHECK_FOR_INTERRUPTS();
		if (!has_kind)
			set_kind(index, sig);
		else if (block != InvalidBlockNumber)
			forget_page(index, block);
		else if (add_page(index, sig, &record, &number))
			return number;
	}
}

/* Read the signature of a record that an entry of the tree names. */
void
lsh_store_slots(Relation index, const LshLayout *layout, uint32 number,
				uint16 *slots)
{
	BlockNumber block = lsh_number_block(layout, number);
	int			place = lsh_number_place(layout, number);
	Buffer		buffer = lsh_read(index, block, BUFFER_LOCK_SHARE, LSH_STORE);
	Page		page = BufferGetPage(buffer);
	Planes		planes;

	if (place >= layout->per_page ||
		LshPageStore(page)->num_hashes != layout->kind.num_hashes ||
		!lsh_record_is_used(page, place))
		lsh_report_damage(index, block,
						  "An entry of the tree names a record that it has not.");
	planes = lsh_record_planes(layout, page, place);
	planes_join(&planes, layout->kind.num_hashes, layout->kind.method, slots);
	UnlockReleaseBuffer(buffer);
}

/*
 * Tell whether the index has begun to hold another kind of signatures since
 * its layout was read, perhaps the first one: then all rows that the caller
 * can see have been removed.
 */
bool
lsh_kind_has_changed(Relation index, const LshLayout *layout)
{
	Buffer		meta = lsh_read(index, LSH_META_BLOCK, BUFFER_LOCK_SHARE,
								LSH_META);
	const LshMeta *now = LshPageMeta(BufferGetPage(meta));
	bool		changed = now->generation != layout->generation ||
		now->num_hashes != layout->kind.num_hashes;

	UnlockReleaseBuffer(meta);
	return changed;
}

/*** Rows that are NULL ***/

/* Add a TID to the end of a page of NULLs, which has room. */
static void
log_null(Relation index, Buffer buffer, ItemPointer tid)
{
	Page		page = BufferGetPage(buffer);
	LocationIndex lower = ((PageHeader) page)->pd_lower;
	LocationIndex new_lower = lower + sizeof(ItemPointerData);
	LshWal		wal;

	lsh_wal_begin(&wal, index);
	lsh_wal_page(&wal, buffer);
	lsh_wal_put(&wal, 0, offsetof(PageHeaderData, pd_lower), &new_lower,
				sizeof(new_lower));
	lsh_wal_put(&wal, 0, lower, tid, sizeof(ItemPointerData));
	lsh_wal_finish(&wal);
}

/* Lock a page of the list with room, from some page on, or else the last. */
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

/* Add a page to the list of NULLs, behind its last page if there is one. */
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
	lsh_wal_put(&wal, lsh_wal_page(&wal, meta_buffer), SizeOfPageHeaderData,
				&meta, sizeof(meta));
	if (BufferIsValid(last))
		lsh_wal_put(&wal, lsh_wal_page(&wal, last),
					SizeOfPageHeaderData + offsetof(LshPageHead, right),
					&block, sizeof(block));
	lsh_wal_finish(&wal);
	UnlockReleaseBuffer(buffer);
}

/* Log that NULLs now go to another page. */
static void
log_free_nulls(Relation index, Buffer meta, BlockNumber block)
{
	LshWal		wal;

	lsh_wal_begin(&wal, index);
	lsh_wal_put(&wal, lsh_wal_page(&wal, meta),
				SizeOfPageHeaderData + offsetof(LshMeta, free_nulls),
				&block, sizeof(block));
	lsh_wal_finish(&wal);
}

/* Add a row that is NULL where there is no room on the usual page. */
static void
add_null_elsewhere(Relation index, ItemPointer tid)
{
	Buffer		meta = lsh_read(index, LSH_META_BLOCK, BUFFER_LOCK_EXCLUSIVE,
								LSH_META);
	BlockNumber block = LshPageMeta(BufferGetPage(meta))->free_nulls;
	Buffer		buffer = InvalidBuffer;

	if (block != InvalidBlockNumber)
		buffer = nulls_page_with_room(index, block);
	if (BufferIsValid(buffer) &&
		lsh_nulls_count(BufferGetPage(buffer)) < LSH_NULLS_MAX)
	{
		if (BufferGetBlockNumber(buffer) != block)
			log_free_nulls(index, meta, BufferGetBlockNumber(buffer));
		log_null(index, buffer, tid);
	}
	else
		add_nulls_page(index, meta, buffer, tid);
	if (BufferIsValid(buffer))
		UnlockReleaseBuffer(buffer);
	UnlockReleaseBuffer(meta);
}

/* Add a row that is NULL. */
void
lsh_nulls_add(Relation index, ItemPointer tid)
{
	Buffer		meta = lsh_read(index, LSH_META_BLOCK, BUFFER_LOCK_SHARE,
								LSH_META);
	BlockNumber block = LshPageMeta(BufferGetPage(meta))->free_nulls;
	bool		added = false;
	LshLayout	layout;

	lsh_layout_read(index, BufferGetPage(meta), &layout);
	if (block != InvalidBlockNumber)
	{
		Buffer		buffer = lsh_read(index, block, BUFFER_LOCK_EXCLUSIVE,
									  LSH_NULLS);

		added = lsh_nulls_count(BufferGetPage(buffer)) < LSH_NULLS_MAX;
		if (added)
			log_null(index, buffer, tid);
		UnlockReleaseBuffer(buffer);
	}
	UnlockReleaseBuffer(meta);
	if (!added)
		add_null_elsewhere(index, tid);
}

/*** Walks ***/

/* Count a step along a list of pages, which damage could make endless. */
void
lsh_step(Relation index, BlockNumber block, BlockNumber *steps)
{
	if (++*steps % 4096 == 0)
	{
		CHECK_FOR_INTERRUPTS();
		if (*steps > RelationGetNumberOfBlocks(index))
			lsh_report_damage(index, block, "A list of pages has no end.");
	}
}

/* Begin a walk over all pages of the store. */
void
lsh_walk_begin(LshWalk *walk)
{
	walk->directory = LSH_FIRST_DIRECTORY;
	walk->steps = 0;
	walk->count = 0;
	walk->next = 0;
}

/* Return the next page of the store, or InvalidBlockNumber at the end. */
BlockNumber
lsh_walk_next(Relation index, LshWalk *walk)
{
	while (walk->next == walk->count && walk->directory != InvalidBlockNumber)
	{
		Buffer		buffer = lsh_read(index, walk->directory,
									  BUFFER_LOCK_SHARE, LSH_DIRECTORY);
		Page		page = BufferGetPage(buffer);

		walk->count = lsh_directory_count(page);
		walk->next = 0;
		memcpy(walk->blocks, LshBlocks(page),
			   sizeof(BlockNumber) * walk->count);
		lsh_step(index, walk->directory, &walk->steps);
		walk->directory = LshHead(page)->right;
		UnlockReleaseBuffer(buffer);
	}
	return walk->next < walk->count ? walk->blocks[walk->next++] :
		InvalidBlockNumber;
}

/* Show all pages of the store to a visitor. */
void
lsh_visit_store(Relation index, LshPageVisitor visit, void *arg)
{
	LshWalk		walk;
	BlockNumber block;

	lsh_walk_begin(&walk);
	while ((block = lsh_walk_next(index, &walk)) != InvalidBlockNumber)
	{
		Buffer		buffer = lsh_read(index, block, BUFFER_LOCK_SHARE, LSH_STORE);

		visit(BufferGetPage(buffer), block, arg);
		UnlockReleaseBuffer(buffer);
		CHECK_FOR_INTERRUPTS();
	}
}
