/*-------------------------------------------------------------------------
 *
 * interrupt_stub.h
 *	  The hook of src/core/base/interrupt.h where there is no server.
 *
 *-------------------------------------------------------------------------
 */
#ifndef INTERRUPT_STUB_H
#define INTERRUPT_STUB_H

#include "core/base/host.h"

static long interrupt_checks = 0;

/* Count the looks for an interrupt. */
void
core_check_interrupts(void)
{
	interrupt_checks++;
}

#endif							/* INTERRUPT_STUB_H */
