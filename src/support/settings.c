/*-------------------------------------------------------------------------
 *
 * settings.c
 *	  The settings of the extension, and their use on Citus workers.
 *
 * Query results may depend on a setting only if it has the value of the user's
 * session.  A Citus worker is a server of its own: a SET at the coordinator
 * does not reach it, and a search there would silently use another threshold.
 * Citus connections are known by their application_name.  On such a connection
 * a setting is used only if this session has SET it, as SET LOCAL does with
 * citus.propagate_set_commands = 'local'; otherwise the search is refused.
 *
 * A value from the configuration file, ALTER DATABASE or ALTER ROLE does not
 * count, even if all nodes have the same, because the user's session may have
 * overridden it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/guc.h"

#include "compat.h"
#include "settings.h"

double		lshsim_similarity_threshold = 0.8;
double		lshsim_recall = 0.99;
bool		lshsim_progress = false;

/* The sources of the current values. */
static GucSource threshold_source = PGC_S_DEFAULT;
static GucSource recall_source = PGC_S_DEFAULT;

/* GUC check hook: pass the source of a new value on to the assign hook. */
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

/* GUC assign hook: remember the source of the threshold. */
static void
assign_threshold(double newval, void *extra)
{
	threshold_source = *(GucSource *) extra;
}

/* GUC assign hook: remember the source of the recall. */
static void
assign_recall(double newval, void *extra)
{
	recall_source = *(GucSource *) extra;
}

/* Define the settings. */
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
							 "Reports the progress of functions that compare all rows of a table.",
							 "Progress is sent as NOTICE messages, which the client receives at once.",
							 &lshsim_progress,
							 false,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	MarkGUCPrefixReserved("lshsim");
}

/*
 * Return true if Citus opened this session on behalf of another: its
 * application_name is "citus_internal gpid=...", "citus_run_command gpid=..."
 * or similar.
 */
static bool
is_citus_worker(void)
{
	return application_name != NULL &&
		strncmp(application_name, "citus_", strlen("citus_")) == 0 &&
		strstr(application_name, " gpid=") != NULL;
}

/* Refuse a setting that may have another value in the user's session. */
static void
check_source(GucSource source, const char *name)
{
	if (source >= PGC_S_INTERACTIVE || !is_citus_worker())
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot follow %s on a Citus worker", name),
			 errdetail("A SET in your session does not reach the workers."),
			 errhint("Use minhash_similar, minhash_query or minhash_cluster with both threshold and recall, or SET LOCAL both settings with citus.propagate_set_commands = 'local'.")));
}

/* Return the threshold for deciding which rows are similar. */
double
setting_similarity_threshold(void)
{
	check_source(threshold_source, "lshsim.similarity_threshold");
	return lshsim_similarity_threshold;
}

/* Return the recall that a search must reach. */
double
setting_recall(void)
{
	check_source(recall_source, "lshsim.recall");
	return lshsim_recall;
}

/* Return the setting lshsim.similarity_threshold to SQL. */
PG_FUNCTION_INFO_V1(lshsim_similarity_threshold_function);
Datum
lshsim_similarity_threshold_function(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(setting_similarity_threshold());
}

/* Return the setting lshsim.recall to SQL. */
PG_FUNCTION_INFO_V1(lshsim_recall_function);
Datum
lshsim_recall_function(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(setting_recall());
}
