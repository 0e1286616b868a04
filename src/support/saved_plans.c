/*-------------------------------------------------------------------------
 *
 * saved_plans.c
 *	  Plans of statements that a session runs again and again.
 *
 * A plan is found by the text of its statement and the types of its arguments.
 * The types belong to the key because the type minhash has another OID after
 * DROP EXTENSION and CREATE EXTENSION.
 *
 * The first MAX_SAVED_PLANS are kept for the session, not more, because statements
 * contain names of tables, which a session may create and drop without end.  None
 * is freed, because it may be running: a statement can fire triggers that come
 * back here.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "utils/guc.h"
#include "utils/hsearch.h"

#include "saved_plans.h"

#define MAX_SAVED_PLANS 256

/* A plan of this session. */
typedef struct SavedPlan
{
	uint64		hash;			/* of its text and the types of arguments */
	SPIPlanPtr	plan;
} SavedPlan;

static HTAB *saved_plans = NULL;

/* Return the source of a plan of one statement. */
CachedPlanSource *
plan_source(SPIPlanPtr plan)
{
	return linitial(SPI_plan_get_plan_sources(plan));
}

/* Make a plan that ends with the connection to SPI. */
SPIPlanPtr
make_plan(const char *sql, int nargs, const Oid *types)
{
	SPIPlanPtr	plan = SPI_prepare(sql, nargs, unconstify(Oid *, types));

	if (plan == NULL)
		elog(ERROR, "could not prepare \"%s\": %s", sql,
			 SPI_result_code_string(SPI_result));
	return plan;
}

/* Return true if a plan is that of a statement with arguments of some types. */
static bool
is_plan_of(SPIPlanPtr plan, const char *sql, int nargs, const Oid *types)
{
	const CachedPlanSource *source = plan_source(plan);

	return strcmp(source->query_string, sql) == 0 && source->num_params == nargs &&
		(nargs == 0 || memcmp(source->param_types, types, sizeof(Oid) * nargs) == 0);
}

/* Find the plan of a statement, or make it. */
SPIPlanPtr
saved_plan(const char *sql, int nargs, const Oid *types)
{
	uint64		hash = hash_bytes_extended((const unsigned char *) sql,
										   (int) strlen(sql), 0);
	SavedPlan  *saved;
	SPIPlanPtr	plan;

	if (nargs > 0)
		hash = hash_bytes_extended((const unsigned char *) types,
								   (int) sizeof(Oid) * nargs, hash);
	if (saved_plans == NULL)
	{
		HASHCTL		control = {
			.keysize = sizeof(uint64),
			.entrysize = sizeof(SavedPlan)
		};

		saved_plans = hash_create("lshsim saved plans", 32, &control,
								  HASH_ELEM | HASH_BLOBS);
	}
	saved = hash_search(saved_plans, &hash, HASH_FIND, NULL);
	if (saved != NULL && is_plan_of(saved->plan, sql, nargs, types))
		return saved->plan;
	plan = make_plan(sql, nargs, types);
	if (saved == NULL && hash_get_num_entries(saved_plans) < MAX_SAVED_PLANS)
	{
		SPI_keepplan(plan);
		saved = hash_search(saved_plans, &hash, HASH_ENTER, NULL);
		saved->plan = plan;
	}
	return plan;
}

/*
 * Make settings for plans that are saved.  JIT would compile each plan without
 * an index, because a disabled scan has a high cost.
 */
int
use_indexes(void)
{
	static const char *const settings[][2] = {
		{"enable_seqscan", "off"}, {"enable_hashjoin", "off"},
		{"enable_mergejoin", "off"}, {"jit", "off"},
		{"plan_cache_mode", "force_generic_plan"}
	};
	int			level = NewGUCNestLevel();

	for (int i = 0; i < (int) lengthof(settings); i++)
		(void) set_config_option(settings[i][0], settings[i][1], PGC_USERSET,
								 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	return level;
}
