/*-------------------------------------------------------------------------
 *
 * lsh_store.h
 *	  The records of an lsh index: TIDs and signatures.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_STORE_H
#define LSH_STORE_H

#include "lsh_page.h"

/* A record as it is written. */
typedef struct LshRecord
{
	uint8		first[SKETCH_MAX_HASHES / 4];
	uint8		second[SKETCH_MAX_HASHES / 4];
	uint8		third[SKETCH_MAX_HASHES / 2];
	uint8		rest[sizeof(ItemPointerData) + SKETCH_MAX_HASHES];
} LshRecord;

/* A walk over all pages of the store. */
typedef struct LshWalk
{
	BlockNumber directory;		/* next directory page, or invalid */
	BlockNumber steps;			/* directory pages read so far */
	int			count;			/* blocks of the current directory page */
	int			next;
	BlockNumber blocks[LSH_DIRECTORY_MAX];
} LshWalk;

/* What is done with a page of the store, which is locked meanwhile. */
typedef void (*LshPageVisitor) (Page page, BlockNumber block, void *arg);

extern void lsh_record_make(LshRecord *record, const MinHash *sig,
							ItemPointer tid);
extern void lsh_store_init(Page page, const LshLayout *layout);
extern void lsh_store_write(Page page, const LshLayout *layout, int place,
							const LshRecord *record);
extern void lsh_check_block_limit(Relation index, const LshLayout *layout,
								  BlockNumber block);
extern bool lsh_store_is_empty(Page page);
extern void lsh_store_mark(Relation index, BlockNumber block, bool has_room);
extern void lsh_log_meta(Relation index, Buffer buffer, const LshMeta *meta);
extern uint32 lsh_store_add(Relation index, const MinHash *sig,
							ItemPointer tid, LshLayout *layout);
extern void lsh_store_slots(Relation index, const LshLayout *layout,
							uint32 number, uint16 *slots);
extern bool lsh_kind_has_changed(Relation index, const LshLayout *layout);
extern void lsh_nulls_add(Relation index, ItemPointer tid);
extern void lsh_walk_begin(LshWalk *walk);
extern BlockNumber lsh_walk_next(Relation index, LshWalk *walk);
extern void lsh_visit_store(Relation index, LshPageVisitor visit, void *arg);
extern void lsh_step(Relation index, BlockNumber block, BlockNumber *steps);

#endif							/* LSH_STORE_H */
