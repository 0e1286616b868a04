/*-------------------------------------------------------------------------
 *
 * lsh_parallel.h
 *	  Reading the table for CREATE INDEX by several processes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_PARALLEL_H
#define LSH_PARALLEL_H

#include "storage/dsm.h"
#include "storage/shm_toc.h"

#include "lsh_rows.h"

/* The leader of parallel workers. */
typedef struct LshLeader LshLeader;

/*
 * Read the table into an index that has three pages, describe the result in
 * *rows, which has been initialized, and return the entries of its tree.
 * Launches parallel workers if the settings and the size of the table allow it,
 * and sets *leader; otherwise that is NULL.  The workers have ended on return,
 * but files of theirs belong to *leader: call lsh_end_workers() after
 * lsh_keys_write().
 */
extern LshSorter *lsh_read_table(Relation heap, Relation index,
								 IndexInfo *info, LshRows *rows,
								 LshLeader **leader);

/* End parallel mode, unless leader is NULL. */
extern void lsh_end_workers(LshLeader *leader);

/* Read a part of the table; the server calls it in a parallel worker. */
extern PGDLLEXPORT void lsh_build_worker(dsm_segment *segment, shm_toc *toc);

#endif							/* LSH_PARALLEL_H */
