/*-------------------------------------------------------------------------
 *
 * prefetch.h
 *	  Let the processor fetch what will be read soon.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PREFETCH_H
#define PREFETCH_H

#include "fmgr.h"

#define CACHE_LINE 64			/* bytes that a processor fetches at once */

/* Let the processor fetch a line of its cache. */
static inline void
fetch_line(const void *address)
{
#if defined(__GNUC__)
	__builtin_prefetch(address);
#endif
}

/*
 * Let the processor fetch what the next call will read: the first so many bytes
 * of its arguments, and the line of the row's header in front of them.
 *
 * A sequential scan calls a function with values that lie at equal distances
 * within a page.  Processors do not see this by themselves where more than one
 * line of each row is read, and wait for memory twice a row.  A guess that is
 * wrong does no harm.
 */
static inline void
fetch_ahead(FunctionCallInfo fcinfo, Size size)
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
			fetch_line((const void *) (value + offset));
	}
}

#endif							/* PREFETCH_H */
