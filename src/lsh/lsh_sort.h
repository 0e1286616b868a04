/*-------------------------------------------------------------------------
 *
 * lsh_sort.h
 *	  Sorting tree entries and record numbers.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_SORT_H
#define LSH_SORT_H

#include "lsh_tree.h"

extern LshEntry *lsh_sort(LshEntry *entries, LshEntry *scratch, Size count);
extern Size lsh_sort_numbers(uint32 *numbers, Size count, int least);

#endif							/* LSH_SORT_H */
