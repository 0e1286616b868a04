/*-------------------------------------------------------------------------
 *
 * interrupt.h
 *	  The one thing that core asks of its surroundings: whether to go on.
 *
 *-------------------------------------------------------------------------
 */
#ifndef INTERRUPT_H
#define INTERRUPT_H

/* Called often in long loops; it may leave by a long jump, to cancel. */
extern void core_check_interrupts(void);

#endif							/* INTERRUPT_H */
