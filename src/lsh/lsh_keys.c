/*-------------------------------------------------------------------------
 *
 * lsh_keys.c
 *	  The keys under which the tree stores a value; for those of texts, the list
 *	  of k-grams that are common in the table.
 *
 * CREATE INDEX samples the first rows of blocks that are spread evenly over the
 * table, and reads a stretch of each text.  It lists the k-grams that occur in
 * enough of these rows, see least_rows(); if there are more than
 * COMMON_GRAMS_MAX, it asks for more rows.  With any list, searches find all
 * rows; a good one only makes them faster.
 *
 * A window whose k-grams are all listed can select one that is a thousand times
 * as common as the others.  This happens often if windows are narrow: those of
 * word:5 have two k-grams.  So the narrower they are, the shorter is the list.
 *
 * The list is stored on pages of its own, in ascending order.  A session caches
 * the last lists that it has read, with their filters, because reading a long
 * list would take a search more time than looking up its keys.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/tableam.h"
#include "utils/memutils.h"

#include "core/base/hash.h"
#include "core/passages/winnow.h"
#include "lsh.h"
#include "passages/passage_keys.h"
#include "support/server_memory.h"
#include "support/utf8.h"

#define SAMPLE_ROWS 2000
#define LEAST_ROWS 4			/* rows that have a k-gram if it is listed */
#define NARROW_ROWS 20			/* the same for a window of one k-gram */
#define STRETCH 4096			/* maximum of bytes read from a text */
#define SAMPLE_ROOM (1 << 20)	/* k-grams in memory; 32 bytes each */
#define BATCH 1024				/* k-grams read at once */
#define KEPT_LISTS 8			/* lists in a session's cache */

/*** Sampling ***/

/* A sample: its k-grams, each with the row it is from. */
typedef struct Sample
{
	uint32		run;
	MemoryContext row_context;	/* reset after each row */
	LshEntry   *entries;
	Size		count;
	bool		full;			/* no room for another row */
	uint32		rows;
	int			block_rows;		/* rows to take from the current block */
} Sample;

/*
 * Keep the k-grams of at least the given number of rows, with one entry for each
 * row; return how many there are.  The entries are sorted.
 */
static Size
keep_common(Sample *sample, Size least)
{
	LshEntry   *entries = sample->entries;
	Size		grams = 0;
	Size		kept = 0;
	Size		start = 0;

	for (Size i = 0; i < sample->count;)
	{
		uint64		gram = entries[i].key;

		for (; i < sample->count && entries[i].key == gram; i++)
			if (kept == start || entries[kept - 1].number != entries[i].number)
				entries[kept++] = entries[i];
		if (kept - start < least)
			kept = start;
		else
			grams++;
		start = kept;
	}
	sample->count = kept;
	return grams;
}

/*
 * Make room for the k-grams of a text of some bytes, by dropping k-grams that
 * only one row has.  A text may have more of them than bytes (see add_grams).
 */
static void
drop_rare(Sample *sample, Size bytes)
{
	if (sample->count + bytes + BATCH <= SAMPLE_ROOM)
		return;
	lsh_sort_entries(sample->entries, sample->count, false);
	keep_common(sample, 2);
	/* The next row would need another sort if little has been dropped. */
	sample->full = sample->count > SAMPLE_ROOM / 2;
}

/* Choose a stretch of a text that begins and ends between characters. */
static const char *
choose_stretch(const char *utf8, Size *len, uint32 row)
{
	Size		first = 0;
	Size		end = *len;

	if (*len > STRETCH)
	{
		/* Multiples of the golden ratio are spread evenly (Knuth, 6.4). */
		double		fraction = fmod(row * 0.6180339887498949, 1);

		first = (Size) ((double) (*len - STRETCH) * fraction);
		end = first + STRETCH;
	}
	while (first < end && (utf8[first] & 0xC0) == 0x80)
		first++;
	while (end > first && end < *len && (utf8[end] & 0xC0) == 0x80)
		end--;
	*len = end - first;
	return utf8 + first;
}

/*
 * Add the k-grams of a text while there is room.  Normalization can turn 3
 * bytes into 18 characters.
 */
