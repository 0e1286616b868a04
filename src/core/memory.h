/*-------------------------------------------------------------------------
 *
 * memory.h
 *	  Where an algorithm gets memory from whose size it finds out itself.
 *
 *-------------------------------------------------------------------------
 */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

/* Given by the caller.  What is left by a long jump, the caller frees. */
typedef struct Memory
{
	void	   *(*allocate) (size_t size);	/* never NULL; may jump instead */
	void		(*release) (void *memory);
} Memory;

extern void *enlarge(void *old, size_t used, size_t size, const Memory *memory);

#endif							/* MEMORY_H */
