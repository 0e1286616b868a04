/*-------------------------------------------------------------------------
 *
 * host.c
 *	  Allocate zeros, and enlarge memory, in parts between interrupts.
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

/* Move the first used bytes to new memory. */
void *
memory_enlarge(void *old, size_t used, size_t size, const Memory *memory)
{
	char	   *new = memory->allocate(size);

	for (size_t i = 0; i < used; i += AT_ONCE)
		memcpy(new + i, (char *) old + i, next_part(used - i));
	memory->release(old);
	return new;
}
