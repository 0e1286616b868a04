/*-------------------------------------------------------------------------
 *
 * lsh_records.c
 *	  All records of an lsh index, in memory.
 *
 * The pages of the store are read once, in the order of the directory, and
 * kept as they are: what makes use of records on a page does so here, too.
 *
 * What others add meanwhile is not among them, or is; the rows are too new for
 * a snapshot that was taken before.  What VACUUM removes meanwhile was removed
 * because no snapshot sees it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "lsh_records.h"
#include "lsh_tree.h"

#define ALIGNMENT 64			/* first planes begin with a cache line */

/* List the blocks of the store. */
static void
list_blocks(Relation index, LshNumbers *blocks)
{
	LshWalk		walk;
	BlockNumber block;

	lsh_walk_begin(&walk);
	while ((block = lsh_walk_next(index, &walk)) != InvalidBlockNumber)
		lsh_add_number(blocks, block);
}

/* Allocate memory, or say how much everything would be. */
static void *
allocate(const LshRecords *records, Size bytes)
{
	void	   *memory = NULL;

	if (bytes <= MaxAllocHugeSize)
		memory = MemoryContextAllocExtended(CurrentMemoryContext, bytes,
											MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
	if (memory == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory to read the records of index \"%s\"",
						RelationGetRelationName(records->index)),
				 errdetail("%zu pages of %d bytes are needed.", records->pages,
						   BLCKSZ)));
	return memory;
}

/* Mark the places of the last page that have records. */
static void
mark_records(LshRecords *records)
{
	BlockNumber last = (BlockNumber) records->pages - 1;

	for (int place = 0; place < records->layout.per_page; place++)
		if (lsh_record_is_used(lsh_records_page(records, last), place))
		{
			records->marks[lsh_number(&records->layout, last, place)] = LSH_IS_RECORD;
			records->count++;
		}
}

/* Read a page of the store; false if its records are of another kind. */
static bool
read_page(const LshRecords *records, BlockNumber block, Page copy)
{
	Buffer		buffer = lsh_read(records->index, block, BUFFER_LOCK_SHARE,
								  LSH_STORE);
	Page		page = BufferGetPage(buffer);
	bool		is_ours = LshPageStore(page)->num_hashes ==
		records->layout.kind.num_hashes;
	bool		is_empty = lsh_store_is_empty(page);

	if (is_ours)
		memcpy(copy, page, BLCKSZ);
	UnlockReleaseBuffer(buffer);
	if (!is_ours && !is_empty &&
		!lsh_kind_has_changed(records->index, &records->layout))
		lsh_report_damage(records->index, block,
						  "It has records of another kind than the index.");
	return is_ours;
}

/* Allocate memory for so many pages of the store. */
static void
begin_records(LshRecords *records, Size pages)
{
	records->blocks = RelationGetNumberOfBlocks(records->index);
	records->page_of = palloc0(sizeof(uint32) * records->blocks);
	records->pages = pages;
	records->memory = (char *) TYPEALIGN(ALIGNMENT,
										 allocate(records, pages * BLCKSZ + ALIGNMENT));
	records->marks = allocate(records, lsh_records_places(records));
	memset(records->marks, 0, lsh_records_places(records));
	records->pages = 0;
	records->count = 0;
}

/* Read all records of an index that has a kind. */
void
lsh_records_read(Relation index, const LshLayout *layout, LshRecords *records)
{
	LshNumbers	blocks = {0};

	records->index = index;
	records->layout = *layout;
	list_blocks(index, &blocks);
	begin_records(records, blocks.count);
	for (Size i = 0; i < blocks.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!read_page(records, blocks.numbers[i],
					   lsh_records_page(records, records->pages)))
			continue;
		records->page_of[blocks.numbers[i]] = (uint32) ++records->pages;
		mark_records(records);
	}
	if (blocks.numbers != NULL)
		pfree(blocks.numbers);
}

/*
 * Find the record that an entry of the tree names by its number; false if it
 * came, or went, while records and entries were read.
 */
bool
lsh_records_find(const LshRecords *records, uint32 number, uint32 *record)
{
	const LshLayout *layout = &records->layout;
	BlockNumber block = lsh_number_block(layout, number);
	int			place = lsh_number_place(layout, number);

	if (place >= layout->per_page)
		lsh_report_damage(records->index, block,
						  "An entry of the tree names a record beyond its end.");
	if (block >= records->blocks || records->page_of[block] == 0)
	{
		/* It is a page of records, though. */
		UnlockReleaseBuffer(lsh_read(records->index, block, BUFFER_LOCK_SHARE,
									 LSH_STORE));
		return false;
	}
	*record = lsh_number(layout, records->page_of[block] - 1, place);
	return (records->marks[*record] & LSH_IS_RECORD) != 0;
}
