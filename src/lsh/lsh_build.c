/*-------------------------------------------------------------------------
 *
 * lsh_build.c
 *	  CREATE INDEX and REINDEX of an lsh index.
 *
 * The build first reads the table, possibly with parallel workers, and writes
 * the store, the directory and the list of NULLs (lsh_rows.c).  Then it reads
 * the entries of the tree in sorted order (lsh_sort.c) and writes leaves from
 * left to right, and finally the inner pages.  It logs the whole index when it
 * is complete.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xloginsert.h"
#include "commands/progress.h"
#include "pgstat.h"
#include "storage/lmgr.h"
#include "utils/memutils.h"

#include "lsh_build.h"

/* State of a build. */
typedef struct Build
{
	Relation	index;
	int			fillfactor;
	LshRows		rows;
	ParallelContext *workers;	/* NULL without workers */
	LshSorter  *sorter;
	/* the leaf being filled */
	int			leaf_max;
	int			leaf_count;
	uint64		leaf_lo;
	LshEntry   *leaf;
	/* pages of the level below the one being written */
	LshEntries	children;
} Build;

/*** Leaves ***/

/* Write the first collected entries as a leaf that ends at hi. */
static void
write_leaf(Build *build, int count, uint64 hi, bool is_last)
{
	BlockNumber block = lsh_append_page(build->index);
	PGAlignedBlock image;

	lsh_tree_make((Page) image.data, 0, build->leaf_lo, hi, build->leaf, count,
				  lsh_ideal_shift(&build->rows.layout, build->leaf_lo, hi));
	/* Leaves are written to consecutive blocks. */
	LshHead(image.data)->right = is_last ? InvalidBlockNumber : block + 1;
	lsh_write_page(build->index, block, image.data);
	lsh_add_entry(&build->children, build->leaf_lo, block);
	build->leaf_count -= count;
	memmove(build->leaf, build->leaf + count,
			sizeof(LshEntry) * build->leaf_count);
}

/*
 * Write a full leaf before an entry with a key.
 *
 * The entries of a key are on one leaf.  If they fill more, all of these leaves
 * but the last hold no other key.
 */
static void
end_leaf(Build *build, uint64 key)
{
	uint64		last = build->leaf[build->leaf_count - 1].key;
	int			count = build->leaf_count;

	if (last == key)
		while (count > 0 && build->leaf[count - 1].key == key)
			count--;
	if (count > 0 || build->leaf_lo < key)
		write_leaf(build, count, key - 1, false);
	build->leaf_lo = key;
	if (build->leaf_count == build->leaf_max)
		write_leaf(build, build->leaf_count, key, false);
}

/* Add sorted entries to the leaves. */
static void
add_entries(void *arg, const LshEntry *entries, Size count)
{
	Build	   *build = arg;

	for (Size i = 0; i < count; i++)
	{
		if (build->leaf_count == build->leaf_max)
		{
			CHECK_FOR_INTERRUPTS();
			end_leaf(build, entries[i].key);
		}
		build->leaf[build->leaf_count++] = entries[i];
	}
}

/*** Inner pages ***/

/*
 * Return the number of children of the next inner page: max, or fewer so that
 * it does not end between two pages that begin with the same key.
 */
static int
count_below(const LshEntry *below, Size count, int max)
{
	int			here = (int) Min((Size) max, count);

	if ((Size) here == count)
		return here;
	while (here > 0 && below[here].key == below[here - 1].key)
		here--;
	return here > 0 ? here : max;
}

/* Write a level of inner pages above the last level. */
static void
write_level(Build *build, int level, int max)
{
	Size		count = build->children.count;

	/* The pages of this level, which are fewer, overwrite their children. */
	build->children.count = 0;
	for (Size i = 0; i < count;)
	{
		const LshEntry *below = build->children.entries + i;
		int			here = count_below(below, count - i, max);
		bool		is_last = i + here == count;
		uint64		lo = below->key;
		uint64		hi = is_last ? UINT64_MAX : below[here].key - 1;
		BlockNumber block = lsh_append_page(build->index);
		PGAlignedBlock image;

		if (!is_last && below[here].key == lo)
			hi = lo;			/* all children begin with one key */
		lsh_tree_make((Page) image.data, level, lo, hi, below, here, 0);
		lsh_write_page(build->index, block, image.data);
		lsh_add_entry(&build->children, lo, block);
		i += here;
	}
}

/*** Build ***/

/* The list of common k-grams of an index that has none. */
static const LshGramList no_grams = {.first = InvalidBlockNumber};

/* Initialize a build, and reserve the blocks of the first pages. */
static void
begin_build(Build *build, Relation index)
{
	memset(build, 0, sizeof(Build));
	build->index = index;
	build->fillfactor = lsh_fillfactor(index);
	build->leaf_max = LSH_LEAF_MAX * build->fillfactor / 100;
	build->leaf = palloc(sizeof(LshEntry) * LSH_LEAF_MAX);
	lsh_append_page(index);		/* LSH_META_BLOCK */
	lsh_append_page(index);		/* LSH_ROOT_BLOCK */
	lsh_append_page(index);		/* LSH_FIRST_DIRECTORY */
}

