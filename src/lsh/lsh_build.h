/*-------------------------------------------------------------------------
 *
 * lsh_build.h
 *	  CREATE INDEX of an lsh index: reading the table, and sorting the entries.
 *
 * lsh_build.c calls lsh_read_table(), and writes the tree by lsh_sorter_write().
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_BUILD_H
#define LSH_BUILD_H

#include "access/parallel.h"
#include "port/atomics.h"
#include "storage/sharedfileset.h"
#include "storage/spin.h"

#include "lsh.h"

/* Phases of CREATE INDEX; the server defines phase 1. */
#define LSH_PHASE_STORE 2
#define LSH_PHASE_TREE 3
#define LSH_PHASE_LOG 4

/*** lsh_sort.c: sorting the entries of a new tree ***/

/*
 * Each process that reads the table for CREATE INDEX calls lsh_sorter_begin(),
 * then lsh_sorter_add() for each row.  Without workers, the only process then
 * calls lsh_sorter_write().  With workers, every worker calls
 * lsh_sorter_write_run(), and when all have ended, the leader calls
 * lsh_sorter_write(), which writes its own entries, too.
 */

/* Called with sorted entries; each call continues the order of the last one. */
typedef void (*LshEntryWriter) (void *arg, const LshEntry *entries,
								Size count);

/* The entries that a process has collected so far. */
typedef struct LshSorter LshSorter;

/* Files of entries, described in shared memory. */
typedef struct LshSharedRuns
{
	SharedFileSet files;
	pg_atomic_uint32 count;
} LshSharedRuns;

/*
 * Begin to collect entries in the current memory context.  One of a number of
 * processes takes its share of maintenance_work_mem, and writes entries beyond
 * it to the files of shared, or to its own if that is NULL.
 */
extern LshSorter *lsh_sorter_begin(LshSharedRuns *shared, int processes);

/* Add an entry for each of some keys of a record. */
extern void lsh_sorter_add(LshSorter *sorter, const uint64 *keys, Size count,
						   uint32 number);

/* Write the entries in memory to a file. */
extern void lsh_sorter_write_run(LshSorter *sorter);

/*
 * Pass the entries of all processes to a function, in the order of their keys,
 * and free them.  Reports progress of CREATE INDEX in parts of all keys.
 */
extern void lsh_sorter_write(LshSorter *sorter, LshEntryWriter write, void *arg);

/*** lsh_rows.c: reading the table for CREATE INDEX ***/

/* A list of pages; both blocks are invalid if it is empty. */
typedef struct LshList
{
	BlockNumber first;
	BlockNumber last;
} LshList;

/* State shared by all processes that read a table, perhaps in shared memory. */
typedef struct LshRows
{
	slock_t		mutex;			/* protects what follows */
	LshLayout	layout;			/* has no kind until it is known */
	bool		kind_is_live;	/* has a live row set it? */
	bool		broken_hot_chain;	/* as in IndexInfo; also if dead rows have
									 * been omitted */
	double		table_rows;		/* live rows, as the server counts them */
	double		index_rows;
	LshList		directory;
	LshList		nulls;
} LshRows;

/*
 * Read the table into an index that has three pages, given its layout without
 * rows; describe the result in *rows, and return the entries of the tree.
 * Launches parallel workers if the settings and the size of the table allow it,
 * and sets *workers; otherwise that is NULL.  The workers have ended on return,
 * but the caller destroys their context, and ends parallel mode, only after
 * lsh_sorter_write(), because that deletes their files.
 */
extern LshSorter *lsh_read_table(Relation heap, Relation index,
								 IndexInfo *info, const LshLayout *layout,
								 LshRows *rows, ParallelContext **workers);

#endif							/* LSH_BUILD_H */
