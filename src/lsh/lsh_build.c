/*-------------------------------------------------------------------------
 *
 * lsh_build.c
 *	  Build an lsh index.
 *
 * First the table is read and the store written.  Then the keys of the store
 * come in order (lsh_keys.c), and are written as leaves from left to right; at
 * last the inner pages.  The index is logged when it is complete.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/tableam.h"
#include "access/xloginsert.h"
#include "catalog/index.h"
#include "commands/progress.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/lmgr.h"
#include "utils/memutils.h"

#include "compat.h"
#include "lsh_am.h"
#include "lsh_file.h"
#include "lsh_keys.h"
#include "lsh_store.h"
#include "lsh_tree.h"

/* A page that is being filled. */
typedef struct OpenPage
{
	BlockNumber block;			/* where it will be, or none */
	PGAlignedBlock image;
} OpenPage;

/* What is built. */
typedef struct Build
{
	Relation	index;
	int			fillfactor;
	MemoryContext row_context;	/* for one row */
	LshLayout	layout;			/* no kind as long as it is not known */
	BufFile    *held;			/* dead rows that came before it was */
	uint64		held_count;
	bool		skipped;		/* are dead rows left out? */
	double		rows;
	Size		signatures;		/* that are not empty, and have keys */
	int			place;			/* of the next record */
	OpenPage	store;
	OpenPage	directory;
	OpenPage	nulls;
	BlockNumber first_nulls;
	/* the leaf that is being filled */
	int			leaf_max;
	int			leaf_count;
	uint64		leaf_lo;
	LshEntry   *leaf;
	/* pages of the level below the one being written */
	LshEntry   *children;
	Size		child_count;
	Size		child_max;
} Build;

/*** Pages ***/

/* Add a page to the file; return its block. */
static BlockNumber
append_page(Relation index)
{
	Buffer		buffer = lsh_new_buffer(index);
	BlockNumber block = BufferGetBlockNumber(buffer);

	/* It must be there before the next one is, but need not be right yet. */
	PageInit(BufferGetPage(buffer), BLCKSZ, 0);
	MarkBufferDirty(buffer);
	UnlockReleaseBuffer(buffer);
	return block;
}

/* Write a page that is complete. */
static void
write_page(Relation index, BlockNumber block, const char *image)
{
	Buffer		buffer = ReadBuffer(index, block);

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	memcpy(BufferGetPage(buffer), image, BLCKSZ);
	MarkBufferDirty(buffer);
	UnlockReleaseBuffer(buffer);
}

/* Write the page that is open, if one is, and link it with the next one. */
static void
close_page(Relation index, OpenPage *open, BlockNumber right)
{
	if (open->block == InvalidBlockNumber)
		return;
	LshHead(open->image.data)->right = right;
	write_page(index, open->block, open->image.data);
	open->block = InvalidBlockNumber;
}

/* Open the next page of a list. */
static void
open_next(Relation index, OpenPage *open, LshPageType type)
{
	BlockNumber block = append_page(index);

	close_page(index, open, block);
	open->block = block;
	lsh_page_init((Page) open->image.data, type);
}

/* Count an item at the end of a page that is a list. */
static void
grow_page(OpenPage *open, Size size)
{
	((PageHeader) open->image.data)->pd_lower += size;
}

/*** The store ***/

/* Open a page of the store, and name it in the directory. */
static void
open_store(Build *build)
{
	Page		directory = (Page) build->directory.image.data;
	int			count = lsh_directory_count(directory);

	if (count == LSH_DIRECTORY_MAX)
	{
		open_next(build->index, &build->directory, LSH_DIRECTORY);
		count = 0;
	}
	build->store.block = append_page(build->index);
	build->place = 0;
	lsh_check_block_limit(build->index, &build->layout, build->store.block);
	lsh_store_init((Page) build->store.image.data, &build->layout);
	LshBlocks(directory)[count] = build->store.block;
	grow_page(&build->directory, sizeof(BlockNumber));
}

