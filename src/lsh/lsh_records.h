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
 * Pages of the store lie side by side, as they were read.  A record's place
 * among them is what its number would be if the pages were blocks from 0 on.
 */
typedef struct LshRecords
{
	Relation	index;
	LshLayout	layout;
	Size		pages;
	char	   *memory;			/* the pages */
	BlockNumber blocks;			/* of the index, when they were read */
	uint32	   *page_of;		/* of each block, from 1 on; 0 if not read */
	Size		count;			/* records */
	uint8	   *marks;			/* of each place; the other bits are free */
} LshRecords;

#define LSH_IS_RECORD 1			/* there is a record at the place */

extern void lsh_records_read(Relation index, const LshLayout *layout,
							 LshRecords *records);
extern bool lsh_records_find(const LshRecords *records, uint32 number,
							 uint32 *record);

/* Return a page of records. */
static inline Page
lsh_records_page(const LshRecords *records, Size page)
{
	return (Page) (records->memory + page * BLCKSZ);
}

/* Return the page that a record lies on. */
static inline Page
lsh_record_page(const LshRecords *records, uint32 record)
{
	return lsh_records_page(records, lsh_number_block(&records->layout, record));
}

/* Return the planes of a record. */
static inline Planes
lsh_records_planes(const LshRecords *records, uint32 record)
{
	return lsh_record_planes(&records->layout, lsh_record_page(records, record),
							 lsh_number_place(&records->layout, record));
}

/* Return how many places for records there are, with those that stay free. */
static inline Size
lsh_records_places(const LshRecords *records)
{
	return records->pages << records->layout.number_bits;
}

#endif							/* LSH_RECORDS_H */
