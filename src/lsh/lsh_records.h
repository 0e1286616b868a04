/*-------------------------------------------------------------------------
 *
 * lsh_records.h
 *	  All records of an lsh index, in memory.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_RECORDS_H
#define LSH_RECORDS_H

#include "lsh_store.h"

/*
 * A record's place is what its number would be if the pages of the store were
 * blocks from 0 on.  At some places there is none.
 */
typedef struct LshRecords
{
	Relation	index;
	Snapshot	snapshot;		/* for which they are read */
	LshLayout	layout;
	Size		pages;			/* that were read */
	BlockNumber blocks;			/* of the index, when they were read */
	uint32	   *page_of;		/* of each block, from 1 on; 0 if not read */
	Size		places;
	Size		count;			/* records */

	/* By place. */
	uint8	   *marks;			/* LSH_IS_RECORD, and bits for the caller */
	ItemPointerData *tids;
	uint8	   *planes;			/* first and second */
	uint16	   *slots;
} LshRecords;

#define LSH_IS_RECORD 1			/* there is a record at the place */

extern void lsh_records_read(Relation index, Snapshot snapshot,
							 const LshLayout *layout, LshRecords *records);
extern bool lsh_records_find(const LshRecords *records, uint32 number,
							 uint32 *place);

/* Return the first plane of a record; the second follows. */
static inline uint8 *
lsh_first(const LshRecords *records, Size place)
{
	return records->planes + 2 * records->layout.plane_size * place;
}

/* Return the second plane of a record. */
static inline uint8 *
lsh_second(const LshRecords *records, Size place)
{
	return lsh_first(records, place) + records->layout.plane_size;
}

/* Return the slots of a record. */
static inline const uint16 *
lsh_slots(const LshRecords *records, Size place)
{
	return records->slots + (Size) records->layout.kind.num_hashes * place;
}

#endif							/* LSH_RECORDS_H */
