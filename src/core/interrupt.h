/*-------------------------------------------------------------------------
 *
 * interrupt.h
 *	  The one thing that core asks of its surroundings: whether to go on.
 *
 *-------------------------------------------------------------------------
 */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <stddef.h>

/* Called often in long loops; it may leave by a long jump, to cancel. */
extern void core_check_interrupts(void);

#define CHECK_EVERY 65536		/* steps between two looks at interrupts */

/* Look at interrupts every so many steps of a loop. */
static inline void
check_sometimes(size_t step)
{
	if (step % CHECK_EVERY == 0)
		core_check_interrupts();
}

#endif							/* INTERRUPT_H */
