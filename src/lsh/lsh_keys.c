/*-------------------------------------------------------------------------
 *
 * lsh_keys.c
 *	  Make the keys of all records of a store, and hand them on in order.
 *
 * This is a distribution sort (Knuth, "The Art of Computer Programming",
 * volume 3, 5.4.7).  The store is read once.  If maintenance_work_mem holds
 * all keys they are sorted there: an entry takes 32 bytes while it is sorted,
 * since the sort needs as much room again.  If not, every band has a temporary
 * file of its own, at 12 bytes an entry; then one band after another is read
 * and sorted.  A band that is too large is first divided among more files, by
 * the first 12 bits of its keys.  So each key is written at most twice, however
 * many there are, and the time grows with the rows.
 *
 * Limits: keys that agree in those 12 bits are sorted at once, however many
 * they are.  An open file takes a page of memory, of which there are at most 64
 * for the bands and PARTS for what a band is divided into; a band of more parts
 * is read once for every PARTS of them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "commands/progress.h"
#include "commands/tablespace.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/buffile.h"

#include "lsh_file.h"
#include "lsh_keys.h"
#include "lsh_sort.h"
#include "lsh_store.h"

#define CELL_BITS 12			/* bits of a key by which a band is divided */
#define CELLS (1 << CELL_BITS)
#define PARTS 512				/* files that one is divided among at once */
#define CHUNK 1024				/* entries that are read at once */

/* An entry in a file, 12 bytes: its number and both halves of its key. */
typedef struct FiledEntry
{
	uint32		number;
	uint32		high;
	uint32		low;
} FiledEntry;

/* A file and the number of its entries. */
typedef struct EntryFile
{
	BufFile    *file;
	Size		count;
} EntryFile;

/* The making of all keys. */
typedef struct Making
{
	Relation	index;
	const LshLayout *layout;
	int			bands;
	Size		capacity;		/* entries that memory holds */
	LshEntryWriter write;
	void	   *arg;
} Making;

/*** Sorting ***/

/* Allocate memory for entries. */
static LshEntry *
alloc_entries(Size count)
{
	return MemoryContextAllocHuge(CurrentMemoryContext,
								  sizeof(LshEntry) * Max(count, 1));
}

/* Sort entries, hand them on, and free them. */
static void
write_sorted(Making *making, LshEntry *entries, Size count)
{
	LshEntry   *scratch = alloc_entries(count);

	making->write(making->arg, lsh_sort(entries, scratch, count), count);
	pfree(scratch);
	pfree(entries);
}

/*** Files ***/

/* Open a file for entries. */
static void
open_file(EntryFile *file)
{
	file->file = BufFileCreateTemp(false);
	file->count = 0;
}

/* Append an entry to a file. */
static inline void
file_entry(EntryFile *file, uint64 key, uint32 number)
{
	FiledEntry	filed = {number, (uint32) (key >> 32), (uint32) key};

	BufFileWrite(file->file, &filed, sizeof(filed));
	file->count++;
}

/* Read the next entries of a file that has some left, at most a chunk. */
static Size
read_entries(EntryFile *file, LshEntry *entries, Size left)
{
	FiledEntry	filed[CHUNK];
	Size		count = Min(left, CHUNK);

	lsh_file_read(file->file, filed, sizeof(FiledEntry) * count);
	for (Size i = 0; i < count; i++)
	{
		entries[i].key = (uint64) filed[i].high << 32 | filed[i].low;
		entries[i].number = filed[i].number;
	}
	CHECK_FOR_INTERRUPTS();
	return count;
}

/* Sort the entries of a file, hand them on, and delete the file. */
static void
write_file(Making *making, EntryFile *file)
{
	LshEntry   *entries = alloc_entries(file->count);
	Size		count = 0;

	lsh_file_rewind(file->file);
	while (count < file->count)
		count += read_entries(file, entries + count, file->count - count);
	BufFileClose(file->file);
	write_sorted(making, entries, count);
}

/*** A band that is too large ***/

/* Return the cell of a key within its band. */
static inline int
cell_of(uint64 key)
{
	return (int) (key >> (BAND_NUMBER_SHIFT - CELL_BITS)) & (CELLS - 1);
}

/* Count the entries of a file by their cells. */
static void
count_cells(EntryFile *file, Size *cells)
{
	LshEntry	entries[CHUNK];
	Size		count;

	lsh_file_rewind(file->file);
	for (Size left = file->count; left > 0; left -= count)
	{
		count = read_entries(file, entries, left);
		for (Size i = 0; i < count; i++)
			cells[cell_of(entries[i].key)]++;
	}
}

/*
 * Combine cells to parts that fit in memory, unless a single cell exceeds it;
 * return the number of parts.
 */
static int
number_parts(const Size *cells, Size capacity, int *part_of_cell)
{
	int			part = 0;
	Size		count = 0;

	for (int cell = 0; cell < CELLS; cell++)
	{
		if (count > 0 && count + cells[cell] > capacity)
		{
			part++;
			count = 0;
		}
		part_of_cell[cell] = part;
		count += cells[cell];
	}
	return part + 1;
}