/* Add a record to the store. */
static void
add_record(Build *build, const MinHash *sig, ItemPointer tid)
{
	LshRecord	record;

	if (build->store.block == InvalidBlockNumber)
		open_store(build);
	lsh_record_make(&record, sig, tid);
	lsh_store_write((Page) build->store.image.data, &build->layout,
					build->place++, &record);
	if (!slots_are_empty(sig->slots, sig->num_hashes))
		build->signatures++;
	if (build->place == build->layout.per_page)
		close_page(build->index, &build->store, InvalidBlockNumber);
}

/* Add a row that is NULL. */
static void
add_null(Build *build, ItemPointer tid)
{
	OpenPage   *open = &build->nulls;

	if (open->block == InvalidBlockNumber ||
		lsh_nulls_count((Page) open->image.data) == LSH_NULLS_MAX)
		open_next(build->index, open, LSH_NULLS);
	if (build->first_nulls == InvalidBlockNumber)
		build->first_nulls = open->block;
	LshTids(open->image.data)[lsh_nulls_count((Page) open->image.data)] = *tid;
	grow_page(open, sizeof(ItemPointerData));
}

/*** Rows ***/

/*
 * A row that is dead must not decide of which kind the index is.  But those who
 * can still see it may use the index when it has been built: REINDEX and VACUUM
 * FULL tell nobody to keep away.  So dead rows that come first are held back
 * until a row that is alive tells the kind; then those of the same are added.
 */

/* Hold back a row. */
static void
hold_back(Build *build, MinHash *sig, ItemPointer tid)
{
	Size		size = VARSIZE(sig);

	if (build->held == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(build));

		build->held = BufFileCreateTemp(false);
		MemoryContextSwitchTo(old);
	}
	BufFileWrite(build->held, tid, sizeof(ItemPointerData));
	BufFileWrite(build->held, &size, sizeof(size));
	BufFileWrite(build->held, sig, size);
	build->held_count++;
}

/* Read the next row that was held back. */
static MinHash *
read_held(Build *build, ItemPointer tid)
{
	Size		size;
	MinHash    *sig;

	lsh_file_read(build->held, tid, sizeof(ItemPointerData));
	lsh_file_read(build->held, &size, sizeof(size));
	sig = palloc(size);
	lsh_file_read(build->held, sig, size);
	return sig;
}

/* Add a row to the store; one of another kind is left out, or must not be. */
static void
add_signature(Build *build, const MinHash *sig, ItemPointer tid, bool must_fit)
{
	if (!must_fit && !lsh_same_kind(&build->layout, sig))
	{
		build->skipped = true;
		return;
	}
	lsh_check_kind(build->index, &build->layout, sig);
	add_record(build, sig, tid);
	build->rows++;
}

/* Choose the kind of the index; add the rows that were held back. */
static void
choose_kind(Build *build, const MinHash *sig, bool must_fit)
{
	MinHashKind kind = minhash_kind_of(sig);

	lsh_check_size(build->index, sig);
	lsh_layout_init(&build->layout, &kind);
	if (build->held == NULL)
		return;
	lsh_file_rewind(build->held);
	for (uint64 i = 0; i < build->held_count; i++)
	{
		ItemPointerData tid;
		MinHash    *held = read_held(build, &tid);

		CHECK_FOR_INTERRUPTS();
		add_signature(build, held, &tid, must_fit);
		pfree(held);
	}
}

