/*-------------------------------------------------------------------------
 *
 * lsh_keys.c
 *	  The entries of a tree that is being built, sorted.
 *
 * This is a distribution sort (Knuth, "The Art of Computer Programming",
 * volume 3, 5.4.7).  If maintenance_work_mem can hold all entries, they are
 * sorted in memory; an entry takes 32 bytes, because the sort needs as much
 * room again.  Otherwise each band gets a temporary file of 12 bytes per entry,
 * and one band after another is read and sorted.  Keys of passages have no
 * bands, so their first 6 bits take the place of the band.  A band that exceeds
 * memory is first divided among more files, by the next 12 bits of its keys.
 * So each entry is written at most twice, and the time is linear in the number
 * of rows.
 *
 * Limits: entries that agree in those 12 bits are sorted in memory, however
 * many they are.  An open file takes a page of memory; at most BAND_MAX files
 * for the bands and PARTS for the parts of one band are open at once.  A band
 * of more parts is read once for every PARTS of them.
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
#include "support/server_memory.h"

#define CELL_BITS 12			/* bits of a key by which a band is divided */
#define CELLS (1 << CELL_BITS)
#define PARTS 512				/* files that a band is divided among at once */
#define CHUNK 1024				/* entries read at once */
#define PASSAGE_BAND_BITS 6		/* first bits of a key of passages */

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

/* The entries collected so far: in memory, or in files if there are any. */
struct LshSorter
{
	MemoryContext context;
	int			bands;			/* files, if there are any */
	int			shift;			/* bits of a key below the number of its band */
	Size		capacity;		/* entries that fit in memory */
	LshEntry   *entries;
	Size		count;
	Size		max;
	EntryFile  *files;			/* by band, or NULL */
};

/*** Sorting ***/

/* Sort entries, pass them on, and free them. */
static void
write_sorted(LshEntry *entries, Size count, LshEntryWriter write, void *arg)
{
	LshEntry   *scratch = alloc_array(count, sizeof(LshEntry));

	write(arg, lsh_sort(entries, scratch, count), count);
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

/* Sort the entries of a file, pass them on, and delete the file. */
static void
write_file(EntryFile *file, LshEntryWriter write, void *arg)
{
	LshEntry   *entries = alloc_array(file->count, sizeof(LshEntry));
	Size		count = 0;

	lsh_file_rewind(file->file);
	while (count < file->count)
		count += read_entries(file, entries + count, file->count - count);
	BufFileClose(file->file);
	write_sorted(entries, count, write, arg);
}

/*** Bands that exceed memory ***/

/* Return the cell of a key within its band. */
static inline int
cell_of(const LshSorter *keys, uint64 key)
{
	return (int) (key >> (keys->shift - CELL_BITS)) & (CELLS - 1);
}

/* Count the entries of a file by cell. */
static void
count_cells(const LshSorter *keys, EntryFile *file, Size *cells)
{
	LshEntry	entries[CHUNK];
	Size		count;

	lsh_file_rewind(file->file);
	for (Size left = file->count; left > 0; left -= count)
	{
		count = read_entries(file, entries, left);
		for (Size i = 0; i < count; i++)
			cells[cell_of(keys, entries[i].key)]++;
	}
}

/*
 * Combine cells into parts that fit in memory, unless a single cell exceeds it;
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

/* Copy the entries of some parts of a file to a file for each part. */
static void
divide_file(const LshSorter *keys, EntryFile *file, const int *part_of_cell,
			EntryFile *parts, int first, int count)
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
			int			part = part_of_cell[cell_of(keys, entries[i].key)] - first;

			if (part >= 0 && part < count)
				file_entry(&parts[part], entries[i].key, entries[i].number);
		}
	}
}

/* Pass on the entries of a band that exceeds memory, and delete its file. */
static void
write_large_file(const LshSorter *keys, EntryFile *file, LshEntryWriter write,
				 void *arg)
{
	Size	   *cells = palloc0(sizeof(Size) * CELLS);
	int		   *part_of_cell = palloc(sizeof(int) * CELLS);
	EntryFile	parts[PARTS];
	int			count;

	count_cells(keys, file, cells);
	count = number_parts(cells, keys->capacity, part_of_cell);
	for (int first = 0; first < count; first += PARTS)
	{
		int			here = Min(PARTS, count - first);

		divide_file(keys, file, part_of_cell, parts, first, here);
		for (int i = 0; i < here; i++)
			write_file(&parts[i], write, arg);
	}
	BufFileClose(file->file);
	pfree(cells);
	pfree(part_of_cell);
}

