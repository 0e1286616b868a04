/*-------------------------------------------------------------------------
 *
 * minhash_support.c
 *	  Planner support function of minhash_similar and the search operators.
 *
 * A GIN index returns candidates, so its operator class contains only ~%,
 * which is true if two signatures agree in enough bands.  For the planner
 * this is a condition of its own, with a selectivity of its own.  The support
 * function derives it from the conditions that users write:
 *
 *	sig % q			sig ~% q, as a query with the threshold of the setting
 *	sig @@ query	sig ~% query
 *	minhash_similar(sig, q, threshold, recall)
 *					sig ~% minhash_query(q, threshold, recall)
 *
 * and reports it as lossy, so that the original condition remains as a
 * filter.  search_cost.c makes the query of %.
 *
 * The lsh operator class contains % and @@, so the planner does not ask for them.
 * An lsh index returns exactly the matching rows, so minhash_similar becomes @@
 * and needs no filter.
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

#include "minhash_sel.h"
#include "search_cost.h"
#include "similar.h"
#include "support/sibling.h"

/*
 * Return the value to search an index for: the other side of an operator, or
 * a minhash_query equivalent to a call of minhash_similar.  Return NULL for
 * other calls, such as those of the functions behind the operators by name.
 */
static Node *
find_query(SupportRequestIndexCondition *request, List *args)
{
	Node	   *other = list_nth(args, 1 - request->indexarg);
	FuncExpr   *call;

	if (is_opclause(request->node))
		return other;
	if (!is_funcclause(request->node) || list_length(args) < 3)
		return NULL;
	call = call_sibling(request->funcid, "minhash_query",
						lcons(other, list_copy_tail(args, 2)));
	return eval_const_expressions(request->root, (Node *) call);
}

/*
 * Find the operator of an index's operator family for a search value, a minhash
 * or minhash_query: @@, or the candidate operator ~%, which sets *candidates.
 * No index needs % here: where a family contains it, the planner does not ask.
 *
 * Another family can use the strategy number for another operator.  An operator
 * equivalent to the condition has the same support function.
 */
static Oid
find_index_operator(const SupportRequestIndexCondition *request, Oid indexed,
					Oid value, bool *candidates)
{
	Oid			query = find_sibling_type(request->funcid, "minhash_query");
	Oid			operator = get_opfamily_member(request->opfamily, indexed,
											   query, QUERY_STRATEGY);

	if (!OidIsValid(operator))
		return InvalidOid;
	*candidates = implementation(get_opcode(operator)) == minhash_candidate_op;
	if (*candidates ||
		(value == query &&
		 get_func_support(get_opcode(operator)) == get_func_support(request->funcid)))
		return operator;
	return InvalidOid;
}

/* Derive an index condition; NULL if the index cannot be used. */
static Node *
make_index_condition(SupportRequestIndexCondition *request)
{
	List	   *args = is_opclause(request->node) ?
		((OpExpr *) request->node)->args : ((FuncExpr *) request->node)->args;
	IndexOptInfo *index = request->index;
	Node	   *indexed;
	Node	   *query;
	Oid			operator;

	if (request->indexarg > 1)
		return NULL;
	indexed = list_nth(args, request->indexarg);
	query = find_query(request, args);
	if (query == NULL ||
		!is_pseudo_constant_for_index(request->root, query, index))
		return NULL;
	operator = find_index_operator(request, exprType(indexed),
								   exprType(query), &request->lossy);
	if (!OidIsValid(operator))
		return NULL;
	if (request->lossy)
	{
		SearchEstimate estimate = minhash_estimate_call(request->root, args,
														index->rel->relid,
														request->funcid);

		query = add_cost(query, &estimate, index->tuples, request->funcid);
	}
	if (query == NULL)
		return NULL;
	return (Node *) list_make1(make_opclause(operator, BOOLOID, false,
											 (Expr *) indexed, (Expr *) query,
											 InvalidOid, InvalidOid));
}

/* Estimate the selectivity of a call of minhash_similar. */
static Node *
estimate_selectivity(SupportRequestSelectivity *request)
{
	/* Leave calls of the functions behind the operators to the default. */
	if (list_length(request->args) < 3)
		return NULL;
	if (request->is_join)
		request->selectivity = minhash_estimate_join(request->root,
													 request->args,
													 request->jointype,
													 request->sjinfo,
													 request->funcid);
	else
		request->selectivity = minhash_estimate_call(request->root,
													 request->args,
													 request->varRelid,
													 request->funcid).matches;
	return (Node *) request;
}

/* Planner support function: dispatch on the type of request. */
PG_FUNCTION_INFO_V1(minhash_similar_support);
Datum
minhash_similar_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	Node	   *answer = NULL;

	if (IsA(request, SupportRequestIndexCondition))
		answer = make_index_condition((SupportRequestIndexCondition *) request);
	else if (IsA(request, SupportRequestSelectivity))
		answer = estimate_selectivity((SupportRequestSelectivity *) request);
	PG_RETURN_POINTER(answer);
}
