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

#endif							/* HOST_STUB_H */
