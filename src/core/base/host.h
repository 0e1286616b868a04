/*-------------------------------------------------------------------------
 *
 * host.h
 *	  Services of the program around core/: interrupts, an error, memory.
 *
 * The program that links core/ defines the functions that are extern here.  In
 * the server they are in support/server_memory.c and support/utf8.c.
 *
 * Algorithms that need a fixed amount of memory leave it to their callers; they
 * allocate only amounts that depend on the data.  To allocate is also to check
 * for interrupts.  All of these functions can leave by a long jump; the caller
 * then frees what the algorithm has allocated.
 *
 *-------------------------------------------------------------------------
 */
#ifndef HOST_H
#define HOST_H

#include <stddef.h>
#include <stdint.h>

/* Check for interrupts, in the host; may leave by a long jump. */
extern void core_check_interrupts(void);

/* Report a text that is not valid UTF-8, in the host; leaves by a long jump. */
extern _Noreturn void core_report_invalid_utf8(void);

#define CHECK_EVERY 65536		/* steps of a loop between checks */

/* Check for interrupts every CHECK_EVERY steps; step counts up by 1. */
static inline void
check_sometimes(size_t step)
{
	if (step % CHECK_EVERY == 0)
		core_check_interrupts();
}

/* Allocate size bytes, also if that is 0, or report that there are not enough. */
extern void *core_allocate(uint64_t size);

/* The same, with all bytes zero. */
extern void *core_allocate_zeros(uint64_t size);

/* Change the size of memory, or allocate some if it is NULL. */
extern void *core_reallocate(void *memory, uint64_t size);

/* Release memory. */
extern void core_release(void *memory);

/*
 * Return an array of used elements, each of size bytes, that has room for some
 * more: the same, or one of twice the size, to which they are moved.  The array is
 * NULL if *room, the elements that fit, is 0.
 */
static inline void *
memory_grow(void *array, size_t used, size_t more, size_t *room, size_t size)
{
	if (*room - used >= more)
		return array;
	*room = 2 * (used + more);
	return core_reallocate(array, (uint64_t) size * *room);
}

#endif							/* HOST_H */
