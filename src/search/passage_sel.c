/*-------------------------------------------------------------------------
 *
 * passage_sel.c
 *	  Selectivity estimates for shares_passage() and the operator &&~.
 *
 * Most passages are rare: the number of rows that share one with a text does
 * not grow with the table.  So we assume a constant number of rows, for joins
 * and for texts that are unknown at planning time.
 *
 * A footer or a license can be in any share of the rows, and a plan made for ten
 * rows is bad then.  So a text known at planning time is compared with a sample
 * of the column (passage_stats.c), as histogram_selectivity() does.  The sample
 * is small, because a search through an index takes only a few times as long as
 * the comparison.  It shows passages that are in several percent of the rows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "core/shingling.h"
#include "measure/kept_text.h"
#include "measure/shares_passage.h"
#include "passage_sel.h"
#include "passage_stats.h"
#include "support/sibling.h"
#include "type/passage_query.h"

/* The number of rows assumed to share a passage with a text. */
#define MATCHING_ROWS 10

/* The number of rows assumed if it is unknown, or if there is no table. */
#define UNKNOWN_ROWS 1000

/* Bytes to read of the text that is searched for. */
#define SEARCH_BYTES 8192

/* Return the rows of the table that an argument comes from, or 0. */
static double
table_rows(PlannerInfo *root, Node *arg, int varRelid)
{
	VariableStatData data;
	double		rows;

	examine_variable(root, arg, varRelid, &data);
	rows = data.rel == NULL ? 0 : data.rel->tuples;
	ReleaseVariableStats(data);
	return rows;
}

/*
 * Return the share of rows, or of pairs of rows, that are assumed to share a
 * passage: each text of one table has MATCHING_ROWS partners in the larger one.
 */
static double
assumed_share(PlannerInfo *root, List *args, int varRelid)
{
	double		rows = 0;
	ListCell   *arg;

	foreach(arg, args)
		rows = Max(rows, table_rows(root, lfirst(arg), varRelid));
	if (rows <= 0)
		rows = UNKNOWN_ROWS;
	return Min(MATCHING_ROWS / rows, 1);
}

/* Return the beginning of a text, of SEARCH_BYTES or less. */
static text *
beginning(Datum document)
{
	text	   *start = DatumGetTextPSlice(document, 0, SEARCH_BYTES);
	int			len = pg_mbcliplen(VARDATA_ANY(start),
								   VARSIZE_ANY_EXHDR(start), SEARCH_BYTES);

	return cstring_to_text_with_len(VARDATA_ANY(start), len);
}

/* Return true if a run is known and valid, and store it. */
static bool
read_run(PlannerInfo *root, Node *node, uint32 *run)
{
	Const	   *constant = (Const *) estimate_expression_value(root, node);

	if (!IsA(constant, Const) || constant->constisnull)
		return false;
	*run = DatumGetUInt32(constant->constvalue);
	return shingling_is_valid(*run) && shingling_is_for_text(*run) &&
		!shingling_is_bag(*run);
}

/*
 * Return true if the search is known, and store it; other is the argument that
 * is not the column.  Of a long text only the beginning is stored.
 */
static bool
read_search(PlannerInfo *root, List *args, Node *other, PassageQuery *search)
{
	Const	   *constant = (Const *) other;

	if (!IsA(other, Const) || constant->constisnull)
		return false;
	if (list_length(args) == 2)
	{
		if (!passage_query_read(constant->constvalue, search))
			return false;
	}
	else
	{
		if (!read_run(root, lthird(args), &search->run))
			return false;
		search->document = (text *) DatumGetPointer(constant->constvalue);
	}
	search->document = beginning(PointerGetDatum(search->document));
	return text_is_readable(search->document);
}

/* Return the share of rows that a sample shows to share a passage. */
static double
matching_share(const TextSample *sample, const PassageQuery *search)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext context = AllocSetContextCreate(caller, "lshsim passage estimate",
												  ALLOCSET_DEFAULT_SIZES);
	KeptText	kept = {
		.context = AllocSetContextCreate(context, "lshsim kept text",
										 ALLOCSET_DEFAULT_SIZES),
		.by_hash = true
	};
	double		share = 0;

	MemoryContextSwitchTo(context);
	kept_text_set(&kept, search->document, search->run);
	for (int i = 0; i < sample->count; i++)
		if (kept_text_shares(&kept, sample->values[i]))
			share += sample->weights[i];
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
	return share;
}

/* Estimate a search: what the statistics show, but at least a few rows. */
Selectivity
passage_estimate_search(PlannerInfo *root, List *args, int varRelid,
						Oid function)
{
	double		share = assumed_share(root, args, varRelid);
	VariableStatData column;
	PassageQuery search;
	Node	   *other;
	bool		on_left;

	if (!get_restriction_variable(root,
								  list_make2(linitial(args), lsecond(args)),
								  varRelid, &column, &other, &on_left))
		return share;
	if (HeapTupleIsValid(column.statsTuple) &&
		statistic_proc_security_check(&column, function) &&
		read_search(root, args, other, &search))
		share = Max(share, matching_share(sample_texts(&column), &search));
	ReleaseVariableStats(column);
	CLAMP_PROBABILITY(share);
	return share;
}

/* Estimate a join; in a semi-join, we assume that half of the rows match. */
Selectivity
passage_estimate_join(PlannerInfo *root, List *args, JoinType jointype)
{
	if (jointype == JOIN_SEMI || jointype == JOIN_ANTI)
		return 0.5;
	return assumed_share(root, args, 0);
}

/*
 * Restriction selectivity of &&~.  Users can attach it to other operators,
 * whose arguments are not known to be a text and a query.
 */
PG_FUNCTION_INFO_V1(passage_sel);
Datum
passage_sel(PG_FUNCTION_ARGS)
{
	PlannerInfo *root = (PlannerInfo *) PG_GETARG_POINTER(0);
	Oid			function = get_opcode(PG_GETARG_OID(1));
	List	   *args = (List *) PG_GETARG_POINTER(2);
	int			varRelid = PG_GETARG_INT32(3);

	PG_RETURN_FLOAT8(implementation(function) == passage_match ?
					 passage_estimate_search(root, args, varRelid, function) :
					 assumed_share(root, args, varRelid));
}

/* Join selectivity of &&~. */
PG_FUNCTION_INFO_V1(passage_joinsel);
Datum
passage_joinsel(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(passage_estimate_join((PlannerInfo *) PG_GETARG_POINTER(0),
										   (List *) PG_GETARG_POINTER(2),
										   (JoinType) PG_GETARG_INT16(3)));
}
