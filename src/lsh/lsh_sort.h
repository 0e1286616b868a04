/*-------------------------------------------------------------------------
 *
 * lsh_sort.h
 *	  Sorting tree entries and record numbers, in linear time.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_SORT_H
#define LSH_SORT_H

#include "lsh_node.h"

/*
 * Sort entries by key; the sort is stable.  scratch has room for count entries.
 * Return the sorted array, which is one of the two; the other is overwritten.
 * Checks for interrupts.
 */
extern LshEntry *lsh_sort(LshEntry *entries, LshEntry *scratch, Size count);

/*
 * Sort record numbers in place, and keep one of each that occurs at least
 * "least" times; return the number that is left.
 */
extern Size lsh_sort_numbers(uint32 *numbers, Size count, int least);

#endif							/* LSH_SORT_H */
