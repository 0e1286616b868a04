/*-------------------------------------------------------------------------
 *
 * lsh_store.c
 *	  Reading the store of an lsh index: the TIDs and signatures of rows.
 *
 * The directory lists the pages of the store.  Pages that are added during a
 * walk may or may not be visited.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lsh_cache.h"
#include "lsh_store.h"

/* Pin and lock the page of a record that must exist. */
static Buffer
read_record(Relation index, const LshLayout *layout, uint32 number)
{
	int			place = lsh_number_place(layout, number);
	BlockNumber block = lsh_number_block(layout, number);
	Buffer		buffer = lsh_read_again(index, block, BUFFER_LOCK_SHARE,
										LSH_STORE);

	lsh_check_records(index, layout, buffer);
	if (place >= layout->per_page ||
		!lsh_record_is_used(BufferGetPage(buffer), place))
		lsh_report_damage(index, block,
						  "An entry of the tree refers to a record that does not exist.");
	return buffer;
}

/* Check that a record exists. */
void
lsh_store_check(Relation index, const LshLayout *layout, uint32 number)
{
	UnlockReleaseBuffer(read_record(index, layout, number));
}

/* Read the signature of a record that an entry of the tree names. */
void
lsh_store_slots(Relation index, const LshLayout *layout, uint32 number,
				uint16 *slots)
{
	Buffer		buffer = read_record(index, layout, number);
	Planes		planes = lsh_record_planes(layout, BufferGetPage(buffer),
										   lsh_number_place(layout, number));

	planes_join(&planes, layout->kind.num_hashes, layout->kind.method, slots);
	UnlockReleaseBuffer(buffer);
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

/* List the blocks of the store. */
LshNumbers
lsh_store_blocks(Relation index)
{
	LshNumbers	blocks = {NULL, 0, 0};
	LshWalk		walk;
	BlockNumber block;

	lsh_walk_begin(&walk);
	while ((block = lsh_walk_next(index, &walk)) != InvalidBlockNumber)
		lsh_add_number(&blocks, block);
	return blocks;
}
