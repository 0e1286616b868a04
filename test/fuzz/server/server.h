/*-------------------------------------------------------------------------
 *
 * server.h
 *	  As much of the server as src/type/minhash_io.c needs to read and write.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SERVER_H
#define SERVER_H

#include "postgres.h"

#include "minhash_io.h"

#include <setjmp.h>

extern sigjmp_buf server_error;

/* True at first; an error comes back here, with false. */
#define server_try() (sigsetjmp(server_error, 0) == 0)

extern void server_end(void);

#endif							/* SERVER_H */
