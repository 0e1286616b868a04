/*-------------------------------------------------------------------------
 *
 * secret.c
 *	  A random number for hash tables.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "secret.h"

/* Return the session's secret, drawn at the first call. */
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
