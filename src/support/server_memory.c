/*-------------------------------------------------------------------------
 *
 * server_memory.c
 *	  Give the server's memory to an algorithm.
 *
 * It comes from the current memory context, which frees what is left.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "server_memory.h"

/* Allocate memory of any size. */
static void *
allocate(size_t size)
{
	CHECK_FOR_INTERRUPTS();
	return palloc_extended(Max(size, 1), MCXT_ALLOC_HUGE);
}

const Memory server_memory = {allocate, pfree};