static void
add_grams(Sample *sample, const char *utf8, Size len)
{
	uint64		hashes[BATCH];
	ShingleReader reader;

	shingle_begin(&reader, winnow_grams(sample->run), 0, utf8, len);
	while (!reader.done && sample->count + BATCH <= SAMPLE_ROOM)
	{
		int			count = shingle_next(&reader, hashes, BATCH);

		for (int i = 0; i < count; i++)
			sample->entries[sample->count++] = (LshEntry) {
				.key = winnow_gram(hashes[i]), .number = sample->rows
			};
	}
}

/* Add a row of the table; called by table_index_build_range_scan(). */
static void
sample_row(Relation index, ItemPointer tid, Datum *values, bool *isnull,
		bool alive, void *arg)
{
	Sample	   *sample = arg;
	MemoryContext old;
	text	   *document;
	const char *utf8;
	Size		len;

	/* The TOAST data of a dead row may be gone. */
	if (!alive || isnull[0] || sample->block_rows == 0 || sample->full)
		return;
	sample->block_rows--;
	old = MemoryContextSwitchTo(sample->row_context);
	document = DatumGetTextPP(values[0]);
	utf8 = utf8_from_bytes(VARDATA_ANY(document), VARSIZE_ANY_EXHDR(document),
						   &len);
	utf8 = choose_stretch(utf8, &len, sample->rows);
	drop_rare(sample, len);
	add_grams(sample, utf8, len);
	sample->rows++;
	MemoryContextSwitchTo(old);
	MemoryContextReset(sample->row_context);
}

/* Add rows of a table, from blocks that are spread evenly. */
static void
sample_table(Sample *sample, Relation heap, Relation index, IndexInfo *info)
{
	BlockNumber blocks = RelationGetNumberOfBlocks(heap);
	BlockNumber count = Min(blocks, SAMPLE_ROWS);

	for (BlockNumber i = 0; i < count && !sample->full; i++)
	{
		BlockNumber block = (BlockNumber) ((uint64) blocks * i / count);

		CHECK_FOR_INTERRUPTS();
		sample->block_rows = (int) ((SAMPLE_ROWS + count - 1) / count);
		table_index_build_range_scan(heap, index, info, false, false, false,
									 block, 1, sample_row, sample, NULL);
	}
}

/* Return the number of rows that have a k-gram if it is listed for a run. */
static Size
least_rows(uint32 run)
{
	int			window = shingling_size(run) -
		shingling_size(winnow_grams(run)) + 1;

	return Max(LEAST_ROWS, NARROW_ROWS / window);
}

/*
 * List the k-grams that enough rows have, or a greater number of rows if these
 * would be more than COMMON_GRAMS_MAX.  Return their number.
 */
static Size
list_grams(Sample *sample, uint64 *grams)
{
	const LshEntry *entries = sample->entries;
	Size		least = least_rows(sample->run);
	Size		count = 0;

	lsh_sort_entries(sample->entries, sample->count, false);
	while (keep_common(sample, least) > COMMON_GRAMS_MAX)
		least++;
	for (Size i = 0; i < sample->count; i++)
		if (i == 0 || entries[i].key != entries[i - 1].key)
			grams[count++] = entries[i].key;
	return count;
}

/*** The pages of the list ***/

/* Append sorted k-grams to an index that is being built. */
static LshGramList
append_list(Relation index, const uint64 *grams, Size count)
{
	LshOpenList list = {.first = InvalidBlockNumber};

	for (Size i = 0; i < count; i++)
		lsh_list_write(index, &list, LSH_COMMON, &grams[i], sizeof(uint64));
	if (list.first != InvalidBlockNumber)
		lsh_list_close_page(index, &list, InvalidBlockNumber);
	return (LshGramList) {
		list.first, (uint32) count, shingle_hash(grams, sizeof(uint64) * count, 0)
	};
}

