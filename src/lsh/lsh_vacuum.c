/*-------------------------------------------------------------------------
 *
 * lsh_vacuum.c
 *	  VACUUM of an lsh index.
 *
 * VACUUM scans the store and marks the records of dead rows in a bitmap of one
 * bit for each record number.  Then it removes their entries from the leaves,
 * merges leaves that are nearly empty, and last it frees the records.  So every
 * entry names a record, and after a crash the next VACUUM finds the remaining
 * records, because their rows are still dead.  Free space is reused in place,
 * and leaves that became free by other leaves; the file never becomes shorter.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "commands/vacuum.h"
#include "storage/indexfsm.h"

#include "lsh.h"
#include "support/server_memory.h"

/* State of a VACUUM. */
typedef struct Vacuum
{
	Relation	index;
	BufferAccessStrategy strategy;
	IndexBulkDeleteResult *stats;
	IndexBulkDeleteCallback callback;	/* NULL if rows are only counted */
	void	   *callback_state;
	LshLayout	layout;
	LshNumbers	store;			/* its pages when VACUUM began; a later one
								 * has no dead rows yet */
	BlockNumber blocks;			/* of the index after that */
	uint8	   *dead;			/* bitmap of dead records by number */
	uint64		dead_count;
	uint16	   *kept;			/* by block: entries left on a leaf, plus 1; 0
								 * for other pages */
	BlockNumber first_nulls;
} Vacuum;

/*** Dead records ***/

/* Return true if a record is dead. */
static inline bool
is_dead(const Vacuum *vacuum, uint32 number)
{
	if (lsh_number_block(&vacuum->layout, number) >= vacuum->blocks)
		return false;
	return (vacuum->dead[number / 8] >> number % 8) & 1;
}

/* Mark the dead records of a page; return true if the page has room. */
static bool
mark_page(Vacuum *vacuum, BlockNumber block)
{
	Buffer		buffer = lsh_read(vacuum->index, block, BUFFER_LOCK_SHARE,
								  LSH_STORE, vacuum->strategy);
	Page		page = BufferGetPage(buffer);
	LshLayout  *layout = &vacuum->layout;
	bool		has_room = lsh_store_free_place(page, layout) >= 0;

	lsh_check_store(vacuum->index, layout, buffer);
	for (int place = 0; place < layout->per_page; place++)
	{
		uint32		number = lsh_number(layout, block, place);
		ItemPointerData tid;

		if (!lsh_record_is_used(page, place))
			continue;
		tid = lsh_record_tid(vacuum->index, layout, page, block, place);
		if (vacuum->callback != NULL &&
			vacuum->callback(&tid, vacuum->callback_state))
		{
			vacuum->dead[number / 8] |= (uint8) (1 << number % 8);
			vacuum->dead_count++;
		}
		else
			vacuum->stats->num_index_tuples++;
	}
	UnlockReleaseBuffer(buffer);
	return has_room;
}

/*
 * Call a function for each store page, and note in the free space map whether
 * it returns that the page has room.
 */
static void
visit_store(Vacuum *vacuum, bool (*visit) (Vacuum *, BlockNumber))
{
	for (Size i = 0; i < vacuum->store.count; i++)
	{
		BlockNumber block = vacuum->store.numbers[i];

		lsh_fsm_update(vacuum->index, block, visit(vacuum, block));
		compat_vacuum_delay_point();
	}
}

/*** Entries of dead records ***/

/*
 * Copy a leaf without the entries of dead records; return their number.  The
 * others keep their order: to sort them here would double the time of VACUUM.
 */
static int
make_clean_leaf(const Vacuum *vacuum, Page page, Page clean)
{
	int			count = lsh_tree_count(page);
	int			kept = 0;
	int			sorted = 0;

	memcpy(clean, page, BLCKSZ);
	for (int i = 0; i < count; i++)
	{
		if (is_dead(vacuum, LshNumber(page, i)))
			continue;
		LshFragments(clean)[kept] = LshFragments(page)[i];
		LshNumber(clean, kept) = LshNumber(page, i);
		kept++;
		if (i < LshPageTree(page)->sorted)
			sorted = kept;
	}
	LshPageTree(clean)->sorted = (uint16) sorted;
	((PageHeader) clean)->pd_lower = (uint16) (LSH_TREE_START + 4 * kept);
	((PageHeader) clean)->pd_upper = (uint16) (BLCKSZ - 4 * kept);
	return count - kept;
}

