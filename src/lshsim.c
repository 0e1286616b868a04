/*-------------------------------------------------------------------------
 *
 * lshsim.c
 *	  Module magic and initialization.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

#include "compat.h"
#include "lsh/lsh.h"
#include "support/settings.h"

PG_MODULE_MAGIC_EXT(.name = "lshsim",.version = "1.0");

void		_PG_init(void);

/* Define the settings and the reloptions of lsh when the library is loaded. */
void
_PG_init(void)
{
	settings_define();
	lsh_define_options();
}
