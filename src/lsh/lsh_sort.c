/*-------------------------------------------------------------------------
 *
 * lsh_sort.c
 *	  Sorting the entries of a new tree.
 *
 * CREATE INDEX sorts the entries of the tree by a radix sort whose first step
 * the processes share.  Entries are collected in memory.  If there are more
 * than fit, they are sorted by the first bits of their keys and written to a
 * file, a run; an entry takes 32 bytes of memory, because the sort needs as
 * much room again, and 12 bytes of a file.  Then all runs are read side by
 * side: part after part, each being all entries whose keys begin with the same
 * bits, so few that they are sorted in the processor's cache.  Each entry is
 * written at most once, and the time is linear in the number of rows.
 *
 * Limits: entries whose keys begin with the same HIGH_BITS bits are sorted
 * in memory, however many they are.  An open run takes 20 kB of memory; with
 * p processes there are 32 * entries * p / maintenance_work_mem runs.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "commands/progress.h"
#include "pgstat.h"
#include "storage/buffile.h"

#include "lsh_build.h"
#include "support/server_memory.h"

#define HIGH_BITS 22			/* of a key; two digits of the sort */
#define CHUNK 1024				/* entries read or written at once */
#define PART_ENTRIES 16384		/* entries of a part, if keys are spread
								 * evenly */

#define RADIX_SORT sort_by_high_bits
#define RADIX_ITEM LshEntry
#define RADIX_KEY(item) ((item).key >> (64 - HIGH_BITS))
#define RADIX_KEY_BITS HIGH_BITS
#include "core/base/radix_sort.h"

/*** Entries in memory ***/

/* An entry in a file, 12 bytes: its number and both halves of its key. */
typedef struct FiledEntry
{
	uint32		number;
	uint32		high;
	uint32		low;
} FiledEntry;

/* A run that is being read. */
typedef struct OpenRun
{
	BufFile    *file;
	Size		left;			/* entries after the chunk */
	int			next;			/* entry of the chunk */
	int			count;
	FiledEntry	chunk[CHUNK];
} OpenRun;

struct LshSorter
{
	MemoryContext context;
	LshSharedRuns *shared;		/* or NULL */
	LshEntries	memory;
	Size		limit;			/* of their number */
	List	   *files;			/* own runs, unless they are shared */
	int			run_count;
	OpenRun   **runs;			/* when all are being read */
};

/* Sort an array, pass it on, and empty it. */
static void
write_sorted(LshEntries *array, LshEntryWriter write, void *arg)
{
	lsh_sort_entries(array->entries, array->count, false);
	write(arg, array->entries, array->count);
	array->count = 0;
}

/*** Writing runs ***/

/* Write entries to a file, after their number. */
static void
write_entries(BufFile *file, const LshEntry *entries, Size count)
{
	FiledEntry	chunk[CHUNK];
	int			filled = 0;

	BufFileWrite(file, &count, sizeof(count));
	for (Size i = 0; i < count; i++)
	{
		chunk[filled++] = (FiledEntry)
		{
			entries[i].number, (uint32) (entries[i].key >> 32),
				(uint32) entries[i].key
		};
		if (filled == CHUNK || i + 1 == count)
		{
			CHECK_FOR_INTERRUPTS();
			BufFileWrite(file, chunk, sizeof(FiledEntry) * filled);
			filled = 0;
		}
	}
}

/* Write the entries in memory to a file, in the order of their first bits. */
void
lsh_sorter_write_run(LshSorter *sorter)
{
	MemoryContext old = MemoryContextSwitchTo(sorter->context);
	LshEntries *memory = &sorter->memory;
	LshEntry   *scratch = server_alloc_array(memory->count, sizeof(LshEntry));
	const LshEntry *sorted = sort_by_high_bits(memory->entries, scratch,
											   memory->count);
	char		name[MAXPGPATH];
	BufFile    *file;

	if (sorter->shared == NULL)
	{
		file = BufFileCreateTemp(false);
		write_entries(file, sorted, memory->count);
		sorter->files = lappend(sorter->files, file);
	}
	else
	{
		snprintf(name, sizeof(name), "run%u",
				 pg_atomic_fetch_add_u32(&sorter->shared->count, 1));
		file = BufFileCreateFileSet(&sorter->shared->files.fs, name);
		write_entries(file, sorted, memory->count);
		BufFileExportFileSet(file);
		BufFileClose(file);
	}
	memory->count = 0;
	pfree(scratch);
	MemoryContextSwitchTo(old);
}

/*** Reading runs ***/