/* Remove the entries of dead records from a leaf; return the next leaf. */
static BlockNumber
clean_leaf(Vacuum *vacuum, BlockNumber block)
{
	Buffer		buffer = lsh_read(vacuum->index, block, BUFFER_LOCK_EXCLUSIVE,
								  LSH_TREE, vacuum->strategy);
	Page		page = BufferGetPage(buffer);
	BlockNumber right = LshHead(page)->right;
	PGAlignedBlock clean;
	LshWal		wal;

	if (LshPageTree(page)->level != 0)
		lsh_report_damage(vacuum->index, block, "It is not a leaf.");
	if (make_clean_leaf(vacuum, page, (Page) clean.data) > 0)
	{
		lsh_wal_begin(&wal, vacuum->index);
		lsh_wal_page(&wal, buffer, clean.data);
		lsh_wal_finish(&wal);
	}
	if (block < vacuum->blocks)
		vacuum->kept[block] = (uint16) (lsh_tree_count(page) + 1);
	UnlockReleaseBuffer(buffer);
	return right;
}

/* Remove the entries of dead records from all leaves. */
static void
clean_leaves(Vacuum *vacuum)
{
	BlockNumber block = lsh_tree_find(vacuum->index, 0, true);
	BlockNumber steps = 0;

	while (block != InvalidBlockNumber)
	{
		block = clean_leaf(vacuum, block);
		lsh_check_loop(vacuum->index, block, &steps);
		compat_vacuum_delay_point();
	}
}

/*
 * Merge neighbors with few entries from right to left, so that the leaves of a
 * key become one before that can be merged with another.
 */
static void
merge_leaves(Vacuum *vacuum)
{
	/* Half as full as the build would fill them, so that few split again. */
	int			max = LSH_LEAF_MAX * lsh_fillfactor(vacuum->index) / 200;
	uint16	   *kept = vacuum->kept;
	Size		count;
	LshEntry   *leaves = lsh_tree_leaves(vacuum->index, MaxBlockNumber, &count);

	for (Size i = count; i-- > 1;)
	{
		BlockNumber left = leaves[i - 1].number;
		BlockNumber right = leaves[i].number;

		compat_vacuum_delay_point();
		if (leaves[i - 1].parent != leaves[i].parent || left == right ||
			Max(left, right) >= vacuum->blocks ||
			kept[left] == 0 || kept[right] == 0 ||
			kept[left] + kept[right] - 2 > max)
			continue;
		if (lsh_tree_merge(vacuum->index, &vacuum->layout, &leaves[i - 1],
						   &leaves[i], max))
			kept[left] += kept[right] - 1;
	}
	pfree(leaves);
}

/*** Freeing records ***/

/* Free the dead records of a page; return true if the page has room. */
static bool
free_records(Vacuum *vacuum, BlockNumber block)
{
	Buffer		buffer = lsh_read(vacuum->index, block, BUFFER_LOCK_EXCLUSIVE,
								  LSH_STORE, vacuum->strategy);
	Page		page = BufferGetPage(buffer);
	LshLayout  *layout = &vacuum->layout;
	Size		size = (layout->per_page + 7) / 8;
	uint8	   *present = LshPageStore(page)->used;
	uint8		used[LSH_STORE_MAX / 8];
	bool		has_room;
	LshWal		wal;

	memcpy(used, present, size);
	for (int place = 0; place < layout->per_page; place++)
		if (is_dead(vacuum, lsh_number(layout, block, place)))
			used[place / 8] &= (uint8) ~(1 << place % 8);
	if (memcmp(used, present, size) != 0)
	{
		lsh_wal_begin(&wal, vacuum->index);
		lsh_wal_put(&wal, buffer, present, used, size);
		lsh_wal_finish(&wal);
	}
	has_room = lsh_store_free_place(page, layout) >= 0;
	UnlockReleaseBuffer(buffer);
	return has_room;
}

/*** NULLs ***/

