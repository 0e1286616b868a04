/*-------------------------------------------------------------------------
 *
 * settings.c
 *	  The settings of the extension, the threshold of % on Citus workers, and settings
 *	  of the server while the extension works.
 *
 * The result of % may depend on a setting only if that has the value of the
 * user's session.  A Citus worker is a server of its own: a SET at the
 * coordinator does not reach it, and % there would silently use another
 * threshold.  Citus connections are known by their application_name.  On such a
 * connection the threshold is used only if this session has SET it, as SET LOCAL
 * does with citus.propagate_set_commands = 'local'; otherwise % is refused.
 *
 * A value from the configuration file, ALTER DATABASE or ALTER ROLE does not
 * count, even if all nodes have the same, because the user's session may have
 * overridden it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/guc.h"

#include "compat.h"
#include "settings.h"

double		lshsim_similarity_threshold = 0.8;
bool		lshsim_progress = false;

static GucSource threshold_source = PGC_S_DEFAULT;

/*
 * GUC check hook: refuse 0, and pass the source of a new value on to the assign
 * hook.
 */
static bool
check_threshold(double *newval, void **extra, GucSource source)
{
	GucSource  *noted;

	if (*newval == 0)
	{
		GUC_check_errdetail("Valid values are greater than 0, and at most 1.");
		return false;
	}
	noted = guc_malloc(LOG, sizeof(GucSource));
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

/* Define the settings. */
void
settings_define(void)
{
	DefineCustomRealVariable("lshsim.similarity_threshold",
							 "Sets the similarity at or above which the % operator is true.",
							 "Estimated Jaccard similarity, greater than 0, at most 1.",
							 &lshsim_similarity_threshold,
							 0.8, 0.0, 1.0,
							 PGC_USERSET, GUC_EXPLAIN,
							 check_threshold, assign_threshold, NULL);
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

/* Return the threshold of %, or refuse one that may not be the user's. */
double
setting_similarity_threshold(void)
{
	if (threshold_source < PGC_S_INTERACTIVE && is_citus_worker())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot follow %s on a Citus worker",
						"lshsim.similarity_threshold"),
				 errdetail("A SET in the client's session does not reach the workers."),
				 errhint("Use minhash_similar or minhash_query with a threshold, or SET LOCAL the setting with citus.propagate_set_commands = 'local'.")));
	return lshsim_similarity_threshold;
}

/* Set settings of the server; return the level for AtEOXact_GUC(). */
int
settings_override(const char *const settings[][2], int count)
{
	int			level = NewGUCNestLevel();

	for (int i = 0; i < count; i++)
		(void) set_config_option(settings[i][0], settings[i][1], PGC_USERSET, PGC_S_SESSION,
								 GUC_ACTION_SAVE, true, 0, false);
	return level;
}
