/*-------------------------------------------------------------------------
 *
 * lsh_search.h
 *	  Find the records of an lsh index that meet the conditions of a scan.
 *
 * Order of calls: lsh_search_start(), then lsh_search_page() until it returns
 * false.  lsh_search_restart() goes back to the first page, at any time.
 *
 * A search holds no lock and no pin between calls.  All memory that it needs
 * comes from the memory context that is current in lsh_search_start(), except
 * for that of its LshNearest, which the caller must free.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_SEARCH_H
#define LSH_SEARCH_H

#include "access/skey.h"
#include "utils/snapshot.h"

#include "lsh_nearest.h"
#include "lsh_node.h"
#include "lsh_store.h"

/* A condition: similar to a signature. */
typedef struct LshCondition
{
	const MinHash *sig;
	BandPlan	plan;
	PlaneQuery	query;
} LshCondition;

/* A search.  Callers only read it, and only the fields "for callers". */
typedef struct LshSearch
{
	Relation	index;
	Snapshot	snapshot;		/* NULL, or the one for which pages are read */
	LshLayout	layout;
	int			condition_count;
	LshCondition *conditions;
	bool		nothing;		/* no record meets the conditions, because one
								 * is NULL or the index has no record */
	bool		unverified;		/* for callers: see lsh_search_start() */
	bool		walks;			/* are all records compared? */
	LshNumbers	candidates;		/* if not, these are */
	Size		next_candidate;
	BlockNumber blocks;			/* of the index when the search began */
	LshWalk		walk;
	BlockNumber next_nulls;		/* page of NULLs, or InvalidBlockNumber */

	LshNearest *nearest;		/* for callers: NULL if there is no order */
	int			count;			/* for callers: rows found on the page */
	ItemPointerData tids[BLCKSZ / sizeof(ItemPointerData)];
} LshSearch;

/*
 * Begin a search for the rows that meet all key_count conditions.  If
 * order_count is not 0, the search collects the rows in search->nearest, whose
 * batches the caller begins and ends.  The values of keys and orders must live
 * as long as the search.
 *
 * If a value is of another kind than the index, unverified is set.  Then the
 * search finds all rows, nearest is NULL, and the caller must have the executor
 * recheck the operators, which raise an error at the first visible row.
 *
 * In an index of passages, unverified is always set: the search finds all rows
 * that can meet the conditions, and the executor must recheck them.
 *
 * Locks the metapage, then leaves, one at a time, in share mode.
 */
extern void lsh_search_start(LshSearch *search, Relation index,
							 Snapshot snapshot, ScanKey keys, int key_count,
							 ScanKey orders, int order_count);

/* Go back to the first page of records. */
extern void lsh_search_restart(LshSearch *search);

/*
 * Search the next page of records, under a share lock.  Put the TIDs of the
 * rows that meet the conditions into tids and their number into count, or add
 * the rows to the batch of search->nearest.  Return false, with a count of 0,
 * if no page is left.
 */
extern bool lsh_search_page(LshSearch *search);

/*
 * Do the same for the next page of rows whose signature is NULL.  Since they
 * meet no condition, a search with conditions has none.
 */
extern bool lsh_search_nulls(LshSearch *search);

#endif							/* LSH_SEARCH_H */
