/*-------------------------------------------------------------------------
 *
 * interrupt.h
 *	  Checking for interrupts.
 *
 * The program that links core/ defines core_check_interrupts().
 *
 *-------------------------------------------------------------------------
 */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <stddef.h>

/* Check for interrupts, in the host; may leave by a long jump. */
extern void core_check_interrupts(void);

#define CHECK_EVERY 65536		/* steps of a loop between checks */

/* Check for interrupts every CHECK_EVERY steps; step counts up by 1. */
static inline void
check_sometimes(size_t step)
{
	if (step % CHECK_EVERY == 0)
		core_check_interrupts();
}

#endif							/* INTERRUPT_H */