/* Sample a table, and append the list of its common k-grams to an index. */
LshGramList
lsh_grams_write(Relation heap, Relation index, IndexInfo *info)
{
	Sample		sample = {.run = lsh_index_run(index)};
	uint64	   *grams = palloc(sizeof(uint64) * COMMON_GRAMS_MAX);
	Size		count;

	sample.row_context = AllocSetContextCreate(CurrentMemoryContext,
											   "lsh sample row",
											   ALLOCSET_DEFAULT_SIZES);
	sample.entries = palloc(sizeof(LshEntry) * SAMPLE_ROOM);
	sample_table(&sample, heap, index, info);
	count = list_grams(&sample, grams);
	pfree(sample.entries);
	MemoryContextDelete(sample.row_context);
	return append_list(index, grams, count);
}

/* Read the list from the pages of the index. */
uint64 *
lsh_grams_read(Relation index, const LshGramList *common)
{
	uint64	   *grams = palloc(sizeof(uint64) * Max(common->count, 1));
	BlockNumber block = common->first;
	Size		count = 0;

	while (block != InvalidBlockNumber)
	{
		Buffer		buffer = lsh_read(index, block, BUFFER_LOCK_SHARE,
									  LSH_COMMON, NULL);
		Page		page = BufferGetPage(buffer);
		Size		here = (Size) lsh_grams_count(page);

		if (here == 0 || here > common->count - count)
			lsh_report_damage(index, block, "It has the wrong number of k-grams.");
		memcpy(grams + count, LshGrams(page), sizeof(uint64) * here);
		count += here;
		block = LshHead(page)->right;
		UnlockReleaseBuffer(buffer);
	}
	if (count != common->count ||
		shingle_hash(grams, sizeof(uint64) * count, 0) != common->hash)
		lsh_report_damage(index, LSH_META_BLOCK,
						  "The list of common k-grams does not match its number and hash.");
	return grams;
}

/*** Lists in memory ***/

/* A cached list. */
typedef struct KeptList
{
	Oid			index;
	uint64		hash;
	MemoryContext context;		/* NULL if never used */
	CommonGrams *list;			/* NULL if reading it has failed */
} KeptList;

/* Read a list into the cache. */
static void
keep_list(KeptList *kept, Relation index, const LshGramList *common)
{
	MemoryContext old;
	CommonGrams *list;
	uint64	   *grams;

	kept->list = NULL;
	if (kept->context != NULL)
		MemoryContextReset(kept->context);
	else
		kept->context = AllocSetContextCreate(TopMemoryContext,
											  "lsh common k-grams",
											  ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(kept->context);
	kept->index = RelationGetRelid(index);
	kept->hash = common->hash;
	list = palloc(sizeof(CommonGrams));
	grams = lsh_grams_read(index, common);
	common_grams_init(list, grams, common->count, server_secret());
	pfree(grams);
	kept->list = list;
	MemoryContextSwitchTo(old);
}

/*
 * Return the list of an index, or NULL if it is empty.  It is valid until the
 * next call.
 */
static const CommonGrams *
cached_list(Relation index, const LshLayout *layout)
{
	static KeptList lists[KEPT_LISTS];
	static int	next = 0;
	KeptList   *kept;

	if (layout->common.count == 0)
		return NULL;
	for (int i = 0; i < KEPT_LISTS; i++)
		if (lists[i].list != NULL && lists[i].hash == layout->common.hash &&
			lists[i].index == RelationGetRelid(index))
			return lists[i].list;
	kept = &lists[next];
	next = (next + 1) % KEPT_LISTS;
	keep_list(kept, index, &layout->common);
	return kept->list;
}

/*** Keys ***/

/* Return the keys under which the tree stores a value. */
uint64 *
lsh_keys(Relation index, const LshLayout *layout, const MinHash *sig,
		 Datum value, Size *count)
{
	PassageKeys passage;
	uint64	   *keys;

	if (sig != NULL)
	{
		/* The number of a band is the top of its key, so keys ascend. */
		keys = palloc(sizeof(uint64) * BAND_MAX);
		*count = band_keys(sig->slots, sig->num_hashes, keys);
		return keys;
	}
	passage = passage_keys_read(DatumGetTextPP(value), layout->kind.shingling,
								cached_list(index, layout));
	keys = server_alloc_array(passage.count, sizeof(uint64));
	for (Size i = 0; i < passage.count; i++)
		keys[i] = lsh_passage_key(passage.keys[i]);
	pfree(passage.keys);
	*count = passage.count;
	return keys;
}
