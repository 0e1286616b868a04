/*-------------------------------------------------------------------------
 *
 * lsh_handler.c
 *	  The access method lsh: what it is capable of, and its options.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/amapi.h"
#include "access/reloptions.h"
#include "commands/progress.h"
#include "commands/vacuum.h"

#include "lsh_am.h"
#include "lsh_page.h"

static relopt_kind lsh_relopt_kind;

/* Define the options of an index, when the module is loaded. */
void
lsh_define_options(void)
{
	lsh_relopt_kind = add_reloption_kind();
	add_int_reloption(lsh_relopt_kind, "fillfactor",
					  "Percentage to which the pages of the tree are filled when the index is built",
					  LSH_DEFAULT_FILLFACTOR, LSH_MIN_FILLFACTOR, 100,
					  ShareUpdateExclusiveLock);
}

/* Read the options of an index. */
static bytea *
lsh_options(Datum reloptions, bool validate)
{
	static const relopt_parse_elt table[] = {
		{"fillfactor", RELOPT_TYPE_INT, offsetof(LshOptions, fillfactor)}
	};

	return (bytea *) build_reloptions(reloptions, validate, lsh_relopt_kind,
									  sizeof(LshOptions), table,
									  lengthof(table));
}

/* Return how full the pages of an index are made. */
int
lsh_fillfactor(Relation index)
{
	LshOptions *options = (LshOptions *) index->rd_options;

	return options == NULL ? LSH_DEFAULT_FILLFACTOR : options->fillfactor;
}

/* Return the name of a phase of CREATE INDEX. */
static char *
lsh_phase_name(int64 phase)
{
	switch (phase)
	{
		case PROGRESS_CREATEIDX_SUBPHASE_INITIALIZE:
			return "initializing";
		case LSH_PHASE_STORE:
			return "reading table";
		case LSH_PHASE_TREE:
			return "writing bands";
		case LSH_PHASE_LOG:
			return "writing WAL";
		default:
			return NULL;
	}
}

/* Tell what the index is capable of, where the server does not know. */
static bool
lsh_property(Oid index, int attno, IndexAMProperty property,
			 const char *name, bool *result, bool *isnull)
{
	if (property != AMPROP_DISTANCE_ORDERABLE || attno == 0)
		return false;
	*result = true;
	return true;
}

/* Set what the access method is capable of. */
static void
set_capabilities(IndexAmRoutine *am)
{
	am->amstrategies = LSH_STRATEGIES;
	am->amcanorderbyop = true;
	am->amoptionalkey = true;	/* for scans that have an order only */
	am->amusemaintenanceworkmem = false;
	am->amparallelvacuumoptions =
		VACUUM_OPTION_PARALLEL_BULKDEL | VACUUM_OPTION_PARALLEL_COND_CLEANUP;
	am->amkeytype = InvalidOid;
}

/* Describe the access method to the server. */
PG_FUNCTION_INFO_V1(lsh_handler);
Datum
lsh_handler(PG_FUNCTION_ARGS)
{
	IndexAmRoutine *am = makeNode(IndexAmRoutine);

	set_capabilities(am);
	am->ambuild = lsh_build;
	am->ambuildempty = lsh_build_empty;
	am->aminsert = lsh_insert;
	am->ambulkdelete = lsh_bulk_delete;
	am->amvacuumcleanup = lsh_vacuum_cleanup;
	am->amcostestimate = lsh_cost_estimate;
	am->amoptions = lsh_options;
	am->amproperty = lsh_property;
	am->ambuildphasename = lsh_phase_name;
	am->amvalidate = lsh_validate;
	am->ambeginscan = lsh_begin_scan;
	am->amrescan = lsh_rescan;
	am->amgettuple = lsh_get_tuple;
	am->amgetbitmap = lsh_get_bitmap;
	am->amendscan = lsh_end_scan;
	PG_RETURN_POINTER(am);
}
