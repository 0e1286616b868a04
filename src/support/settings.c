/*-------------------------------------------------------------------------
 *
 * settings.c
 *	  The settings of the extension, and who may follow them.
 *
 * An answer may depend on a setting only where the setting is that of the
 * user's session.  A worker of a Citus cluster is a server of its own: what
 * the user SET at the coordinator does not reach it, and a search there would
 * silently answer for another threshold.  Citus names itself in the
 * application_name of its connections, so there a setting can be followed
 * only if this session has set it, as SET LOCAL does with
 * citus.propagate_set_commands = 'local'.  Other searches are refused.
 *
 * A setting from elsewhere (configuration file, database, role) is not enough,
 * even if all nodes have the same: the user's session may have another one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/guc.h"

#include "compat.h"
#include "lshsim.h"

double		lshsim_similarity_threshold = 0.8;
double		lshsim_recall = 0.99;
bool		lshsim_progress = false;

/* Where the values come from. */
static GucSource threshold_source = PGC_S_DEFAULT;
static GucSource recall_source = PGC_S_DEFAULT;

/* Note the source of a value that is to be set. */
static bool
note_source(double *newval, void **extra, GucSource source)
{
	GucSource  *noted = guc_malloc(LOG, sizeof(GucSource));

	if (noted == NULL)
		return false;
	*noted = source;
	*extra = noted;
	return true;
}

/* Remember where the threshold comes from. */
static void
assign_threshold(double newval, void *extra)
{
	threshold_source = *(GucSource *) extra;
}

/* Remember where the recall comes from. */
static void
assign_recall(double newval, void *extra)
{
	recall_source = *(GucSource *) extra;
}

/* Define the settings when the module is loaded. */
void
define_settings(void)
{
	DefineCustomRealVariable("lshsim.similarity_threshold",
							 "Sets the similarity at or above which the % operator is true.",
							 "Estimated Jaccard similarity, 0 to 1.",
							 &lshsim_similarity_threshold,
							 0.8, 0.0, 1.0,
							 PGC_USERSET, GUC_EXPLAIN,
							 note_source, assign_threshold, NULL);
	DefineCustomRealVariable("lshsim.recall",
							 "Sets the share of similar pairs that a search must find.",
							 "0 to 1; with 1 every row is compared, unless the threshold is 1 too.",
							 &lshsim_recall,
							 0.99, 0.0, 1.0,
							 PGC_USERSET, GUC_EXPLAIN,
							 note_source, assign_recall, NULL);
	DefineCustomBoolVariable("lshsim.progress",
							 "Reports the progress of minhash_cluster and of the advice functions.",
							 "Progress is sent as NOTICE messages, which the client receives at once.",
							 &lshsim_progress,
							 false,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	MarkGUCPrefixReserved("lshsim");
}

/*
 * Tell whether Citus opened this session, on behalf of another one: as
 * "citus_internal gpid=...", "citus_run_command gpid=..." and the like.
 */
static bool
is_citus_worker(void)
{
	return application_name != NULL &&
		strncmp(application_name, "citus_", strlen("citus_")) == 0 &&
		strstr(application_name, " gpid=") != NULL;
}

/* Refuse to follow a setting that the user's session may have otherwise. */
static void
check_source(GucSource source, const char *name)
{
	if (source >= PGC_S_INTERACTIVE || !is_citus_worker())
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot follow %s on a Citus worker", name),
			 errdetail("What is set in your session does not reach the workers."),
			 errhint("Use minhash_similar, minhash_query or minhash_cluster with both threshold and recall, or SET LOCAL both settings with citus.propagate_set_commands = 'local'.")));
}

/* Return the threshold for an answer. */
double
setting_similarity_threshold(void)
{
	check_source(threshold_source, "lshsim.similarity_threshold");
	return lshsim_similarity_threshold;
}

/* Return the recall for an answer. */
double
setting_recall(void)
{
	check_source(recall_source, "lshsim.recall");
	return lshsim_recall;
}

/* Return the setting lshsim.similarity_threshold. */
PG_FUNCTION_INFO_V1(lshsim_threshold_function);
Datum
lshsim_threshold_function(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(setting_similarity_threshold());
}

/* Return the setting lshsim.recall. */
PG_FUNCTION_INFO_V1(lshsim_recall_function);
Datum
lshsim_recall_function(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(setting_recall());
}
