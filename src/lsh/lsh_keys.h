/*-------------------------------------------------------------------------
 *
 * lsh_keys.h
 *	  The entries of a tree that is being built, sorted.
 *
 * Each process that reads the table calls lsh_keys_begin(), then lsh_keys_add()
 * for each row.  Without workers, the only process then calls
 * lsh_keys_write().  With workers, every process calls lsh_keys_write_run(), and
 * when all have done so, the leader calls lsh_keys_write().
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_KEYS_H
#define LSH_KEYS_H

#include "port/atomics.h"
#include "storage/sharedfileset.h"

#include "lsh_node.h"

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
extern LshSorter *lsh_keys_begin(LshSharedRuns *shared, int processes);

/* Add an entry for each of some keys of a record. */
extern void lsh_keys_add(LshSorter *keys, const uint64 *record_keys, Size count,
						 uint32 number);

/* Write the entries in memory to a file. */
extern void lsh_keys_write_run(LshSorter *keys);

/*
 * Pass the entries of all processes to a function, in the order of their keys,
 * and free them.  Reports progress of CREATE INDEX in parts of all keys.
 */
extern void lsh_keys_write(LshSorter *keys, LshEntryWriter write, void *arg);

#endif							/* LSH_KEYS_H */
