/*-------------------------------------------------------------------------
 *
 * memory.h
 *	  Callbacks by which algorithms in core/ allocate memory.
 *
 * Algorithms that need a fixed amount of memory leave it to their callers;
 * these callbacks are for amounts that depend on the data.  Functions that call
 * allocate() also check for interrupts.  Both can leave by a long jump; the
 * caller then frees what the algorithm has allocated.
 *
 *-------------------------------------------------------------------------
 */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

typedef struct Memory
{
	void	   *(*allocate) (size_t size);	/* never returns NULL */
	void		(*release) (void *memory);
} Memory;

/* Allocate size bytes that are 0. */
extern void *memory_allocate_zeros(size_t size, const Memory *memory);

/* Allocate size bytes, copy used bytes of old to them, and release old. */
extern void *memory_enlarge(void *old, size_t used, size_t size, const Memory *memory);

#endif							/* MEMORY_H */
