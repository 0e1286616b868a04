/*-------------------------------------------------------------------------
 *
 * secret.c
 *	  The secret of a session.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lshsim.h"

/*
 * Return a number that nobody outside knows, the same all through a session:
 * for places in hash tables, so that hostile data cannot choose them.
 */
uint64
lshsim_secret(void)
{
	static uint64 secret = 0;

	if (secret == 0 && !pg_strong_random(&secret, sizeof(secret)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
	return secret;
}