/* Add a row of the table. */
static void
add_row(Relation index, ItemPointer tid, Datum *values, bool *isnull,
		bool alive, void *arg)
{
	Build	   *build = arg;
	MemoryContext old = MemoryContextSwitchTo(build->row_context);

	if (isnull[0])
	{
		add_null(build, tid);
		build->rows++;
	}
	else
	{
		MinHash    *sig = DatumGetWholeMinHash(values[0]);

		if (alive && build->layout.kind.num_hashes == 0)
			choose_kind(build, sig, false);
		if (build->layout.kind.num_hashes == 0)
			hold_back(build, sig, tid);
		else
			add_signature(build, sig, tid, alive);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(build->row_context);
}

/*
 * Decide about rows that are still held back, since none is alive.  A new index
 * is free for any kind: the server keeps those away who can see these rows.  An
 * index that is built again keeps what it had; if they are of several kinds
 * nobody knows what that was.
 */
static void
end_rows(Build *build)
{
	ItemPointerData tid;

	if (build->held == NULL)
		return;
	if (build->layout.kind.num_hashes == 0)
	{
		if (ReindexIsProcessingIndex(RelationGetRelid(build->index)))
		{
			lsh_file_rewind(build->held);
			choose_kind(build, read_held(build, &tid), true);
		}
		else
			build->skipped = true;
	}
	BufFileClose(build->held);
}

/*** Leaves ***/

/* Remember a tree page for the level above. */
static void
add_child(Build *build, uint64 lo, BlockNumber block)
{
	if (build->child_count == build->child_max)
	{
		build->child_max *= 2;
		build->children = repalloc_huge(build->children,
										sizeof(LshEntry) * build->child_max);
	}
	build->children[build->child_count].key = lo;
	build->children[build->child_count++].number = block;
}

/* Write the first collected entries as a leaf that ends at hi. */
static void
write_leaf(Build *build, int count, uint64 hi, bool is_last)
{
	BlockNumber block = append_page(build->index);
	PGAlignedBlock image;

	lsh_tree_init((Page) image.data, 0, build->leaf_lo, hi);
	/* Nothing but leaves is written meanwhile. */
	LshHead(image.data)->right = is_last ? InvalidBlockNumber : block + 1;
	lsh_leaf_fill((Page) image.data, build->leaf, count,
				  lsh_ideal_shift(build->leaf_lo, hi));
	write_page(build->index, block, image.data);
	add_child(build, build->leaf_lo, block);
	build->leaf_count -= count;
	memmove(build->leaf, build->leaf + count,
			sizeof(LshEntry) * build->leaf_count);
}

/*
 * Write a leaf that is full, before an entry with some key.
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

/* Return true if the leaf must end before an entry with a key. */
static bool
leaf_is_full(const Build *build, uint64 key)
{
	uint64		last;

	if (build->leaf_count == 0)
		return false;
	if (build->leaf_count == build->leaf_max)
		return true;
	/* A leaf of two bands has short fragments. */
	last = build->leaf[build->leaf_count - 1].key;
	return band_of_key(last) != band_of_key(key) &&
		build->leaf_count > build->leaf_max / 4;
}

/* Add sorted entries to the leaves. */
static void
add_entries(void *arg, const LshEntry *entries, Size count)
{
	Build	   *build = arg;

	for (Size i = 0; i < count; i++)
	{
		uint64		key = entries[i].key;

		if (leaf_is_full(build, key))
		{
			CHECK_FOR_INTERRUPTS();
			end_leaf(build, key);
		}
		build->leaf[build->leaf_count++] = entries[i];
	}
}

/* Write the leaves. */
static void
write_leaves(Build *build)
{
	lsh_write_keys(build->index, &build->layout, build->signatures,
				   add_entries, build);
	write_leaf(build, build->leaf_count, UINT64_MAX, true);
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
	LshEntry   *below = build->children;
	Size		count = build->child_count;

	build->child_count = 0;
	build->child_max = count;
	build->children = MemoryContextAllocHuge(CurrentMemoryContext,
											 sizeof(LshEntry) * count);
	for (Size i = 0; i < count;)
	{
		int			here = count_below(below + i, count - i, max);
		bool		is_last = i + here == count;
		uint64		hi = is_last ? UINT64_MAX : below[i + here].key - 1;
		BlockNumber block = append_page(build->index);
		PGAlignedBlock image;

		if (!is_last && below[i + here].key == below[i].key)
			hi = below[i].key;	/* all children begin with one key */
		lsh_tree_init((Page) image.data, level, below[i].key, hi);
		lsh_inner_fill((Page) image.data, below + i, here);
		write_page(build->index, block, image.data);
		add_child(build, below[i].key, block);
		i += here;
	}
	pfree(below);
}

/* Write the inner pages and the root. */
static void
write_inner(Build *build)
{
	int			max = LSH_INNER_MAX * build->fillfactor / 100;
	int			level = 1;
	PGAlignedBlock image;

	for (; build->child_count > (Size) max; level++)
		write_level(build, level, max);
	lsh_tree_init((Page) image.data, level, 0, UINT64_MAX);
	lsh_inner_fill((Page) image.data, build->children,
				   (int) build->child_count);
	write_page(build->index, LSH_ROOT_BLOCK, image.data);
}

/*** The whole ***/

/* Make the first pages, so that others come behind them. */
static void
begin_build(Build *build, Relation index)
{
	memset(build, 0, sizeof(Build));
	build->index = index;
	build->fillfactor = lsh_fillfactor(index);
	build->row_context = AllocSetContextCreate(CurrentMemoryContext,
											   "lsh build row",
											   ALLOCSET_DEFAULT_SIZES);
	build->store.block = InvalidBlockNumber;
	build->nulls.block = InvalidBlockNumber;
	build->first_nulls = InvalidBlockNumber;
	build->leaf_max = LSH_LEAF_MAX * build->fillfactor / 100;
	build->leaf = palloc(sizeof(LshEntry) * LSH_LEAF_MAX);
	build->child_max = 1024;
	build->children = palloc(sizeof(LshEntry) * build->child_max);
	append_page(index);			/* LSH_META_BLOCK */
	append_page(index);			/* LSH_ROOT_BLOCK */
	build->directory.block = append_page(index);
	Assert(build->directory.block == LSH_FIRST_DIRECTORY);
	lsh_page_init((Page) build->directory.image.data, LSH_DIRECTORY);
}

/* Write the tree and the metapage after all rows have been read. */
static void
end_build(Build *build)
{
	BlockNumber last_directory = build->directory.block;
	BlockNumber last_nulls = build->nulls.block;
	PGAlignedBlock image;

	if (build->store.block != InvalidBlockNumber)
		lsh_store_mark(build->index, build->store.block, true);
	close_page(build->index, &build->store, InvalidBlockNumber);
	close_page(build->index, &build->directory, InvalidBlockNumber);
	close_page(build->index, &build->nulls, InvalidBlockNumber);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, LSH_PHASE_TREE);
	write_leaves(build);
	write_inner(build);
	lsh_meta_init((Page) image.data, &build->layout, last_directory,
				  build->first_nulls, last_nulls);
	write_page(build->index, LSH_META_BLOCK, image.data);
}

