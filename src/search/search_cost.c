/*-------------------------------------------------------------------------
 *
 * search_cost.c
 *	  Attach the CPU cost of a GIN index scan to the value searched for.
 *
 * gincostestimate() charges for pages read, not for the CPU time this
 * operator class spends on each entry: every entry with a given prefix is
 * compared, its rows are added to a bitmap, and the consistent function is
 * called for every row of the bitmaps.  At low thresholds this takes several
 * times as long as a sequential scan.  An operator class cannot add to the
 * cost of a GIN scan, but the planner does charge for evaluating the
 * comparison value.  So the value becomes a call of
 * minhash_with_estimate(value, cost, candidates), which returns a query for the
 * value and whose support function returns the cost.  The call is marked as an
 * implicit cast, so that EXPLAIN does not show it.
 *
 * The constants below were measured by test/bench/planner: in all of its 432
 * forms of a search, the chosen plan took at most 1.29 times as long as the other.
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
#include "support/settings.h"
#include "support/sibling.h"
#include "type/minhash_query.h"

/* Costs of a search, in units of cpu_operator_cost. */
#define LOOKUP_COST 100			/* per band */
#define ENTRY_COST 24			/* per index entry */
#define CANDIDATE_COST 12		/* per row to compare */

/* Return the cost of a search in addition to that of gincostestimate(). */
static double
search_cost(const SearchEstimate *estimate, double rows)
{
	return cpu_operator_cost * (LOOKUP_COST * estimate->plan.bands +
								ENTRY_COST * estimate->entries * rows +
								CANDIDATE_COST * estimate->candidates * rows);
}

/* Make a constant of type float8. */
static Node *
make_number(double value)
{
	return (Node *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8),
							  Float8GetDatum(value), false,
							  FLOAT8PASSBYVAL);
}

/* Wrap the value searched for in a call of minhash_with_estimate. */
Node *
add_estimate(Node *value, const SearchEstimate *estimate, double rows,
			 Oid sibling)
{
	List	   *args = list_make3(value,
								  make_number(search_cost(estimate, rows)),
								  make_number(estimate->candidates));
	FuncExpr   *call = call_sibling(sibling, "minhash_with_estimate", args);

	if (call != NULL)
		call->funcformat = COERCE_IMPLICIT_CAST;
	return (Node *) call;
}

/* Return the first argument, a query; the others are for the planner. */
PG_FUNCTION_INFO_V1(minhash_with_estimate);
Datum
minhash_with_estimate(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/* Return the query of % for the first argument, a signature. */
PG_FUNCTION_INFO_V1(minhash_similar_with_estimate);
Datum
minhash_similar_with_estimate(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(minhash_query_make(PG_GETARG_MINHASH_P(0),
										 setting_similarity_threshold(),
										 DEFAULT_RECALL));
}

/* Return true if an expression is a call that add_estimate() made. */
static bool
has_estimate(Node *node)
{
	PGFunction	function;

	if (node == NULL || !is_funcclause(node))
		return false;
	function = implementation(((FuncExpr *) node)->funcid);
	return function == minhash_with_estimate ||
		function == minhash_similar_with_estimate;
}

/* Return the value that add_estimate() wrapped. */
Node *
without_estimate(Node *query)
{
	return has_estimate(query) ? linitial(((FuncExpr *) query)->args) : query;
}

/* Get the n-th argument of a wrapped value; return false if it is not one. */
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

/* Find the share of candidates attached to an argument of a condition. */
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

/* Planner support function: return the cost attached to a value. */
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
