/*-------------------------------------------------------------------------
 *
 * minhash_support.c
 *	  What the planner is told about minhash_similar and the operators.
 *
 * The condition minhash_similar(sig, q, threshold [, recall]) is turned into
 * sig @@ minhash_query(q, threshold [, recall]), which a GIN index can
 * answer.  It is left alone where the plan would be to compare all, which a
 * sequential scan does better.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "lshsim.h"
#include "minhash_gin.h"
#include "minhash_sel.h"
#include "settings_shipping.h"
#include "similar.h"
#include "type/minhash_query.h"

/*
 * Find the function minhash_query that lies beside the function called.
 *
 * Not by name, since the user may have no right to look into its schema: a view
 * can call what its reader could not.
 */
static Oid
find_query_constructor(const FuncExpr *call, Oid minhash_type)
{
	Oid			arg_types[] = {minhash_type, FLOAT8OID, FLOAT8OID};
	int			num_args = list_length(call->args) - 1;
	Oid			namespace = get_func_namespace(call->funcid);

	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
						   CStringGetDatum("minhash_query"),
						   PointerGetDatum(buildoidvector(arg_types, num_args)),
						   ObjectIdGetDatum(namespace));
}

/* Make the expression minhash_query(q, threshold [, recall]) of a call. */
static Node *
make_query_expression(PlannerInfo *root, const FuncExpr *call, int indexarg,
					  Oid *query_type)
{
	Node	   *other = list_nth(call->args, 1 - indexarg);
	Oid			constructor = find_query_constructor(call, exprType(other));
	List	   *args;

	if (!OidIsValid(constructor))
		return NULL;
	*query_type = get_func_rettype(constructor);
	args = lcons(other, list_copy_tail(call->args, 2));
	return eval_const_expressions(root,
								  (Node *) makeFuncExpr(constructor, *query_type,
														args, InvalidOid,
														InvalidOid,
														COERCE_EXPLICIT_CALL));
}

/* Tell whether a query is known to have the plan to compare all. */
static bool
is_compare_all(Node *query)
{
	MinHashQuery *value;

	if (!IsA(query, Const) || ((Const *) query)->constisnull)
		return false;
	value = DatumGetMinHashQuery(((Const *) query)->constvalue);
	return minhash_plan(value->threshold, value->recall,
						value->sig.num_hashes)->compare_all;
}

/* Turn a call of minhash_similar into a condition that an index can check. */
static Node *
make_index_condition(SupportRequestIndexCondition *request)
{
	FuncExpr   *call = (FuncExpr *) request->node;
	Node	   *indexed;
	Node	   *query;
	Oid			query_type;
	Oid			operator;

	/* The functions behind the operators have fewer arguments. */
	if (!is_funcclause(request->node) || list_length(call->args) < 3 ||
		request->indexarg > 1)
		return NULL;
	indexed = list_nth(call->args, request->indexarg);
	query = make_query_expression(request->root, call, request->indexarg,
								  &query_type);
	if (query == NULL || is_compare_all(query) ||
		!is_pseudo_constant_for_index(request->root, query, request->index))
		return NULL;
	operator = get_opfamily_member(request->opfamily, exprType(indexed),
								   query_type, QUERY_STRATEGY);
	if (!OidIsValid(operator))
		return NULL;
	request->lossy = false;
	return (Node *) list_make1(make_opclause(operator, BOOLOID, false,
											 (Expr *) indexed, (Expr *) query,
											 InvalidOid, InvalidOid));
}

/* Estimate what one comparison costs: it reads the slots of both sides. */
static Node *
estimate_cost(SupportRequestCost *request)
{
	request->startup = 0;
	request->per_tuple = MINHASH_COMPARISON_COST * cpu_operator_cost;
	return (Node *) request;
}

/* Estimate the selectivity of a call of minhash_similar. */
static Node *
estimate_selectivity(SupportRequestSelectivity *request)
{
	List	   *args = request->args;
	List	   *sides;
	double		threshold;

	/* The functions behind the operators can be called by name, too. */
	if (list_length(args) < 3)
		return NULL;
	threshold = minhash_constant_number(request->root, list_nth(args, 2),
										lshsim_similarity_threshold);
	sides = list_make2(linitial(args), lsecond(args));
	if (request->is_join)
		request->selectivity = minhash_join_selectivity(request->root, sides,
														request->jointype,
														request->sjinfo,
														request->funcid,
														threshold);
	else
		request->selectivity = minhash_selectivity(request->root, sides,
												   request->varRelid,
												   request->funcid, threshold);
	return (Node *) request;
}

/* Answer the planner's questions about a function of this extension. */
PG_FUNCTION_INFO_V1(minhash_similar_support);
Datum
minhash_similar_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	Node	   *answer = NULL;

	if (IsA(request, SupportRequestSimplify))
		answer = ship_settings((SupportRequestSimplify *) request);
	else if (IsA(request, SupportRequestIndexCondition))
		answer = make_index_condition((SupportRequestIndexCondition *) request);
	else if (IsA(request, SupportRequestCost))
		answer = estimate_cost((SupportRequestCost *) request);
	else if (IsA(request, SupportRequestSelectivity))
		answer = estimate_selectivity((SupportRequestSelectivity *) request);
	PG_RETURN_POINTER(answer);
}
