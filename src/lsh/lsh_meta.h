/*-------------------------------------------------------------------------
 *
 * lsh_meta.h
 *	  The metapage of an lsh index: the kind of its signatures.
 *
 * All signatures of an index have the same shingling, method, number of hashes
 * and seed, which the metapage holds.  An insertion keeps a share lock on it
 * until its record is written, so that the kind cannot change in between.  An
 * index of passages has a run and a list of common k-grams instead, which never
 * change.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_META_H
#define LSH_META_H

#include "lsh_layout.h"

/* Return the run of an index of passages, an option of its column. */
extern uint32 lsh_index_run(Relation index);

/*
 * Make a metapage in memory, for the kind and generation of layout.  The list
 * of NULLs begins at first_nulls and has room on last_nulls; both are
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
 * Replace the metapage by *meta, if that differs, and log the change.  The
 * caller holds the buffer locked exclusively.
 */
extern void lsh_meta_log(Relation index, Buffer buffer, const LshMeta *meta);

/*
 * Set the kind of an index that has none to that of sig, and reset the flag
 * "forgetting", because a record is about to be added.  Locks the metapage
 * exclusively while it does so.
 */
extern void lsh_meta_set_kind(Relation index, const MinHash *sig);

/*
 * Read the metapage; return true if the kind has been forgotten or set since
 * layout was read.  If so, no record belongs to a row that is visible to the
 * caller's snapshot.
 */
extern bool lsh_kind_has_changed(Relation index, const LshLayout *layout);

/*
 * Return true if a signature is of the kind that an index holds, or if the
 * index holds passages, and sig is NULL.
 */
extern bool lsh_same_kind(const LshLayout *layout, const MinHash *sig);

/* Raise ERRCODE_DATA_EXCEPTION for a signature of another kind. */
extern void lsh_check_kind(Relation index, const LshLayout *layout,
						   const MinHash *sig);

/* Raise ERRCODE_PROGRAM_LIMIT_EXCEEDED for a signature larger than a page. */
extern void lsh_check_size(Relation index, const MinHash *sig);

#endif							/* LSH_META_H */
