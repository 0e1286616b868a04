/*-------------------------------------------------------------------------
 *
 * server_memory.h
 *	  Services for algorithms of core/: palloc'd memory of more than 1 GB, and a
 *	  random number for hash tables.
 *
 * All functions allocate at least one byte.  pfree() or the end of the memory
 * context frees the result.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SERVER_MEMORY_H
#define SERVER_MEMORY_H

#include "core/base/host.h"

/*
 * Allocate an array of count elements of size bytes each in the current memory
 * context, as core_allocate() does.  Raises an error if the product is too large for
 * palloc, also where it does not fit a Size, as on 32-bit systems.
 */
extern void *server_alloc_array(uint64 count, Size size);

/* The same, with all bytes zero. */
extern void *server_alloc_zeros(uint64 count, Size size);

/*
 * Allocate memory in a context, in huge pages if the system has them.  Returns
 * NULL if there is not enough, so that the caller can report what it is for.
 */
extern void *server_alloc_huge(MemoryContext context, uint64 bytes);

/*
 * Return a random number, the same for the whole session.  Hash tables mix it
 * into their positions, so that a hostile text cannot choose strings that
 * collide.  Raises an error if the system cannot provide random numbers.
 */
extern uint64 server_secret(void);

#endif							/* SERVER_MEMORY_H */
