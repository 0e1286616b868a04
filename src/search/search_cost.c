/*-------------------------------------------------------------------------
 *
 * search_cost.c
 *	  What a search of a GIN index costs and finds, told to the planner.
 *
 * The server's estimate of a GIN index's cost has a place for the pages that
 * are read, but none for what this operator class does with what is on them:
 * every entry with a prefix that is looked for is compared, its rows go into a
 * bitmap, and every row of the bitmaps is asked whether it is a candidate.  At
 * low thresholds that takes several times as long as to compare rows one after
 * the other.  So this cost is put where the server does look: on the value that
 * is searched for, as the cost to compute it.  That value becomes a call of
 * minhash_with_estimate(value, cost, candidates), which returns the value.
 * EXPLAIN does not show it, since it is made an implicit cast.
 *
 * The costs are measured: test/bench/planner.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"

#include "search_cost.h"
#include "support/sibling.h"

/* Costs of a search, in operators such as int4eq. */
#define LOOKUP_COST 100
#define ENTRY_COST 24
#define CANDIDATE_COST 12

/* Return what a search costs, beside what the server expects. */
static double
search_cost(const SearchEstimate *estimate, double rows)
{
	return cpu_operator_cost * (LOOKUP_COST * estimate->plan.bands +
								ENTRY_COST * estimate->entries * rows +
								CANDIDATE_COST * estimate->candidates * rows);
}

/* Make a constant. */
static Node *
make_number(double value)
{
	return (Node *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8),
							  Float8GetDatum(value), false,
							  FLOAT8PASSBYVAL);
}

/*
 * Add to a value that is searched for what this costs in an index of so many
 * rows, and what it finds.  The function for it lies beside another.
 */
Node *
add_estimate(Node *query, const SearchEstimate *estimate, double rows,
			 Oid sibling)
{
	Oid			types[] = {exprType(query), FLOAT8OID, FLOAT8OID};
	Oid			function = find_sibling(sibling, "minhash_with_estimate", types,
										lengthof(types));
	List	   *args = list_make3(query,
								  make_number(search_cost(estimate, rows)),
								  make_number(estimate->candidates));

	if (!OidIsValid(function))
		return query;
	return (Node *) makeFuncExpr(function, types[0], args, InvalidOid,
								 InvalidOid, COERCE_IMPLICIT_CAST);
}

/* Return a value; what else is known of it is for the planner. */
PG_FUNCTION_INFO_V1(minhash_with_estimate);
Datum
minhash_with_estimate(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/* Tell whether an expression is a call of minhash_with_estimate. */
static bool
has_estimate(Node *node)
{
	FmgrInfo	info;

	if (node == NULL || !is_funcclause(node))
		return false;
	fmgr_info(((FuncExpr *) node)->funcid, &info);
	return info.fn_addr == minhash_with_estimate;
}

/* Return a value that is searched for without what was added to it. */
Node *
without_estimate(Node *query)
{
	return has_estimate(query) ? linitial(((FuncExpr *) query)->args) : query;
}

/* Find a number that was added to a value; false if none was. */
static bool
find_added(Node *node, int n, double *number)
{
	Const	   *constant;

	if (!has_estimate(node))
		return false;
	constant = (Const *) list_nth(((FuncExpr *) node)->args, n);
	if (!IsA(constant, Const) || constant->constisnull)
		return false;
	*number = DatumGetFloat8(constant->constvalue);
	return true;
}

/* Find the share of candidates that was added to an argument of a condition. */
bool
find_candidates(List *args, double *candidates)
{
	ListCell   *arg;

	foreach(arg, args)
	{
		if (find_added(lfirst(arg), 2, candidates))
			return *candidates >= 0 && *candidates <= 1;
	}
	return false;
}

/* Tell the planner what a call of minhash_with_estimate costs. */
PG_FUNCTION_INFO_V1(minhash_with_estimate_support);
Datum
minhash_with_estimate_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	SupportRequestCost *cost = (SupportRequestCost *) request;
	double		startup;

	if (!IsA(request, SupportRequestCost) ||
		!find_added(cost->node, 1, &startup))
		PG_RETURN_POINTER(NULL);
	cost->startup = startup >= 0 ? startup : 0;
	cost->per_tuple = 0;
	PG_RETURN_POINTER(request);
}