/* Read an exact number of bytes. */
static void
read_bytes(BufFile *file, void *bytes, Size wanted)
{
	Size		got = BufFileRead(file, bytes, wanted);

	if (got != wanted)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read from a temporary file of an index build: read only %zu of %zu bytes",
						got, wanted)));
}

/* Open all runs, and return the number of their entries. */
static Size
open_runs(LshSorter *sorter)
{
	Size		total = 0;

	sorter->run_count = sorter->shared == NULL ? list_length(sorter->files) :
		(int) pg_atomic_read_u32(&sorter->shared->count);
	sorter->runs = palloc(sizeof(OpenRun *) * sorter->run_count);
	for (int i = 0; i < sorter->run_count; i++)
	{
		OpenRun    *run = sorter->runs[i] = palloc0(sizeof(OpenRun));
		char		name[MAXPGPATH];

		snprintf(name, sizeof(name), "run%u", (uint32) i);
		run->file = sorter->shared == NULL ? list_nth(sorter->files, i) :
			BufFileOpenFileSet(&sorter->shared->files.fs, name, O_RDONLY, false);
		if (BufFileSeek(run->file, 0, 0, SEEK_SET) != 0)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not rewind a temporary file of an index build: %m")));
		read_bytes(run->file, &run->left, sizeof(run->left));
		total += run->left;
	}
	return total;
}

/* Return true if a run has another entry; read the next chunk if need be. */
static inline bool
has_entry(OpenRun *run)
{
	if (run->next < run->count)
		return true;
	CHECK_FOR_INTERRUPTS();
	run->next = 0;
	run->count = (int) Min(run->left, CHUNK);
	read_bytes(run->file, run->chunk, sizeof(FiledEntry) * run->count);
	run->left -= run->count;
	return run->count > 0;
}

/* Append the entries of a run whose keys begin with the bits of a part. */
static void
read_part(OpenRun *run, uint64 part, int bits, LshEntries *entries)
{
	for (; has_entry(run); run->next++)
	{
		const FiledEntry *entry = &run->chunk[run->next];
		uint64		key = (uint64) entry->high << 32 | entry->low;

		if (key >> (64 - bits) != part)
			return;
		lsh_add_entry(entries, key, entry->number);
	}
}

/* Pass on the entries of all runs, part after part. */
static void
write_parts(LshSorter *sorter, LshEntryWriter write, void *arg)
{
	Size		total = open_runs(sorter);

	/* The numbers of bands use a fourth of the first 8 bits. */
	int			bits = Min(highest_bit(total / PART_ENTRIES + 1) + 2,
						   HIGH_BITS);
	uint64		parts = UINT64CONST(1) << bits;
	LshEntries	entries = {NULL, 0, 0};

	pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_TOTAL,
								 (int64) parts);
	for (uint64 part = 0; part < parts; part++)
	{
		for (int i = 0; i < sorter->run_count; i++)
			read_part(sorter->runs[i], part, bits, &entries);
		if (entries.count > 0)
			write_sorted(&entries, write, arg);
		pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE,
									 (int64) part + 1);
	}
	for (int i = 0; i < sorter->run_count; i++)
		BufFileClose(sorter->runs[i]->file);
}

/*** Collecting ***/

/* Begin to collect entries. */
LshSorter *
lsh_sorter_begin(LshSharedRuns *shared, int processes)
{
	LshSorter  *sorter = palloc0(sizeof(LshSorter));
	Size		most = (Size) maintenance_work_mem * 1024 /
		(2 * sizeof(LshEntry) * processes);
	int			doublings = highest_bit(most / CHUNK + 1);

	sorter->context = CurrentMemoryContext;
	sorter->shared = shared;
	/* A limit that doublings of the first array reach, and do not exceed. */
	sorter->memory.max = most >> doublings;
	sorter->memory.entries = palloc(sizeof(LshEntry) * sorter->memory.max);
	sorter->limit = sorter->memory.max << doublings;
	return sorter;
}

/* Add entries for keys of a record. */
void
lsh_sorter_add(LshSorter *sorter, const uint64 *keys, Size count, uint32 number)
{
	for (Size i = 0; i < count; i++)
	{
		if (sorter->memory.count == sorter->limit)
			lsh_sorter_write_run(sorter);
		lsh_add_entry(&sorter->memory, keys[i], number);
	}
}

/* Pass on all entries in the order of their keys. */
void
lsh_sorter_write(LshSorter *sorter, LshEntryWriter write, void *arg)
{
	if (sorter->shared == NULL && sorter->files == NIL)
		write_sorted(&sorter->memory, write, arg);
	else
	{
		if (sorter->memory.count > 0)
			lsh_sorter_write_run(sorter);
		pfree(sorter->memory.entries);
		write_parts(sorter, write, arg);
	}
}
