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

/*
 * Read the table into an index that has three pages, and describe the result in
 * *rows, which has been initialized.  Launches parallel workers if the settings
 * and the size of the table allow it; they have ended on return.  An index of
 * passages has none, because its entries go to files of one process.
 */
extern void lsh_read_table(Relation heap, Relation index, IndexInfo *info,
						   LshRows *rows);

/* Read a part of the table; the server calls it in a parallel worker. */
extern PGDLLEXPORT void lsh_build_worker(dsm_segment *segment, shm_toc *toc);

#endif							/* LSH_PARALLEL_H */