/* Remove dead rows from a page of NULLs; return the next page. */
static BlockNumber
clean_nulls_page(Vacuum *vacuum, BlockNumber block, bool *has_room)
{
	Buffer		buffer = lsh_read(vacuum->index, block, BUFFER_LOCK_EXCLUSIVE,
								  LSH_NULLS, vacuum->strategy);
	Page		page = BufferGetPage(buffer);
	BlockNumber right = LshHead(page)->right;
	int			count = lsh_nulls_count(page);
	int			kept = 0;
	PGAlignedBlock clean;
	LshWal		wal;

	memcpy(clean.data, page, BLCKSZ);
	for (int i = 0; i < count; i++)
	{
		lsh_check_tid(vacuum->index, block, &LshTids(page)[i]);
		if (vacuum->callback == NULL ||
			!vacuum->callback(&LshTids(page)[i], vacuum->callback_state))
			LshTids(clean.data)[kept++] = LshTids(page)[i];
	}
	if (kept < count)
	{
		((PageHeader) clean.data)->pd_lower -=
			sizeof(ItemPointerData) * (count - kept);
		lsh_wal_begin(&wal, vacuum->index);
		lsh_wal_page(&wal, buffer, clean.data);
		lsh_wal_finish(&wal);
	}
	UnlockReleaseBuffer(buffer);
	vacuum->stats->num_index_tuples += kept;
	vacuum->stats->tuples_removed += count - kept;
	*has_room = lsh_list_has_room((Page) clean.data, sizeof(ItemPointerData));
	return right;
}

/*
 * Remove dead rows from the list of NULLs; let the next one be added to the
 * first page with room.
 */
static void
clean_nulls(Vacuum *vacuum)
{
	BlockNumber block = vacuum->first_nulls;
	BlockNumber first_room = InvalidBlockNumber;
	BlockNumber steps = 0;
	LshMeta		meta;
	Buffer		buffer;

	while (block != InvalidBlockNumber)
	{
		bool		has_room;
		BlockNumber right = clean_nulls_page(vacuum, block, &has_room);

		if (has_room && first_room == InvalidBlockNumber)
			first_room = block;
		block = right;
		lsh_check_loop(vacuum->index, block, &steps);
		compat_vacuum_delay_point();
	}
	if (first_room == InvalidBlockNumber)
		return;
	buffer = lsh_meta_lock(vacuum->index, BUFFER_LOCK_EXCLUSIVE, &meta);
	meta.free_nulls = first_room;
	lsh_meta_log(vacuum->index, buffer, &meta);
	UnlockReleaseBuffer(buffer);
}

/*** VACUUM ***/

/*
 * Remove the rows that the callback reports as dead, and count the others:
 * ambulkdelete.
 */
IndexBulkDeleteResult *
lsh_bulk_delete(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
				IndexBulkDeleteCallback callback, void *callback_state)
{
	Vacuum		vacuum = {
		.index = info->index,
		.strategy = info->strategy,
		.stats = stats ? stats : palloc0(sizeof(IndexBulkDeleteResult)),
		.callback = callback,
		.callback_state = callback_state
	};
	LshLayout  *layout = &vacuum.layout;
	Size		numbers;

	vacuum.first_nulls = lsh_meta_read(info->index, NULL, layout).first_nulls;
	vacuum.store = lsh_store_blocks(info->index);
	vacuum.blocks = RelationGetNumberOfBlocks(info->index);
	vacuum.stats->estimated_count = false;
	vacuum.stats->num_index_tuples = 0;
	if (lsh_layout_is_known(layout))
	{
		numbers = (Size) vacuum.blocks << layout->number_bits;
		if (callback != NULL)
			vacuum.dead = server_alloc_zeros((numbers + 7) / 8, 1);
		/* Even if no row is dead: a promoted standby has no free space map. */
		visit_store(&vacuum, mark_page);
	}
	if (vacuum.dead_count > 0)
	{
		vacuum.kept = server_alloc_zeros(vacuum.blocks, sizeof(uint16));
		clean_leaves(&vacuum);
		merge_leaves(&vacuum);
		pfree(vacuum.kept);
		visit_store(&vacuum, free_records);
		vacuum.stats->tuples_removed += vacuum.dead_count;
	}
	clean_nulls(&vacuum);
	if (vacuum.dead != NULL)
		pfree(vacuum.dead);
	if (vacuum.store.numbers != NULL)
		pfree(vacuum.store.numbers);
	return vacuum.stats;
}

/* Count the rows if ambulkdelete has not: amvacuumcleanup. */
IndexBulkDeleteResult *
lsh_vacuum_cleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats)
{
	if (info->analyze_only)
		return stats;
	if (stats == NULL)
		stats = lsh_bulk_delete(info, NULL, NULL, NULL);
	IndexFreeSpaceMapVacuum(info->index);
	stats->num_pages = RelationGetNumberOfBlocks(info->index);
	return stats;
}
