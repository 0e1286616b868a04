/*-------------------------------------------------------------------------
 *
 * passage_support.c
 *	  Planner support for shares_passage() and the operator &&~.
 *
 * An index condition is an operator, so the call that a user writes becomes
 *
 *	shares_passage(body, q, run, length, edits)
 *	shares_passage(q, body, run, length, edits)
 *		body &&~ passage_query(q, run, length, edits)
 *
 * The two agree on every text, and the operator is rechecked for each row that
 * an index finds, so an index scan needs no filter.  This is done only if the
 * run is known when the query is planned, and if the keys of the index find it,
 * or the longer run that the length and the edits imply.
 *
 * Most passages are rare: the number of rows that share one with a text does
 * not grow with the table.  So we assume a constant number of rows, for joins
 * and for texts that are unknown at planning time.
 *
 * A footer or a license can be in any share of the rows, and then a plan made for
 * ten rows is slow: in test/bench/planner, a constant estimate doubles the number
 * of forms that take 1.5 times as long as the other plan, above all of filters and
 * of ORDER BY with LIMIT.  So a text known at planning time is compared with a
 * sample of the column (passage_stats.c), as histogram_selectivity() does.  The
 * sample is small, because a search through an index takes only a few times as
 * long as the comparison.
 *
 * An index finds all rows that hold a long enough run, and all of these
 * candidates are rechecked.  With edits, or a length beyond the run, many more
 * rows can be candidates than match.  The server takes the selectivity of an
 * index condition for the share of rows that a scan fetches, and that of the
 * call for the share that it returns.  So passage_sel() estimates candidates,
 * also for users who write the operator.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "core/base/hash.h"
#include "passage_keys.h"
#include "passage_stats.h"
#include "shares_passage.h"
#include "support/objects.h"
#include "support/server_memory.h"

/* The number of rows assumed to share a passage with a text. */
#define MATCHING_ROWS 10

/* The number of rows assumed if it is unknown, or if there is no table. */
#define UNKNOWN_ROWS 1000

#define CALL_ARGS 5				/* of shares_passage() */

/* Bytes to compare of the text that is searched for. */
#define SEARCH_BYTES 8192

/*** Selectivity ***/

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
	{
		double		here = table_rows(root, lfirst(arg), varRelid);

		rows = Max(rows, here);
	}
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

/* Return true if an argument is a constant, and store its value. */
static bool
read_constant(Node *node, Datum *value)
{
	Const	   *constant = (Const *) node;

	if (!IsA(node, Const) || constant->constisnull)
		return false;
	*value = constant->constvalue;
	return true;
}

/* Return true if all arguments behind the texts are constants, and store them. */
static bool
read_constants(List *args, Datum *values)
{
	for (int i = 0; i < 3; i++)
		if (!read_constant(list_nth(args, i + 2), &values[i]))
			return false;
	return true;
}

/* Set all of a query but its text; return false if a value is not valid. */
static bool
set_rule(PassageQuery *query, const Datum *values)
{
	return passage_query_set(query, DatumGetUInt32(values[0]),
							 DatumGetInt32(values[1]), DatumGetInt32(values[2]));
}

/*
 * Return true if the search is known, and store it; other is the argument that
 * is not the column.  Of an operator, store what makes a candidate.  Of a long
 * text only the beginning is stored.
 */
static bool
read_search(PlannerInfo *root, List *args, Node *other, PassageQuery *search)
{
	Datum		value;
	Datum		values[3];

	if (!read_constant(other, &value))
		return false;
	if (list_length(args) == 2)
	{
		if (!passage_query_read(value, false, search))
			return false;
		passage_query_set(search, search->seed, 0, 0);
	}
	else
	{
		args = (List *) estimate_expression_value(root, (Node *) args);
		if (!read_constants(args, values) || !set_rule(search, values))
			return false;
		search->document = (text *) DatumGetPointer(value);
	}
	search->document = beginning(PointerGetDatum(search->document));
	return true;
}

/* Return a hash of a search, whose values users cannot choose. */
static uint64
search_hash(const PassageQuery *search)
{
	const text *document = search->document;
	uint64		rule[] = {search->run, search->rule.length, search->rule.edits};

	return shingle_hash(VARDATA_ANY(document), VARSIZE_ANY_EXHDR(document),
						shingle_hash(rule, sizeof(rule), server_secret()));
}

/*
 * Return the share of rows that a sample shows to share a passage.  The planner
 * asks once for the call and once for the condition of each index, and most
 * often with the same search.
 */
static double
sharing_rows(TextSample *sample, const PassageQuery *search)
{
	uint64		hash = search_hash(search);
	KeptText	kept = {0};
	double		share = 0;

	if (sample->search == hash)
		return sample->share;
	kept.context = AllocSetContextCreate(CurrentMemoryContext,
										 "lshsim passage estimate",
										 ALLOCSET_DEFAULT_SIZES);
	kept_text_set(&kept, search);
	for (int i = 0; i < sample->count; i++)
		if (kept_text_shares(&kept, sample->values[i]))
			share += sample->weights[i];
	MemoryContextDelete(kept.context);
	sample->search = hash;
	sample->share = share;
	return share;
}

