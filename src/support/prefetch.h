/*-------------------------------------------------------------------------
 *
 * prefetch.h
 *	  Prefetch the arguments of the next call.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PREFETCH_H
#define PREFETCH_H

#include "fmgr.h"

#include "core/base/cache.h"

/*
 * Prefetch the arguments of the next call: the first size bytes of each, and
 * the cache line of the tuple header in front of them.
 *
 * A sequential scan calls a function with values that lie at equal distances
 * within a page.  The hardware prefetcher does not recognize this if more than
 * one line of each tuple is read, and stalls twice for each.  So guess that the
 * next value is as far away as the previous one; a wrong guess does no harm.
 */
static inline void
prefetch_arguments(FunctionCallInfo fcinfo, Size size)
{
	static uintptr_t last[2];

	for (int i = 0; i < 2; i++)
	{
		uintptr_t	value = (uintptr_t) PG_GETARG_POINTER(i);
		uintptr_t	distance = value - last[i];

		last[i] = value;
		if (distance == 0 || distance + BLCKSZ >= 2 * BLCKSZ)
			continue;			/* a constant, or another page */
		value += distance - CACHE_LINE / 2;
		for (Size offset = 0; offset < size + CACHE_LINE; offset += CACHE_LINE)
			prefetch_line((const void *) (value + offset));
	}
}

#endif							/* PREFETCH_H */
