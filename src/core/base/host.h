/*-------------------------------------------------------------------------
 *
 * host.h
 *	  Services of the program around core/: interrupts, an error, memory.
 *
 * The program that links core/ defines the first two functions, and passes
 * callbacks by which algorithms allocate memory.
 *
 * Algorithms that need a fixed amount of memory leave it to their callers;
 * the callbacks are for amounts that depend on the data.  Functions that call
 * allocate() also check for interrupts.  All of these can leave by a long jump;
 * the caller then frees what the algorithm has allocated.
 *
 *-------------------------------------------------------------------------
 */
#ifndef HOST_H
#define HOST_H

#include <stddef.h>

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

/* Callbacks for memory. */
typedef struct Memory
{
	void	   *(*allocate) (size_t size);	/* never returns NULL */
	void		(*release) (void *memory);
} Memory;

/* Allocate size bytes that are 0. */
extern void *memory_allocate_zeros(size_t size, const Memory *memory);

/*
 * Return an array of used elements, each of size bytes, that has room for some
 * more: the same, or one of twice the size, to which they are moved.  The array is
 * NULL if *room, the elements that fit, is 0.
 */
extern void *memory_grow(void *array, size_t used, size_t more, size_t *room,
						 size_t size, const Memory *memory);

#endif							/* HOST_H */
