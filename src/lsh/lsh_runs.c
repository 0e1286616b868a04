/*-------------------------------------------------------------------------
 *
 * lsh_runs.c
 *	  Runs of entries of the tree whose keys begin alike.
 *
 * The leaves of a band are read from left to right.  They have fragments of
 * keys, each of which stands for some keys that lie side by side; where the
 * prefixes of those overlap with the prefixes of what came before, an entry
 * belongs to the run before it.  So all records that have a prefix in common
 * are in one run, and rarely others, which the visitor has to tell apart.
 *
 * A leaf that splits while we are there moves entries to a page that we do not
 * visit, but have seen; one that split before leads to it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "lsh_runs.h"
#include "lsh_store.h"

/* A walk along the leaves of a band. */
typedef struct Walk
{
	uint64		lo;				/* the keys of the band, both inclusive */
	uint64		hi;
	uint64		mask;			/* the bits that are its first rows */
	LshNumbers	run;
	uint64		last;			/* the last prefix that the run may have */
	LshRunVisitor visit;
	void	   *arg;
} Walk;

/* Show a run of more than one record, and begin another. */
static void
end_run(Walk *walk)
{
	if (walk->run.count > 1)
		walk->visit(&walk->run, walk->arg);
	walk->run.count = 0;
}

/* Add an entry that has one of some keys. */
static inline void
add_entry(Walk *walk, uint64 first, uint64 last, uint32 number)
{
	if (last < walk->lo || first > walk->hi)
		return;					/* of another band */
	if (walk->run.count > 0 && (first & walk->mask) > walk->last)
		end_run(walk);
	walk->last = last & walk->mask;
	lsh_add_number(&walk->run, number);
}

/* Order two entries of a leaf by fragment. */
static int
compare_entries(const void *a, const void *b)
{
	uint64		x = *(const uint64 *) a;
	uint64		y = *(const uint64 *) b;

	return x < y ? -1 : x > y;
}

/*
 * Read the entries of a leaf in order, as fragment << 32 | number: what was
 * added later is sorted, and merged from the end.
 */
static int
read_entries(Page page, uint64 *entries)
{
	uint64		later[LSH_LEAF_MAX];
	int			count = lsh_tree_count(page);
	int			i = LshPageTree(page)->sorted - 1;
	int			j = count - i - 2;

	for (int entry = 0; entry < count; entry++)
		entries[entry] = (uint64) LshFragments(page)[entry] << 32 |
			LshNumber(page, entry);
	if (j < 0)
		return count;
	memcpy(later, entries + i + 1, sizeof(uint64) * (j + 1));
	qsort(later, j + 1, sizeof(uint64), compare_entries);
	for (int place = count - 1; j >= 0; place--)
		entries[place] = i >= 0 && entries[i] > later[j] ? entries[i--] :
			later[j--];
	return count;
}

/* Add the entries of a leaf. */
static void
add_leaf(Walk *walk, Page page)
{
	LshTree    *tree = LshPageTree(page);
	uint64		entries[LSH_LEAF_MAX];
	int			count = read_entries(page, entries);

	for (int i = 0; i < count; i++)
	{
		uint64		first = lsh_fragment_key(tree, (uint32) (entries[i] >> 32));
		uint64		last = lsh_fragment_end(first, tree->shift);

		add_entry(walk, first, Min(last, tree->hi), (uint32) entries[i]);
	}
}

/* Copy a leaf, so that it is not locked while it is worked with. */
static void
copy_leaf(Relation index, Snapshot snapshot, BlockNumber block, Page copy)
{
	Buffer		buffer = lsh_read(index, block, BUFFER_LOCK_SHARE, LSH_TREE);

	lsh_test_snapshot(snapshot, index, BufferGetPage(buffer));
	memcpy(copy, BufferGetPage(buffer), BLCKSZ);
	UnlockReleaseBuffer(buffer);
	if (LshPageTree(copy)->level != 0)
		lsh_report_damage(index, block, "It is at the wrong level.");
}

/*
 * Show the runs of entries of a band whose keys have the same first rows to a
 * visitor, as they are for a snapshot.
 */
void
lsh_visit_runs(Relation index, Snapshot snapshot, int band, int rows,
			   LshRunVisitor visit, void *arg)
{
	Walk		walk = {0};
	BlockNumber block;
	BlockNumber steps = 0;
	PGAlignedBlock leaf;

	walk.visit = visit;
	walk.arg = arg;
	walk.lo = (uint64) band << BAND_NUMBER_SHIFT;
	walk.hi = walk.lo | ~band_mask(0);
	walk.mask = band_mask(rows);
	block = lsh_tree_descend(index, walk.lo, true);
	while (block != InvalidBlockNumber)
	{
		CHECK_FOR_INTERRUPTS();
		lsh_step(index, block, &steps);
		copy_leaf(index, snapshot, block, leaf.data);
		if (LshPageTree(leaf.data)->lo > walk.hi)
			break;
		add_leaf(&walk, leaf.data);
		block = LshHead(leaf.data)->right;
	}
	end_run(&walk);
	if (walk.run.numbers != NULL)
		pfree(walk.run.numbers);
}