/* Divide the entries of some parts among files. */
static void
divide_file(EntryFile *file, const int *part_of_cell, EntryFile *parts,
			int first, int count)
{
	LshEntry	entries[CHUNK];
	Size		here;

	for (int i = 0; i < count; i++)
		open_file(&parts[i]);
	lsh_file_rewind(file->file);
	for (Size left = file->count; left > 0; left -= here)
	{
		here = read_entries(file, entries, left);
		for (Size i = 0; i < here; i++)
		{
			int			part = part_of_cell[cell_of(entries[i].key)] - first;

			if (part >= 0 && part < count)
				file_entry(&parts[part], entries[i].key, entries[i].number);
		}
	}
}

/* Hand on the entries of a band that is too large, and delete its file. */
static void
write_large_file(Making *making, EntryFile *file)
{
	Size	   *cells = palloc0(sizeof(Size) * CELLS);
	int		   *part_of_cell = palloc(sizeof(int) * CELLS);
	EntryFile	parts[PARTS];
	int			count;

	count_cells(file, cells);
	count = number_parts(cells, making->capacity, part_of_cell);
	for (int first = 0; first < count; first += PARTS)
	{
		int			here = Min(PARTS, count - first);

		divide_file(file, part_of_cell, parts, first, here);
		for (int i = 0; i < here; i++)
			write_file(making, &parts[i]);
	}
	BufFileClose(file->file);
	pfree(cells);
	pfree(part_of_cell);
}

/*** All keys ***/

/* What is done with the keys of a record, one for each band or none. */
typedef void (*KeyVisitor) (const uint64 *keys, int count, uint32 number,
							void *arg);

/* Who is shown the keys of records of some layout. */
typedef struct KeyVisit
{
	const LshLayout *layout;
	KeyVisitor	visit;
	void	   *arg;
} KeyVisit;

/* Add the entries of the records of a store page. */
static void
visit_page(Page page, BlockNumber block, void *arg)
{
	KeyVisit   *keys_to = arg;
	const LshLayout *layout = keys_to->layout;
	int			num_hashes = layout->kind.num_hashes;
	uint16		slots[SKETCH_MAX_HASHES];
	uint64		keys[BAND_MAX];

	for (int place = 0; place < layout->per_page; place++)
	{
		Planes		planes = lsh_record_planes(layout, page, place);

		if (!lsh_record_is_used(page, place))
			continue;
		planes_join(&planes, num_hashes, layout->kind.method, slots);
		keys_to->visit(keys, band_keys(slots, num_hashes, keys),
					   lsh_number(layout, block, place), keys_to->arg);
	}
}

/* Show the keys of all records to a visitor. */
static void
visit_keys(const Making *making, KeyVisitor visit, void *arg)
{
	KeyVisit	keys_to = {making->layout, visit, arg};

	lsh_visit_store(making->index, visit_page, &keys_to);
}

/* Entries that are collected to be sorted. */
typedef struct Collection
{
	LshEntry   *entries;
	Size		count;
	Size		max;
} Collection;

/* Collect the keys of a record. */
static void
collect_keys(const uint64 *keys, int count, uint32 number, void *arg)
{
	Collection *collection = arg;

	if (collection->count + count > collection->max)
		elog(ERROR, "more keys than were counted");
	for (int i = 0; i < count; i++)
	{
		collection->entries[collection->count].key = keys[i];
		collection->entries[collection->count++].number = number;
	}
}

/* Add the keys of a record to the files of their bands. */
static void
file_keys(const uint64 *keys, int count, uint32 number, void *arg)
{
	EntryFile  *files = arg;

	for (int band = 0; band < count; band++)
		file_entry(&files[band], keys[band], number);
}

/* Hand on all keys by way of files. */
static void
write_by_files(Making *making)
{
	EntryFile	files[BAND_MAX];

	PrepareTempTablespaces();
	for (int band = 0; band < making->bands; band++)
		open_file(&files[band]);
	visit_keys(making, file_keys, files);
	for (int band = 0; band < making->bands; band++)
	{
		if (files[band].count <= making->capacity)
			write_file(making, &files[band]);
		else
			write_large_file(making, &files[band]);
		pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE, band + 1);
	}
}

/*
 * Make the keys of all records, of which so many are signatures that are not
 * empty, and hand them on in order.
 */
void
lsh_write_keys(Relation index, const LshLayout *layout, Size signatures,
			   LshEntryWriter write, void *arg)
{
	Making		making = {.index = index,.layout = layout,
		.bands = signatures == 0 ? 0 : band_count(layout->kind.num_hashes),
		.capacity = (Size) maintenance_work_mem * 1024 / (2 * sizeof(LshEntry)),
	.write = write,.arg = arg};
	Size		entries = signatures * making.bands;
	Collection	collection = {.max = entries};

	pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_TOTAL, making.bands);
	if (entries > making.capacity)
	{
		write_by_files(&making);
		return;
	}
	collection.entries = alloc_entries(entries);
	visit_keys(&making, collect_keys, &collection);
	write_sorted(&making, collection.entries, collection.count);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE, making.bands);
}
