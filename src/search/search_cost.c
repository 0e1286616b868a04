/*-------------------------------------------------------------------------
 *
 * search_cost.c
 *	  What a search of a GIN index costs, told to the planner.
 *
 * The server's estimate of a GIN index's cost has a place for the pages that
 * are read, but none for what this operator class does with what is on them:
 * every entry with a prefix that is looked for is compared, its rows go into a
 * bitmap, and every row of the bitmaps is asked whether it is a candidate.  At
 * low thresholds that takes several times as long as to compare rows one after
 * the other.  So this cost is put where the server does look: on the value that
 * is searched for, as the cost to compute it.  That value becomes a call of
 * minhash_with_cost(value, cost), which returns the value.  EXPLAIN does not
 * show it, since it is made an implicit cast.
 *
 * The costs are measured: test/bench/planner.
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

#include "search_cost.h"

/* Costs of a search, in operators such as int4eq. */
#define LOOKUP_COST 100
#define ENTRY_COST 24
#define CANDIDATE_COST 12

/* Return what a search costs, beside what the server expects. */
double
gin_search_cost(const SearchEstimate *estimate, double rows)
{
	return cpu_operator_cost * (LOOKUP_COST * estimate->plan.bands +
								ENTRY_COST * estimate->entries * rows +
								CANDIDATE_COST * estimate->candidates * rows);
}

/*
 * Give a value that is searched for its cost.
 *
 * The function for it lies beside another, and is not found by name, which the
 * user may have no right to.
 */
Node *
add_search_cost(Node *query, double cost, Oid sibling)
{
	Oid			type = exprType(query);
	Oid			types[] = {type, FLOAT8OID};
	Oid			function = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
										   CStringGetDatum("minhash_with_cost"),
										   PointerGetDatum(buildoidvector(types, 2)),
										   ObjectIdGetDatum(get_func_namespace(sibling)));
	Const	   *number = makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8),
								   Float8GetDatum(cost), false,
								   FLOAT8PASSBYVAL);

	if (!OidIsValid(function))
		return query;
	return (Node *) makeFuncExpr(function, type, list_make2(query, number),
								 InvalidOid, InvalidOid,
								 COERCE_IMPLICIT_CAST);
}

/* Return a value; the planner thinks that this costs something. */
PG_FUNCTION_INFO_V1(minhash_with_cost);
Datum
minhash_with_cost(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/* Tell whether an expression is a call of minhash_with_cost. */
static bool
has_search_cost(Node *node)
{
	FmgrInfo	info;

	if (node == NULL || !is_funcclause(node))
		return false;
	fmgr_info(((FuncExpr *) node)->funcid, &info);
	return info.fn_addr == minhash_with_cost;
}

/* Return a value that is searched for without its cost. */
Node *
without_search_cost(Node *query)
{
	return has_search_cost(query) ? linitial(((FuncExpr *) query)->args) : query;
}

/* Return the cost that a call of minhash_with_cost has been given. */
static double
given_cost(Node *call)
{
	Const	   *cost;

	if (!has_search_cost(call))
		return 0;
	cost = (Const *) lsecond(((FuncExpr *) call)->args);
	if (!IsA(cost, Const) || cost->constisnull)
		return 0;
	return Max(0, DatumGetFloat8(cost->constvalue));
}

/* Tell the planner what a call of minhash_with_cost costs. */
PG_FUNCTION_INFO_V1(minhash_with_cost_support);
Datum
minhash_with_cost_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	SupportRequestCost *cost = (SupportRequestCost *) request;

	if (!IsA(request, SupportRequestCost))
		PG_RETURN_POINTER(NULL);
	cost->startup = given_cost(cost->node);
	cost->per_tuple = 0;
	PG_RETURN_POINTER(request);
}
