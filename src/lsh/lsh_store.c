/*-------------------------------------------------------------------------
 *
 * lsh_store.c
 *	  The store of an lsh index.
 *
 * A row whose signature or text is not NULL has a record on a page of the
 * store.  The directory lists these pages.
 *
 * A record of k hashes takes 6 bytes for the TID and 2k bytes for the slots,
 * plus up to 7 bytes if k is not a multiple of 8.  Planes of the same order
 * lie side by side so that a scan reads few cache lines (see
 * core/sketch/planes.c).
 *
 * A record goes to the page that this session added to last, or to one that
 * the free space map names, and otherwise to a new page.  The map is not logged
 * and may be out of date, so the page itself decides.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "storage/freespace.h"

#include "core/base/processor.h"
#include "lsh.h"

#define PREFETCH_AHEAD 6		/* records */
#define HEAD_LINES 8			/* of the first planes of a page; the hardware
								 * prefetcher continues from there */
#define ROOM (BLCKSZ / 2)		/* free space in the map of a page with room */

/*** Records on a page ***/

/* Make an empty store page. */
void
lsh_store_init(Page page, const LshLayout *layout)
{
	lsh_page_init(page, LSH_STORE);
	LshPageStore(page)->num_hashes = (uint16) layout->kind.num_hashes;
	/* Records lie at fixed places, so the page has no hole. */
	((PageHeader) page)->pd_lower = BLCKSZ;
}

/* Write the record of a row to a page in memory. */
void
lsh_store_write(Page page, const LshLayout *layout, int place,
				const MinHash *sig, ItemPointer tid)
{
	Planes		planes = lsh_record_planes(layout, page, place);

	LshPageStore(page)->used[place / 8] |= (uint8) (1 << place % 8);
	memcpy(lsh_record_rest(layout, page, place), tid, sizeof(ItemPointerData));
	if (layout->content == LSH_SIGNATURES)
		planes_split(sig->slots, sig->num_hashes, sig->method, &planes);
}

/* Find the first place without a record. */
int
lsh_store_free_place(Page page, const LshLayout *layout)
{
	for (int place = 0; place < layout->per_page; place++)
		if (!lsh_record_is_used(page, place))
			return place;
	return -1;
}

/* Raise an error for a page with records of another size. */
void
lsh_check_store(Relation index, const LshLayout *layout, Buffer buffer)
{
	if (LshPageStore(BufferGetPage(buffer))->num_hashes != layout->kind.num_hashes)
		lsh_report_damage(index, BufferGetBlockNumber(buffer),
						  "It has records of another kind than the index.");
}

/*** Reading records ***/

/* Pin, lock and check a page. */
static Buffer
read_page(Relation index, const LshLayout *layout, BlockNumber block)
{
	Buffer		buffer = lsh_read(index, block, BUFFER_LOCK_SHARE, LSH_STORE, NULL);

	lsh_check_store(index, layout, buffer);
	return buffer;
}

/* Read the signature of a record that an entry of the tree names. */
void
lsh_store_slots(Relation index, const LshLayout *layout, uint32 number,
				uint16 *slots)
{
	int			place = lsh_number_place(layout, number);
	BlockNumber block = lsh_number_block(layout, number);
	Buffer		buffer = read_page(index, layout, block);
	Planes		planes;

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
									  LSH_DIRECTORY, NULL);
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

/* Prefetch the planes of a record into the processor's cache. */
static void
prefetch_record(Relation index, const LshLayout *layout, uint32 number)
{
	char	   *page = lsh_cached_page(index, lsh_number_block(layout, number));
	Planes		planes;

	if (page == NULL)
		return;
	planes = lsh_record_planes(layout, (Page) page, lsh_number_place(layout, number));
	prefetch_line(page);
	prefetch_line(planes.first);
	prefetch_line(planes.second);
	prefetch_line(planes.third);
	prefetch_line(planes.rest - sizeof(ItemPointerData));
}

/* Prefetch the first lines of a page. */
static void
prefetch_head(Relation index, BlockNumber block)
{
	char	   *page = lsh_cached_page(index, block);

	for (int i = 0; page != NULL && i < HEAD_LINES; i++)
		prefetch_line(page + CACHE_LINE * i);
}

/* Begin a pass over all pages. */
void
lsh_pass_all(Relation index, LshPass *pass)
{
	lsh_cache_prepare(index);
	pass->all = true;
	pass->numbers = lsh_store_blocks(index);
}

/* Take all places of the next page. */
static void
take_page(Relation index, const LshLayout *layout, LshPass *pass)
{
	const uint32 *numbers = pass->numbers.numbers;

	pass->block = numbers[pass->next++];
	if (pass->next < pass->numbers.count)
		prefetch_head(index, numbers[pass->next]);
	for (pass->count = 0; pass->count < layout->per_page; pass->count++)
		pass->places[pass->count] = (uint16) pass->count;
}

