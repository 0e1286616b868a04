/*-------------------------------------------------------------------------
 *
 * cache.h
 *	  Prefetch memory into the processor's cache.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CACHE_H
#define CACHE_H

#define CACHE_LINE 64			/* bytes; a wrong guess costs only time */

/* Prefetch the cache line of an address; a no-op for other compilers. */
static inline void
prefetch_line(const void *address)
{
#if defined(__GNUC__)
	__builtin_prefetch(address);
#endif
}

#endif							/* CACHE_H */
