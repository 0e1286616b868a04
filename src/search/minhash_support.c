/*-------------------------------------------------------------------------
 *
 * minhash_support.c
 *	  Planner support function of minhash_similar and the search operators.
 *
 * The operator classes contain % and @@.  minhash_similar(sig, q, threshold,
 * recall) becomes the index condition sig @@ minhash_query(q, threshold,
 * recall).  Conditions are exact: an lsh index compares signatures itself, and
 * a GIN index has its rows rechecked.
 *
 * gincostestimate() charges for pages read, not for the CPU time that a search
 * spends on entries and candidates, which at low thresholds is many times that
 * of a sequential scan.  An operator class cannot add to this cost.  So a GIN
 * index gets no condition where a sequential scan is estimated to be faster,
 * unless enable_seqscan is off.  But the planner does not ask for a condition
 * where the family of an index contains the operator.  Therefore the operators
 * are simplified to calls of their functions, for which it does ask.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "minhash_sel.h"
#include "similar.h"
#include "support/objects.h"

/* Costs of a GIN search, in units of cpu_operator_cost (test/bench/planner). */
#define LOOKUP_COST 100			/* per band */
#define ENTRY_COST 24			/* per index entry */
#define CANDIDATE_COST 12		/* per row to compare */
#define COMPARE_COST 4			/* per row of a sequential scan */

/* Return the value to search an index for: a minhash or a minhash_query. */
static Node *
find_query(SupportRequestIndexCondition *request, List *args)
{
	Node	   *other = list_nth(args, 1 - request->indexarg);
	FuncExpr   *call;

	if (list_length(args) < 3)
		return other;
	call = sibling_call(request->funcid, "minhash_query",
						lcons(other, list_copy_tail(args, 2)));
	return eval_const_expressions(request->root, (Node *) call);
}

/*
 * Find the operator of an index's operator family for a search value.
 *
 * Another family can use the strategy number for another operator.  An operator
 * equivalent to the condition has the same support function.
 */
static Oid
find_index_operator(const SupportRequestIndexCondition *request, Oid indexed,
					Oid value)
{
	Oid			query = sibling_find_type(request->funcid, "minhash_query");
	Oid			operator = get_opfamily_member(request->opfamily, indexed, value,
											   value == query ? MINHASH_QUERY_STRATEGY :
											   MINHASH_SIMILAR_STRATEGY);

	if (!OidIsValid(operator) ||
		get_func_support(get_opcode(operator)) != get_func_support(request->funcid))
		return InvalidOid;
	return operator;
}

/* Return true if a search by a GIN index is faster than a sequential scan. */
static bool
gin_is_faster(const SupportRequestIndexCondition *request, List *args)
{
	const RelOptInfo *rel = request->index->rel;
	SearchEstimate search = minhash_estimate_call(request->root, args,
												  rel->relid, request->funcid);
	double		candidates = search.candidates * request->index->tuples;
	double		index_cost = seq_page_cost * Min(rel->pages, candidates) +
		cpu_operator_cost * (LOOKUP_COST * search.plan.bands +
							 ENTRY_COST * search.entries *
							 request->index->tuples +
							 CANDIDATE_COST * candidates);
	double		scan_cost = seq_page_cost * rel->pages + rel->tuples *
		(cpu_tuple_cost + COMPARE_COST * cpu_operator_cost);

	return index_cost < scan_cost;
}

/* Derive an index condition; NULL if the index cannot or should not be used. */
static Node *
derive_condition(SupportRequestIndexCondition *request)
{
	List	   *args;
	Node	   *indexed;
	Node	   *query;
	Oid			operator;

	if (!is_funcclause(request->node) || request->indexarg > 1)
		return NULL;
	args = ((FuncExpr *) request->node)->args;
	indexed = list_nth(args, request->indexarg);
	query = find_query(request, args);
	if (query == NULL ||
		!is_pseudo_constant_for_index(request->root, query, request->index))
		return NULL;
	operator = find_index_operator(request, exprType(indexed),
								   exprType(query));
	if (!OidIsValid(operator) ||
		(request->index->relam == GIN_AM_OID && enable_seqscan &&
		 !gin_is_faster(request, args)))
		return NULL;
	request->lossy = false;
	return (Node *) list_make1(make_opclause(operator, BOOLOID, false,
											 (Expr *) indexed, (Expr *) query,
											 InvalidOid, InvalidOid));
}

/* Estimate the selectivity of a call. */
static Node *
estimate_similar_call(SupportRequestSelectivity *request)
{
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

	if (IsA(request, SupportRequestSimplify))
		answer = copyObject((Node *) ((SupportRequestSimplify *) request)->fcall);
	else if (IsA(request, SupportRequestIndexCondition))
		answer = derive_condition((SupportRequestIndexCondition *) request);
	else if (IsA(request, SupportRequestSelectivity))
		answer = estimate_similar_call((SupportRequestSelectivity *) request);
	PG_RETURN_POINTER(answer);
}
