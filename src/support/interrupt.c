/*-------------------------------------------------------------------------
 *
 * interrupt.c
 *	  Let the user cancel what core does.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "core/interrupt.h"

/* Look for interrupts; do not return if the user cancelled. */
void
core_check_interrupts(void)
{
	CHECK_FOR_INTERRUPTS();
}
