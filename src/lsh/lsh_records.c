/*-------------------------------------------------------------------------
 *
 * lsh_records.c
 *	  All records of an lsh index, in memory.
 *
 * The pages of the store are read once, in the order of the directory.  The
 * first and the second plane of a record lie together, a line of cache for 128
 * hashes; the slots are put together.
 *
 * What others add meanwhile is not among them, or is: its rows are too new for
 * a snapshot that was taken before.  What VACUUM removes meanwhile it removes
 * because no snapshot sees its rows.  Of either there may be a record here and
 * no entries, or entries of some bands only.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "lsh_records.h"
#include "lsh_tree.h"
#include "support/server_memory.h"

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

/* Allocate memory for all places, or say how much everything would be. */
static void *
allocate(const LshRecords *records, Size bytes_each)
{
	void	   *memory = allocate_huge(CurrentMemoryContext,
									   (uint64) records->places * bytes_each);

	if (memory == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory to read the records of index \"%s\"",
						RelationGetRelationName(records->index)),
				 errdetail("There are %zu of them, with %d hashes each.",
						   records->places, records->layout.kind.num_hashes)));
	return memory;
}

/* Allocate memory for the records of so many pages of the store. */
static void
begin_records(LshRecords *records, Size pages)
{
	records->blocks = RelationGetNumberOfBlocks(records->index);
	records->page_of = palloc0(sizeof(uint32) * records->blocks);
	records->places = pages << records->layout.number_bits;
	records->marks = allocate(records, 1);
	memset(records->marks, 0, records->places);
	records->tids = allocate(records, sizeof(ItemPointerData));
	records->planes = allocate(records, 2 * records->layout.plane_size);
	records->slots = allocate(records, sizeof(uint16) *
							  records->layout.kind.num_hashes);
	records->pages = 0;
	records->count = 0;
}

/* Copy a record from its page to its place. */
static void
copy_record(LshRecords *records, Page page, int place_on_page)
{
	const LshLayout *layout = &records->layout;
	Planes		planes = lsh_record_planes(layout, page, place_on_page);
	Size		place = lsh_number(layout, (BlockNumber) records->pages,
								   place_on_page);

	records->marks[place] = LSH_IS_RECORD;
	records->tids[place] = lsh_record_tid(layout, page, place_on_page);
	memcpy(lsh_first(records, place), planes.first, layout->plane_size);
	memcpy(lsh_second(records, place), planes.second, layout->plane_size);
	planes_join(&planes, layout->kind.num_hashes, layout->kind.method,
				records->slots + (Size) layout->kind.num_hashes * place);
	records->count++;
}

/* Read a page of the store, unless its records are of another kind. */
static void
read_page(LshRecords *records, BlockNumber block)
{
	Buffer		buffer = lsh_read(records->index, block, BUFFER_LOCK_SHARE,
								  LSH_STORE);
	Page		page = BufferGetPage(buffer);
	bool		is_ours = LshPageStore(page)->num_hashes ==
		records->layout.kind.num_hashes;
	bool		is_empty = lsh_store_is_empty(page);

	lsh_test_snapshot(records->snapshot, records->index, page);
	if (is_ours && !is_empty)
		for (int place = 0; place < records->layout.per_page; place++)
			if (lsh_record_is_used(page, place))
				copy_record(records, page, place);
	UnlockReleaseBuffer(buffer);
	if (!is_ours && !is_empty &&
		!lsh_kind_has_changed(records->index, &records->layout))
		lsh_report_damage(records->index, block,
						  "It has records of another kind than the index.");
	records->page_of[block] = (uint32) ++records->pages;
}

/* Read all records of an index that has a kind, for a snapshot. */
void
lsh_records_read(Relation index, Snapshot snapshot, const LshLayout *layout,
				 LshRecords *records)
{
	LshNumbers	blocks = {0};

	records->index = index;
	records->snapshot = snapshot;
	records->layout = *layout;
	list_blocks(index, &blocks);
	begin_records(records, blocks.count);
	for (Size i = 0; i < blocks.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		read_page(records, blocks.numbers[i]);
	}
	if (blocks.numbers != NULL)
		pfree(blocks.numbers);
}

/*
 * Find the place of the record that an entry of the tree names by its number;
 * false if it came, or went, while records and entries were read.
 */
bool
lsh_records_find(const LshRecords *records, uint32 number, uint32 *place)
{
	const LshLayout *layout = &records->layout;
	BlockNumber block = lsh_number_block(layout, number);
	int			place_on_page = lsh_number_place(layout, number);

	if (place_on_page >= layout->per_page)
		lsh_report_damage(records->index, block,
						  "An entry of the tree names a record beyond its end.");
	if (block >= records->blocks || records->page_of[block] == 0)
	{
		/* It must be a page of records, though. */
		UnlockReleaseBuffer(lsh_read(records->index, block, BUFFER_LOCK_SHARE,
									 LSH_STORE));
		return false;
	}
	*place = lsh_number(layout, records->page_of[block] - 1, place_on_page);
	return (records->marks[*place] & LSH_IS_RECORD) != 0;
}
