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
 * memory is first divided among up to 512 files, by the next bits of its keys.
 * So each entry is written at most twice, and the time is linear in the number
 * of rows.
 *
 * Limits: entries that agree in those bits are sorted in memory, however many
 * they are; so a band of more than 512 times what fits takes more.  An open
 * file takes a page of memory; at most BAND_MAX files for the bands and 512 for
 * the parts of one band are open at once.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "commands/progress.h"
#include "commands/tablespace.h"
#include "miscadmin.h"
#include "pgstat.h"

#include "lsh_keys.h"
#include "lsh_sort.h"
#include "lsh_store.h"
#include "support/server_memory.h"

#define PART_BITS 9				/* maximum number of bits to divide a band by */
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

/* Seek to the start of a file. */
void
lsh_file_rewind(BufFile *file)
{
	if (BufFileSeek(file, 0, 0, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not rewind a temporary file of an index build: %m")));
}

/* Read an exact number of bytes. */
void
lsh_file_read(BufFile *file, void *bytes, Size wanted)
{
	Size		got = BufFileRead(file, bytes, wanted);

	if (got != wanted)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read from a temporary file of an index build: read only %zu of %zu bytes",
						got, wanted)));
}

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

/* Divide a file by bits of its keys above shift, and delete it. */
static void
divide_file(EntryFile *file, int shift, EntryFile *parts, int count)
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
			file_entry(&parts[(entries[i].key >> shift) & (count - 1)],
					   entries[i].key, entries[i].number);
	}
	BufFileClose(file->file);
}

/*
 * Pass on the entries of a band that exceeds memory, and delete its file.  If
 * keys are evenly spread, a part takes at most an eighth of the memory, unless
 * that would need more than 512 parts.
 */
static void
write_large_file(const LshSorter *keys, EntryFile *file, LshEntryWriter write,
				 void *arg)
{
	int			bits = Min(highest_bit(file->count / keys->capacity) + 4,
						   PART_BITS);
	EntryFile	parts[1 << PART_BITS];

	divide_file(file, keys->shift - bits, parts, 1 << bits);
	for (int i = 0; i < 1 << bits; i++)
		write_file(&parts[i], write, arg);
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

/* Add the entries of the records of a store page. */
static void
add_page(LshSorter *keys, const LshLayout *layout, Page page, BlockNumber block)
{
	int			num_hashes = layout->kind.num_hashes;
	uint16		slots[SKETCH_MAX_HASHES];
	uint64		record_keys[BAND_MAX];

	for (int place = 0; place < layout->per_page; place++)
	{
		Planes		planes = lsh_record_planes(layout, page, place);

		if (!lsh_record_is_used(page, place))
			continue;
		planes_join(&planes, num_hashes, layout->kind.method, slots);
		lsh_keys_add(keys, record_keys,
					 band_keys(slots, num_hashes, record_keys),
					 lsh_number(layout, block, place));
	}
}

/* Add the entries of all records of the store. */
void
lsh_keys_add_store(LshSorter *keys, Relation index, const LshLayout *layout)
{
	LshWalk		walk;
	Buffer		buffer;

	lsh_walk_begin(&walk);
	while ((buffer = lsh_walk_read(index, &walk)) != InvalidBuffer)
	{
		add_page(keys, layout, BufferGetPage(buffer),
				 BufferGetBlockNumber(buffer));
		UnlockReleaseBuffer(buffer);
	}
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
