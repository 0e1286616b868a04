/*-------------------------------------------------------------------------
 *
 * lsh_handler.c
 *	  Handler of the access method lsh: capabilities, options, validation.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/amvalidate.h"
#include "access/htup_details.h"
#include "access/reloptions.h"
#include "catalog/pg_amop.h"
#include "catalog/pg_opclass.h"
#include "commands/progress.h"
#include "commands/vacuum.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

#include "lsh_build.h"
#include "passages/passage_keys.h"

/*
 * Strategies 1 and 2 of signatures are in search/similar.h.  Passages have the
 * strategy and the options function of GIN (passages/passage_keys.h).
 */
#define LSH_DISTANCE_STRATEGY 3 /* ORDER BY sig <-> sig */
#define LSH_STRATEGIES 3
#define LSH_OPTIONS_FUNCTION 1
#define LSH_SUPPORT_FUNCTIONS 1

/*** Options ***/

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

/*** Operator classes ***/

/* Return true if an operator has the types that its strategy needs. */
static bool
fits_strategy(const FormData_pg_amop *form)
{
	bool		is_order = form->amopstrategy == LSH_DISTANCE_STRATEGY;

	return (form->amoppurpose == AMOP_ORDER) == is_order &&
		(!is_order || opfamily_can_sort_type(form->amopsortfamily, FLOAT8OID)) &&
		check_amop_signature(form->amopopr, is_order ? FLOAT8OID : BOOLOID,
							 form->amoplefttype, form->amoprighttype);
}

/* Check all operators of the family; collect the strategies of the class. */
static bool
check_operators(const FormData_pg_opclass *opclass, int *strategies)
{
	CatCList   *list = SearchSysCacheList1(AMOPSTRATEGY,
										   ObjectIdGetDatum(opclass->opcfamily));
	bool		valid = true;

	for (int i = 0; i < list->n_members; i++)
	{
		Form_pg_amop form = (Form_pg_amop) GETSTRUCT(&list->members[i]->tuple);

		if (!fits_strategy(form))
		{
			ereport(INFO,
					(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
					 errmsg("operator class \"%s\" of access method %s contains operator %s, which does not fit strategy %d",
							NameStr(opclass->opcname), "lsh",
							format_operator(form->amopopr), form->amopstrategy)));
			valid = false;
		}
		else if (form->amoplefttype == opclass->opcintype)
			*strategies |= 1 << form->amopstrategy;
	}
	ReleaseCatCacheList(list);
	return valid;
}

/*
 * Check an operator class and its family: amvalidate.  The server has checked the
 * numbers of strategies, and the only support function, which is for options.
 */
static bool
lsh_validate(Oid opclass)
{
	HeapTuple	tuple = SearchSysCache1(CLAOID, ObjectIdGetDatum(opclass));
	Form_pg_opclass form;
	int			strategies = 0;
	int			wanted;
	bool		valid;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator class %u", opclass);
	form = (Form_pg_opclass) GETSTRUCT(tuple);
	valid = check_operators(form, &strategies);
	wanted = lsh_holds_passages(form->opcintype) ? 1 << PASSAGE_STRATEGY :
		(1 << (LSH_STRATEGIES + 1)) - 2;
	if (strategies != wanted)
	{
		ereport(INFO,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("operator class \"%s\" of access method %s is missing operators",
						NameStr(form->opcname), "lsh")));
		valid = false;
	}
	ReleaseSysCache(tuple);
	return valid;
}

/*** Handler ***/

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
			return "writing tree";
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
	*result = !lsh_holds_passages(get_opclass_input_type(get_index_column_opclass(index, attno)));
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
#if PG_VERSION_NUM >= 170000
	.amcanbuildparallel = true, /* older servers do not ask */
#endif
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
	PG_RETURN_POINTER(compat_handed_over(&lsh_routine));
}
