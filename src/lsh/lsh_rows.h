/*-------------------------------------------------------------------------
 *
 * lsh_rows.h
 *	  Reading the table for CREATE INDEX: store, directory, list of NULLs.
 *
 * One or more processes read a table.  Each of them has an LshReader, and all
 * share an LshRows.  Each calls, in this order,
 *
 *		lsh_reader_begin
 *		lsh_reader_scan
 *		lsh_reader_end
 *
 * The leader begins before workers are launched, and ends after they have
 * finished.  Then LshRows describes all pages that have been written.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_ROWS_H
#define LSH_ROWS_H

#include "access/tableam.h"
#include "nodes/execnodes.h"
#include "storage/spin.h"

#include "lsh_keys.h"
#include "lsh_meta.h"

/* A list of pages; both blocks are invalid if it is empty. */
typedef struct LshList
{
	BlockNumber first;
	BlockNumber last;
} LshList;

/* State shared by all readers of a table; it may be in shared memory. */
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

/* One process that reads the table. */
typedef struct LshReader LshReader;

/*
 * Initialize the shared state.  layout is complete for an index of passages,
 * and NULL for one of signatures.
 */
extern void lsh_rows_init(LshRows *rows, const LshLayout *layout);

/*
 * Return a new reader in the current memory context, which passes the entries
 * of the tree to keys.  The leader's is first in the directory, and must be
 * ended last.
 */
extern LshReader *lsh_reader_begin(Relation index, LshRows *rows,
								   LshSorter *keys, bool is_leader);

/*
 * Add all rows of the table, or those that a parallel scan assigns to this
 * process; scan is NULL for the former.  Rows of different kinds, or of one that
 * does not fit on a page, raise an error.  Only the leader reports progress.
 */
extern void lsh_reader_scan(LshReader *reader, Relation heap, IndexInfo *info,
							TableScanDesc scan);

/* Write the last pages, and add to the shared lists and counts. */
extern void lsh_reader_end(LshReader *reader);

#endif							/* LSH_ROWS_H */
