/*-------------------------------------------------------------------------
 *
 * server_memory.h
 *	  Give the server's memory to an algorithm.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SERVER_MEMORY_H
#define SERVER_MEMORY_H

#include "core/memory.h"

extern const Memory server_memory;

#endif							/* SERVER_MEMORY_H */
