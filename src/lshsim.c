/*-------------------------------------------------------------------------
 *
 * lshsim.c
 *	  The module and its settings.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/guc.h"

#include "compat.h"
#include "lshsim.h"

#if PG_VERSION_NUM >= 180000
PG_MODULE_MAGIC_EXT(.name = "lshsim",.version = "1.0");
#else
PG_MODULE_MAGIC;
#endif

double		lshsim_similarity_threshold = 0.8;
double		lshsim_recall = 0.99;
bool		lshsim_progress = false;

void		_PG_init(void);

/* Define the settings when the module is loaded. */
void
_PG_init(void)
{
	DefineCustomRealVariable("lshsim.similarity_threshold",
							 "Sets the similarity from which on the % operator is true.",
							 "Estimated Jaccard similarity, 0 to 1.",
							 &lshsim_similarity_threshold,
							 0.8, 0.0, 1.0,
							 PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomRealVariable("lshsim.recall",
							 "Sets the share of similar pairs that a search must find.",
							 "0 to 1; with 1 every row is compared, unless the threshold is 1 too.",
							 &lshsim_recall,
							 0.99, 0.0, 1.0,
							 PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomBoolVariable("lshsim.progress",
							 "Reports how far minhash_cluster is.",
							 "Every band is a NOTICE, which the client receives at once.",
							 &lshsim_progress,
							 false,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	MarkGUCPrefixReserved("lshsim");
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