/* Estimate a search: what the statistics show, but at least a few rows. */
static Selectivity
estimate_passage_search(PlannerInfo *root, List *args, int varRelid, Oid function)
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
		GetDatabaseEncoding() == PG_UTF8 &&
		statistic_proc_security_check(&column, function) &&
		read_search(root, args, other, &search))
	{
		double		sampled = sharing_rows(passage_stats_sample(column.statsTuple),
										   &search);

		share = Max(share, sampled);
	}
	ReleaseVariableStats(column);
	CLAMP_PROBABILITY(share);
	return share;
}

/* Estimate a join; in a semi-join, we assume that half of the rows match. */
static Selectivity
estimate_join(PlannerInfo *root, List *args, JoinType jointype)
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

	PG_RETURN_FLOAT8(sibling_implementation(function) == passage_match ?
					 estimate_passage_search(root, args, varRelid, function) :
					 assumed_share(root, args, varRelid));
}

/* Join selectivity of &&~. */
PG_FUNCTION_INFO_V1(passage_joinsel);
Datum
passage_joinsel(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(estimate_join((PlannerInfo *) PG_GETARG_POINTER(0),
								   (List *) PG_GETARG_POINTER(2),
								   (JoinType) PG_GETARG_INT16(3)));
}

/* Estimate the selectivity of a call of shares_passage(). */
static Node *
estimate_passage_call(SupportRequestSelectivity *request)
{
	if (list_length(request->args) != CALL_ARGS)
		return NULL;
	request->selectivity = request->is_join ?
		estimate_join(request->root, request->args, request->jointype) :
		estimate_passage_search(request->root, request->args, request->varRelid,
								request->funcid);
	return (Node *) request;
}

/*** Index conditions ***/

/* Find the operator &&~ in the operator family of an index, if it is there. */
static Oid
find_passage_operator(Oid opfamily, Oid query_type)
{
	Oid			operator = get_opfamily_member(opfamily, TEXTOID, query_type,
											   PASSAGE_STRATEGY);

	return OidIsValid(operator) &&
		sibling_implementation(get_opcode(operator)) == passage_match ?
		operator : InvalidOid;
}

/*
 * Return true if the keys of an index column find all texts that share a
 * passage: if its run is known, and that of the index is not longer.  It can be
 * as long as a seed if the length and the edits are known, too.  An invalid one is
 * left to the call, because the planner must not fail for a branch that never runs.
 */
static bool
index_finds(const IndexOptInfo *index, int column, List *args)
{
	const bytea *options = index->opclassoptions == NULL ? NULL :
		index->opclassoptions[column];
	uint32		run = passage_index_run(options);
	PassageQuery query;
	Datum		values[3];

	if (read_constants(args, values))
		return set_rule(&query, values) && winnow_covers(run, query.seed);
	return read_constant(lthird(args), &values[0]) &&
		winnow_covers(run, DatumGetUInt32(values[0]));
}

/*
 * Turn a call of shares_passage() into a condition that an index can check;
 * NULL if this index cannot.
 */
static Node *
make_passage_condition(SupportRequestIndexCondition *request)
{
	List	   *args;
	Node	   *searched;
	FuncExpr   *call;
	Node	   *query;
	Oid			operator;

	if (!is_funcclause(request->node) || request->indexarg > 1)
		return NULL;
	args = ((FuncExpr *) request->node)->args;
	if (list_length(args) != CALL_ARGS)
		return NULL;			/* passage_match(), called by name */
	searched = list_nth(args, 1 - request->indexarg);
	call = sibling_call(request->funcid, "passage_query",
						lcons(searched, list_copy_tail(args, 2)));
	operator = call != NULL ?
		find_passage_operator(request->opfamily, call->funcresulttype) :
		InvalidOid;
	if (!OidIsValid(operator) ||
		!index_finds(request->index, request->indexcol, args) ||
		!is_pseudo_constant_for_index(request->root, searched, request->index))
		return NULL;
	query = eval_const_expressions(request->root, (Node *) call);
	request->lossy = false;
	return (Node *) list_make1(make_opclause(operator, BOOLOID, false,
											 list_nth(args, request->indexarg),
											 (Expr *) query,
											 InvalidOid, InvalidOid));
}

/* Answer the planner's questions about shares_passage(). */
PG_FUNCTION_INFO_V1(shares_passage_support);
Datum
shares_passage_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	Node	   *answer = NULL;

	if (IsA(request, SupportRequestIndexCondition))
		answer = make_passage_condition((SupportRequestIndexCondition *) request);
	else if (IsA(request, SupportRequestSelectivity))
		answer = estimate_passage_call((SupportRequestSelectivity *) request);
	PG_RETURN_POINTER(answer);
}
