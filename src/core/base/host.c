/*-------------------------------------------------------------------------
 *
 * host.c
 *	  Allocate zeros, and enlarge arrays, in parts between interrupts.
 *
 *-------------------------------------------------------------------------
 */
#include "host.h"

#include <string.h>

#define AT_ONCE ((size_t) 1 << 24)	/* bytes between interrupts */

/* Return the number of bytes up to the next check for interrupts. */
static size_t
next_part(size_t left)
{
	core_check_interrupts();
	return left < AT_ONCE ? left : AT_ONCE;
}

/* Allocate zeros. */
void *
memory_allocate_zeros(size_t size, const Memory *memory)
{
	char	   *zeros = memory->allocate(size);

	for (size_t i = 0; i < size; i += AT_ONCE)
		memset(zeros + i, 0, next_part(size - i));
	return zeros;
}

/* Move an array to new memory if it is full. */
void *
memory_grow(void *array, size_t used, size_t more, size_t *room, size_t size,
			const Memory *memory)
{
	char	   *new;

	if (*room - used >= more)
		return array;
	*room = 2 * (used + more);
	new = memory->allocate(size * *room);
	for (size_t i = 0; i < size * used; i += AT_ONCE)
		memcpy(new + i, (char *) array + i, next_part(size * used - i));
	if (array != NULL)
		memory->release(array);
	return new;
}
