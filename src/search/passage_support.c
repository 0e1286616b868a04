/*-------------------------------------------------------------------------
 *
 * passage_support.c
 *	  Planner support for shares_passage() and the operator &&~.
 *
 * An index condition is an operator, so the call that a user writes becomes
 *
 *	shares_passage(body, q, run)	body &&~ passage_query(q, run)
 *	shares_passage(q, body, run)	body &&~ passage_query(q, run)
 *
 * The two agree on every text, and the operator is rechecked for each row that
 * an index finds, so an index scan needs no filter.  This is done only if the
 * run is known when the query is planned, and if the keys of the index find it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "core/winnow.h"
#include "measure/shares_passage.h"
#include "passage_options.h"
#include "passage_sel.h"
#include "support/sibling.h"

/* Find the operator &&~ in the operator family of an index, if it is there. */
static Oid
find_passage_operator(Oid opfamily, Oid query_type)
{
	Oid			operator = get_opfamily_member(opfamily, TEXTOID, query_type,
											   PASSAGE_STRATEGY);

	return OidIsValid(operator) &&
		implementation(get_opcode(operator)) == passage_match ?
		operator : InvalidOid;
}

/*
 * Return true if the keys of an index column find all texts that share a run,
 * and the run is known.
 */
static bool
index_has_run(const IndexOptInfo *index, int column, Node *run)
{
	const bytea *options = index->opclassoptions == NULL ? NULL :
		index->opclassoptions[column];
	const Const *constant = (Const *) run;

	return IsA(run, Const) && !constant->constisnull &&
		winnow_covers(passage_index_run(options),
					  DatumGetUInt32(constant->constvalue));
}

/*
 * Turn a call of shares_passage() into a condition that an index can check;
 * NULL if this index cannot.
 */
static Node *
make_index_condition(SupportRequestIndexCondition *request)
{
	List	   *args;
	Node	   *run;
	Node	   *searched;
	FuncExpr   *call;
	Node	   *query;
	Oid			operator;

	if (!is_funcclause(request->node) || request->indexarg > 1)
		return NULL;
	args = ((FuncExpr *) request->node)->args;
	if (list_length(args) != 3)
		return NULL;			/* passage_match(), called by name */
	run = lthird(args);
	searched = list_nth(args, 1 - request->indexarg);
	call = call_sibling(request->funcid, "passage_query",
						list_make2(searched, run));
	operator = call != NULL ?
		find_passage_operator(request->opfamily, call->funcresulttype) :
		InvalidOid;
	if (!OidIsValid(operator) ||
		!index_has_run(request->index, request->indexcol, run) ||
		!is_pseudo_constant_for_index(request->root, searched, request->index))
		return NULL;
	query = eval_const_expressions(request->root, (Node *) call);
	request->lossy = false;
	return (Node *) list_make1(make_opclause(operator, BOOLOID, false,
											 list_nth(args, request->indexarg),
											 (Expr *) query,
											 InvalidOid, InvalidOid));
}

/* Estimate the selectivity of a call of shares_passage(). */
static Node *
estimate_selectivity(SupportRequestSelectivity *request)
{
	if (list_length(request->args) != 3)
		return NULL;
	request->selectivity = request->is_join ?
		passage_estimate_join(request->root, request->args, request->jointype) :
		passage_estimate_search(request->root, request->args,
								request->varRelid, request->funcid);
	return (Node *) request;
}

/* Answer the planner's questions about shares_passage(). */
PG_FUNCTION_INFO_V1(shares_passage_support);
Datum
shares_passage_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	Node	   *answer = NULL;

	if (IsA(request, SupportRequestIndexCondition))
		answer = make_index_condition((SupportRequestIndexCondition *) request);
	else if (IsA(request, SupportRequestSelectivity))
		answer = estimate_selectivity((SupportRequestSelectivity *) request);
	PG_RETURN_POINTER(answer);
}
