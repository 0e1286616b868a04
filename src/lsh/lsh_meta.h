/*-------------------------------------------------------------------------
 *
 * lsh_meta.h
 *	  The metapage of an lsh index: the kind of its signatures.
 *
 * All signatures of an index have the same shingling, method, number of hashes
 * and seed, which the metapage holds.  The first one sets them.  An index of
 * passages has a run and a list of common k-grams instead.  Neither ever
 * changes, so that a layout remains valid without a lock on the metapage.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_META_H
#define LSH_META_H

#include "lsh_layout.h"
#include "lsh_wal.h"

/* Return the run of an index of passages, an option of its column. */
extern uint32 lsh_index_run(Relation index);

/*
 * Make a metapage in memory, for the kind of layout.  The list of NULLs begins at first_nulls and has room on last_nulls; both are
 * InvalidBlockNumber if there is no list.
 */
extern void lsh_meta_init(Page page, const LshLayout *layout,
						  BlockNumber last_directory, BlockNumber first_nulls,
						  BlockNumber last_nulls);

/*
 * Pin and lock the metapage (BUFFER_LOCK_...), copy it to *meta, and compute
 * the layout of its kind; either may be NULL.  The caller calls
 * UnlockReleaseBuffer().  Raises an error for an unknown format version or an
 * impossible kind.
 */
extern Buffer lsh_meta_lock(Relation index, int lock, LshMeta *meta,
							LshLayout *layout);

/*
 * Return a copy of the metapage, and compute the layout of its kind, unless
 * layout is NULL; locks the page while reading it.  A scan passes its snapshot,
 * so that one that is too old raises an error (until PostgreSQL 16); others
 * pass NULL.
 */
extern LshMeta lsh_meta_read(Relation index, Snapshot snapshot,
							 LshLayout *layout);

/*
 * Replace the metapage by *meta, if that differs, as a part of a change, or log
 * that as a change of its own.  The caller holds the buffer locked exclusively.
 */
extern void lsh_meta_put(LshWal *wal, Buffer buffer, const LshMeta *meta);
extern void lsh_meta_log(Relation index, Buffer buffer, const LshMeta *meta);

/*
 * Compute the layout of an index whose first signature is sig.  Raises
 * ERRCODE_PROGRAM_LIMIT_EXCEEDED for a signature larger than a page.
 */
extern void lsh_layout_of(Relation index, const MinHash *sig,
						  LshLayout *layout);

/*
 * Set the kind of an index to that of sig, unless it has one already; compute
 * the layout of its kind.  Locks the metapage exclusively while it does so.
 */
extern void lsh_meta_set_kind(Relation index, const MinHash *sig,
							  LshLayout *layout);

/*
 * Raise ERRCODE_DATA_EXCEPTION for a signature of another kind than that of the
 * index.
 */
extern void lsh_check_kind(Relation index, const LshLayout *layout,
						   const MinHash *sig);

#endif							/* LSH_META_H */