/*** Collecting ***/

/* Append entries to the files of their bands. */
static void
file_entries(LshSorter *keys, const uint64 *record_keys, Size count,
			 uint32 number)
{
	for (Size i = 0; i < count; i++)
		file_entry(&keys->files[record_keys[i] >> keys->shift], record_keys[i],
				   number);
}

/* Open the files, and move the entries there that are in memory. */
static void
begin_files(LshSorter *keys)
{
	MemoryContext old = MemoryContextSwitchTo(keys->context);

	PrepareTempTablespaces();
	keys->files = palloc(sizeof(EntryFile) * keys->bands);
	for (int band = 0; band < keys->bands; band++)
		open_file(&keys->files[band]);
	for (Size i = 0; i < keys->count; i++)
		file_entries(keys, &keys->entries[i].key, 1, keys->entries[i].number);
	pfree(keys->entries);
	keys->entries = NULL;
	MemoryContextSwitchTo(old);
}

/* Begin to collect entries. */
LshSorter *
lsh_keys_begin(const LshLayout *layout, Size count)
{
	LshSorter  *keys = palloc0(sizeof(LshSorter));

	keys->context = CurrentMemoryContext;
	if (layout->content == LSH_PASSAGES)
	{
		keys->bands = 1 << PASSAGE_BAND_BITS;
		keys->shift = 64 - PASSAGE_BAND_BITS;
	}
	else
	{
		keys->bands = count == 0 ? 0 : band_count(layout->kind.num_hashes);
		keys->shift = BAND_NUMBER_SHIFT;
	}
	keys->capacity = (Size) maintenance_work_mem * 1024 / (2 * sizeof(LshEntry));
	keys->max = count > keys->capacity ? 0 : count;
	keys->entries = alloc_array(keys->max, sizeof(LshEntry));
	if (count > keys->capacity)
		begin_files(keys);
	return keys;
}

/* Make room in memory for more entries; return false if they do not fit. */
static bool
make_room(LshSorter *keys, Size count)
{
	if (keys->count + count <= keys->max)
		return true;
	if (keys->count + count > keys->capacity)
		return false;
	keys->max = Min(2 * (keys->count + count), keys->capacity);
	keys->entries = repalloc_huge(keys->entries, sizeof(LshEntry) * keys->max);
	return true;
}

/* Add entries for keys of a record. */
void
lsh_keys_add(LshSorter *keys, const uint64 *record_keys, Size count,
			 uint32 number)
{
	if (keys->files == NULL && !make_room(keys, count))
		begin_files(keys);
	if (keys->files != NULL)
	{
		file_entries(keys, record_keys, count, number);
		return;
	}
	for (Size i = 0; i < count; i++)
	{
		keys->entries[keys->count].key = record_keys[i];
		keys->entries[keys->count++].number = number;
	}
}

/* The state of a visit to the pages of the store. */
typedef struct KeyVisit
{
	const LshLayout *layout;
	LshSorter  *keys;
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
		lsh_keys_add(keys_to->keys, keys, band_keys(slots, num_hashes, keys),
					 lsh_number(layout, block, place));
	}
}

/* Add the entries of all records of the store. */
void
lsh_keys_add_store(LshSorter *keys, Relation index, const LshLayout *layout)
{
	KeyVisit	keys_to = {layout, keys};

	lsh_visit_store(index, visit_page, &keys_to);
}

/* Pass on the entries of all files. */
static void
write_files(LshSorter *keys, LshEntryWriter write, void *arg)
{
	for (int band = 0; band < keys->bands; band++)
	{
		if (keys->files[band].count <= keys->capacity)
			write_file(&keys->files[band], write, arg);
		else
			write_large_file(keys, &keys->files[band], write, arg);
		pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE, band + 1);
	}
}

/* Pass on all entries in the order of their keys. */
void
lsh_keys_write(LshSorter *keys, LshEntryWriter write, void *arg)
{
	pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_TOTAL, keys->bands);
	if (keys->files != NULL)
		write_files(keys, write, arg);
	else
		write_sorted(keys->entries, keys->count, write, arg);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE, keys->bands);
}
