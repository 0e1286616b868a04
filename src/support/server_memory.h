/*-------------------------------------------------------------------------
 *
 * server_memory.h
 *	  Palloc'd memory of more than 1 GB.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SERVER_MEMORY_H
#define SERVER_MEMORY_H

#include "core/memory.h"

extern const Memory server_memory;
extern void *allocate_huge(MemoryContext context, uint64 bytes);

#endif							/* SERVER_MEMORY_H */