/* Raise an error for an exclusion constraint. */
static void
refuse_exclusion(const IndexInfo *info)
{
	if (info->ii_ExclusionOps != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("access method \"lsh\" does not support exclusion constraints"),
				 errdetail("What is similar depends on settings that can change."),
				 errhint("Use a trigger that looks for similar rows.")));
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

	refuse_exclusion(info);
	if (RelationGetNumberOfBlocks(index) != 0)
		elog(ERROR, "index \"%s\" already contains data",
			 RelationGetRelationName(index));
	begin_build(build, index);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, LSH_PHASE_STORE);
	result->heap_tuples = table_index_build_scan(heap, index, info, true, true,
												 add_row, build, NULL);
	end_rows(build);
	end_build(build);
	/* Transactions that can see rows left out must not use the index. */
	if (build->skipped)
		info->ii_BrokenHotChain = true;
	pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, LSH_PHASE_LOG);
	if (RelationNeedsWAL(index))
		log_newpage_range(index, MAIN_FORKNUM, 0,
						  RelationGetNumberOfBlocks(index), true);
	result->index_tuples = build->rows;
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

/* Write the empty index that an unlogged one becomes after a crash. */
void
lsh_build_empty(Relation index)
{
	LshLayout	layout = {.kind.num_hashes = 0};
	LshEntry	child = {0, LSH_FIRST_DIRECTORY + 1};
	PGAlignedBlock image;

	lsh_meta_init((Page) image.data, &layout, LSH_FIRST_DIRECTORY,
				  InvalidBlockNumber, InvalidBlockNumber);
	write_empty_page(index, image.data);
	lsh_tree_init((Page) image.data, 1, 0, UINT64_MAX);
	lsh_inner_fill((Page) image.data, &child, 1);
	write_empty_page(index, image.data);
	lsh_page_init((Page) image.data, LSH_DIRECTORY);
	write_empty_page(index, image.data);
	lsh_tree_init((Page) image.data, 0, 0, UINT64_MAX);
	lsh_leaf_fill((Page) image.data, NULL, 0, lsh_ideal_shift(0, UINT64_MAX));
	write_empty_page(index, image.data);
}
