/*-------------------------------------------------------------------------
 *
 * lshsim.c
 *	  The module.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

#include "compat.h"
#include "lsh/lsh_am.h"
#include "lshsim.h"

PG_MODULE_MAGIC_EXT(.name = "lshsim",.version = "1.0");

void		_PG_init(void);

/* Called when the module is loaded. */
void
_PG_init(void)
{
	define_settings();
	lsh_define_options();
}

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
