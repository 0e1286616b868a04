/*-------------------------------------------------------------------------
 *
 * lsh_handler.c
 *	  Handler of the access method lsh: its capabilities and options.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/amapi.h"
#include "access/reloptions.h"
#include "catalog/pg_type.h"
#include "commands/progress.h"
#include "commands/vacuum.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "lsh_am.h"
#include "lsh_node.h"

static relopt_kind lsh_relopt_kind;

/* Register the storage parameters of an index. */
void
lsh_define_options(void)
{
	lsh_relopt_kind = add_reloption_kind();
	add_int_reloption(lsh_relopt_kind, "fillfactor",
					  "Percentage to which the pages of the tree are filled when the index is built",
					  LSH_DEFAULT_FILLFACTOR, LSH_MIN_FILLFACTOR, 100,
					  ShareUpdateExclusiveLock);
}

/* Parse the storage parameters of an index: amoptions. */
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

/* Return the name of a phase of CREATE INDEX: ambuildphasename. */
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

/* Report that a column of signatures can be ordered by distance: amproperty. */
static bool
lsh_property(Oid index, int attno, IndexAMProperty property,
			 const char *name, bool *result, bool *isnull)
{
	if (property != AMPROP_DISTANCE_ORDERABLE || attno == 0)
		return false;
	*result = get_opclass_input_type(get_index_column_opclass(index, attno)) !=
		TEXTOID;
	return true;
}

/* Capabilities and functions of the access method. */
static const IndexAmRoutine lsh_routine = {
	.type = T_IndexAmRoutine,
	.amstrategies = LSH_STRATEGIES,
	.amsupport = LSH_SUPPORT_FUNCTIONS,
	.amoptsprocnum = LSH_OPTIONS_FUNCTION,
	.amcanorderbyop = true,
	.amoptionalkey = true,		/* a scan may have an order only */
	LSH_CAN_BUILD_PARALLEL
	.amusemaintenanceworkmem = false,
	.amparallelvacuumoptions =
	VACUUM_OPTION_PARALLEL_BULKDEL | VACUUM_OPTION_PARALLEL_COND_CLEANUP,
	.amkeytype = InvalidOid,
	.ambuild = lsh_build,
	.ambuildempty = lsh_build_empty,
	.aminsert = lsh_insert,
	.ambulkdelete = lsh_bulk_delete,
	.amvacuumcleanup = lsh_vacuum_cleanup,
	.amcostestimate = lsh_cost_estimate,
	.amoptions = lsh_options,
	.amproperty = lsh_property,
	.ambuildphasename = lsh_phase_name,
	.amvalidate = lsh_validate,
	.ambeginscan = lsh_begin_scan,
	.amrescan = lsh_rescan,
	.amgettuple = lsh_get_tuple,
	.amgetbitmap = lsh_get_bitmap,
	.amendscan = lsh_end_scan,
};

/* SQL function: the handler of the access method. */
PG_FUNCTION_INFO_V1(lsh_handler);
Datum
lsh_handler(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(lsh_handed_over(&lsh_routine));
}
