/*-------------------------------------------------------------------------
 *
 * lsh_keys.h
 *	  The entries of a tree that is being built, sorted; temporary files.
 *
 * Call lsh_keys_begin(), then lsh_keys_add() for each entry, and once
 * lsh_keys_write().  An index of signatures makes all entries from its store
 * with lsh_keys_add_store().
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_KEYS_H
#define LSH_KEYS_H

#include "storage/buffile.h"

#include "lsh_node.h"

/* Called with sorted entries; each call continues the order of the last one. */
typedef void (*LshEntryWriter) (void *arg, const LshEntry *entries,
								Size count);

/* The entries collected so far. */
typedef struct LshSorter LshSorter;

/*
 * Begin to collect entries in the current memory context: count of them for
 * signatures, any number for passages, where count is the room to begin with.
 * Uses maintenance_work_mem, or temporary files.
 */
extern LshSorter *lsh_keys_begin(const LshLayout *layout, Size count);

/* Add an entry for each of some keys of a record. */
extern void lsh_keys_add(LshSorter *keys, const uint64 *record_keys, Size count,
						 uint32 number);

/* Add all entries of the records of the store, which must be complete. */
extern void lsh_keys_add_store(LshSorter *keys, Relation index,
							   const LshLayout *layout);

/*
 * Pass all entries to a function, in the order of their keys, and free them.
 * Reports progress of CREATE INDEX in files, one for each band.
 */
extern void lsh_keys_write(LshSorter *keys, LshEntryWriter write, void *arg);

/* Seek to the start of a temporary file; raises an error if that fails. */
extern void lsh_file_rewind(BufFile *file);

/* Read wanted bytes; raises an error if the file has fewer. */
extern void lsh_file_read(BufFile *file, void *bytes, Size wanted);

#endif							/* LSH_KEYS_H */
