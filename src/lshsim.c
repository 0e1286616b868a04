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