/* Take the places of the records on the next page. */
static void
take_records(Relation index, const LshLayout *layout, LshPass *pass)
{
	const uint32 *numbers = pass->numbers.numbers;
	Size		end = pass->numbers.count;
	Size		i = pass->next;
	int			count = 0;

	for (Size ahead = i == 0 ? 1 : i + PREFETCH_AHEAD;
		 ahead < Min(end, i + PREFETCH_AHEAD + 1); ahead++)
		prefetch_record(index, layout, numbers[ahead]);
	pass->block = lsh_number_block(layout, numbers[i]);
	for (; i < end && lsh_number_block(layout, numbers[i]) == pass->block; i++)
		pass->places[count++] = (uint16) lsh_number_place(layout, numbers[i]);
	pass->next = i;
	pass->count = count;
	if (pass->places[count - 1] >= layout->per_page)
		lsh_report_damage(index, pass->block,
						  "An entry of the tree names a record beyond its end.");
}

/* Lock the next page of a pass. */
Buffer
lsh_pass_next(Relation index, const LshLayout *layout, LshPass *pass)
{
	CHECK_FOR_INTERRUPTS();
	if (pass->next == pass->numbers.count)
		return InvalidBuffer;
	if (pass->all)
		take_page(index, layout, pass);
	else
		take_records(index, layout, pass);
	return read_page(index, layout, pass->block);
}

/*** Adding records ***/

/* Note in the free space map whether a page has room. */
void
lsh_fsm_update(Relation index, BlockNumber block, bool has_room)
{
	RecordPageWithFreeSpace(index, block, has_room ? ROOM : 0);
}

/* Note in all levels of the free space map that a page has room. */
void
lsh_fsm_add(Relation index, BlockNumber block)
{
	lsh_fsm_update(index, block, true);
	FreeSpaceMapVacuumRange(index, block, block + 1);
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
	Planes		old = lsh_record_planes(layout, page, place);
	Planes		new = lsh_record_planes(layout, image, place);
	LshWal		wal;

	*new_used = *used;
	lsh_store_write(image, layout, place, sig, tid);
	lsh_wal_begin(&wal, index);
	lsh_wal_put(&wal, buffer, used, new_used, sizeof(*used));
	lsh_wal_put(&wal, buffer, old.first, new.first, layout->plane_size);
	lsh_wal_put(&wal, buffer, old.second, new.second, layout->plane_size);
	lsh_wal_put(&wal, buffer, old.third, new.third, 2 * layout->plane_size);
	lsh_wal_put(&wal, buffer, old.rest - sizeof(*tid),
				new.rest - sizeof(*tid), layout->rest_size);
	lsh_wal_finish(&wal);
}

/*
 * Add a record to a page if that is a store page with room; return its place, or
 * -1.  The free space map may name any page.
 */
static int
add_to_page(Relation index, BlockNumber block, const LshLayout *layout,
			const MinHash *sig, ItemPointer tid)
{
	Buffer		buffer = ReadBuffer(index, block);
	Page		page = BufferGetPage(buffer);
	int			place = -1;

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	if (!PageIsNew(page) && LshHead(page)->type == LSH_STORE)
	{
		lsh_check_page(index, buffer, LSH_STORE);
		lsh_check_store(index, layout, buffer);
		place = lsh_store_free_place(page, layout);
		if (place >= 0)
			log_record(index, buffer, layout, place, sig, tid);
	}
	UnlockReleaseBuffer(buffer);
	return place;
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

/* Add a page of the store with a first record; return its number. */
static uint32
add_store_page(Relation index, const LshLayout *layout, const MinHash *sig,
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
	lsh_list_add(index, LSH_DIRECTORY, &block, sizeof(block), buffer, image.data);
	UnlockReleaseBuffer(buffer);
	lsh_fsm_add(index, block);
	RelationSetTargetBlock(index, block);
	return lsh_number(layout, block, 0);
}

/* Find a page that may have room, or return InvalidBlockNumber. */
static BlockNumber
page_with_room(Relation index)
{
	BlockNumber block = RelationGetTargetBlock(index);

	if (block != InvalidBlockNumber)
		return block;
	block = GetPageWithFreeSpace(index, ROOM);
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
	for (;;)
	{
		BlockNumber block = page_with_room(index);
		int			place;

		if (block == InvalidBlockNumber)
			return add_store_page(index, layout, sig, tid);
		place = add_to_page(index, block, layout, sig, tid);
		if (place >= 0)
			return lsh_number(layout, block, place);
		/* The page has no room. */
		lsh_fsm_update(index, block, false);
		RelationSetTargetBlock(index, InvalidBlockNumber);
		CHECK_FOR_INTERRUPTS();
	}
}