/* Write the tree and the metapage after all rows have been read. */
static void
end_build(Build *build)
{
	LshRows    *rows = &build->rows;
	int			max = LSH_INNER_MAX * build->fillfactor / 100;
	int			level = 1;
	PGAlignedBlock image;

	Assert(rows->directory.first == LSH_FIRST_DIRECTORY);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, LSH_PHASE_TREE);
	lsh_sorter_write(build->sorter, add_entries, build);
	write_leaf(build, build->leaf_count, UINT64_MAX, true);
	if (build->workers != NULL)
	{
		DestroyParallelContext(build->workers);
		ExitParallelMode();
	}
	for (; build->children.count > (Size) max; level++)
		write_level(build, level, max);
	lsh_tree_make((Page) image.data, level, 0, UINT64_MAX,
				  build->children.entries, (int) build->children.count, 0);
	lsh_write_page(build->index, LSH_ROOT_BLOCK, image.data);
	lsh_meta_init((Page) image.data, &rows->layout, rows->directory.last,
				  rows->nulls.first, rows->nulls.last);
	lsh_write_page(build->index, LSH_META_BLOCK, image.data);
}

/* Raise an error for an exclusion constraint. */
static void
refuse_exclusion(const IndexInfo *info)
{
	if (info->ii_ExclusionOps != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("access method \"lsh\" does not support exclusion constraints"),
				 errdetail("Similarity is not an operator of equality."),
				 errhint("Use a trigger that searches for similar rows.")));
}

/* Build an index: the server's ambuild. */
IndexBuildResult *
lsh_build(Relation heap, Relation index, IndexInfo *info)
{
	IndexBuildResult *result = palloc0(sizeof(IndexBuildResult));
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "lsh build",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Build	   *build = palloc(sizeof(Build));
	LshGramList common = no_grams;
	LshLayout	layout;

	refuse_exclusion(info);
	if (RelationGetNumberOfBlocks(index) != 0)
		elog(ERROR, "index \"%s\" already contains data",
			 RelationGetRelationName(index));
	begin_build(build, index);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, LSH_PHASE_STORE);
	/* The keys of a text depend on the list, so sample the table first. */
	if (lsh_holds_passages(index->rd_opcintype[0]))
		common = lsh_grams_write(heap, index, info);
	lsh_layout_init(index, &common, &layout);
	build->sorter = lsh_read_table(heap, index, info, &layout, &build->rows,
								   &build->workers);
	end_build(build);
	/* Keep transactions that can see omitted rows away from the index. */
	info->ii_BrokenHotChain |= build->rows.broken_hot_chain;
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, LSH_PHASE_LOG);
	if (RelationNeedsWAL(index))
		log_newpage_range(index, MAIN_FORKNUM, 0,
						  RelationGetNumberOfBlocks(index), true);
	result->heap_tuples = build->rows.table_rows;
	result->index_tuples = build->rows.index_rows;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return result;
}

/* Append a page to the initialization fork of an index, and log it. */
static void
write_empty_page(Relation index, const char *image)
{
	Buffer		buffer;

	LockRelationForExtension(index, ExclusiveLock);
	buffer = ReadBufferExtended(index, INIT_FORKNUM, P_NEW, RBM_NORMAL, NULL);
	UnlockRelationForExtension(index, ExclusiveLock);
	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	START_CRIT_SECTION();
	memcpy(BufferGetPage(buffer), image, BLCKSZ);
	MarkBufferDirty(buffer);
	log_newpage_buffer(buffer, true);
	END_CRIT_SECTION();
	UnlockReleaseBuffer(buffer);
}

/* Write the initialization fork of an unlogged index: ambuildempty. */
void
lsh_build_empty(Relation index)
{
	LshLayout	layout;
	LshEntry	child = {.number = LSH_FIRST_DIRECTORY + 1};
	PGAlignedBlock image;

	lsh_layout_init(index, &no_grams, &layout);
	lsh_meta_init((Page) image.data, &layout, LSH_FIRST_DIRECTORY,
				  InvalidBlockNumber, InvalidBlockNumber);
	write_empty_page(index, image.data);
	lsh_tree_make((Page) image.data, 1, 0, UINT64_MAX, &child, 1, 0);
	write_empty_page(index, image.data);
	lsh_page_init((Page) image.data, LSH_DIRECTORY);
	write_empty_page(index, image.data);
	lsh_tree_make((Page) image.data, 0, 0, UINT64_MAX, NULL, 0,
				  lsh_ideal_shift(&layout, 0, UINT64_MAX));
	write_empty_page(index, image.data);
}
