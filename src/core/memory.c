/*-------------------------------------------------------------------------
 *
 * memory.c
 *	  Enlarge memory that the caller's functions allocate.
 *
 *-------------------------------------------------------------------------
 */
#include "memory.h"

#include <string.h>

#include "interrupt.h"

#define COPY_AT_ONCE ((size_t) 1 << 24) /* bytes between interrupts */

/* Move used bytes to new memory. */
void *
enlarge(void *old, size_t used, size_t size, const Memory *memory)
{
	char	   *new = memory->allocate(size);

	for (size_t i = 0; i < used; i += COPY_AT_ONCE)
	{
		core_check_interrupts();
		memcpy(new + i, (char *) old + i,
			   used - i < COPY_AT_ONCE ? used - i : COPY_AT_ONCE);
	}
	memory->release(old);
	return new;
}
