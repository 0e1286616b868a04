/*-------------------------------------------------------------------------
 *
 * host_stub.h
 *	  The hooks of src/core/base/host.h where there is no server.
 *
 *-------------------------------------------------------------------------
 */
#ifndef HOST_STUB_H
#define HOST_STUB_H

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/host.h"

static long interrupt_checks = 0;
static jmp_buf invalid_text;	/* set by the caller that expects one */

/* Count the looks for an interrupt. */
void
core_check_interrupts(void)
{
	interrupt_checks++;
}

/* Return to the last setjmp(invalid_text). */
void
core_report_invalid_utf8(void)
{
	longjmp(invalid_text, 1);
}

/* Change the size of memory, or abort. */
void *
core_reallocate(void *memory, uint64_t size)
{
	memory = size < SIZE_MAX ? realloc(memory, (size_t) size + (size == 0)) : NULL;
	if (memory == NULL)
		abort();
	return memory;
}

/* Allocate memory. */
void *
core_allocate(uint64_t size)
{
	return core_reallocate(NULL, size);
}

/* Allocate zeros. */
void *
core_allocate_zeros(uint64_t size)
{
	return memset(core_allocate(size), 0, (size_t) size);
}

/* Release memory. */
void
core_release(void *memory)
{
	free(memory);
}

#endif							/* HOST_STUB_H */
