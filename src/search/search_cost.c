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
 * minhash_with_cost(value, cost), which returns a query for the
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

/* Wrap the value searched for in a call of minhash_with_cost. */
Node *
add_cost(Node *value, const SearchEstimate *estimate, double rows, Oid sibling)
{
	double		cost = cpu_operator_cost *
		(LOOKUP_COST * estimate->plan.bands +
		 ENTRY_COST * estimate->entries * rows +
		 CANDIDATE_COST * estimate->candidates * rows);
	Const	   *added = makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8),
								  Float8GetDatum(cost), false,
								  FLOAT8PASSBYVAL);
	FuncExpr   *call = call_sibling(sibling, "minhash_with_cost",
									list_make2(value, added));

	if (call != NULL)
		call->funcformat = COERCE_IMPLICIT_CAST;
	return (Node *) call;
}

/* Return the first argument, a query; the other is for the planner. */
PG_FUNCTION_INFO_V1(minhash_with_cost);
Datum
minhash_with_cost(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/* Return the query of % for the first argument, a signature. */
PG_FUNCTION_INFO_V1(minhash_similar_with_cost);
Datum
minhash_similar_with_cost(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(minhash_query_make(PG_GETARG_MINHASH_P(0),
										 setting_similarity_threshold(),
										 DEFAULT_RECALL));
}

/* Return true if an expression is a call that add_cost() made. */
static bool
has_cost(Node *node)
{
	PGFunction	function;

	if (node == NULL || !is_funcclause(node))
		return false;
	function = implementation(((FuncExpr *) node)->funcid);
	return function == minhash_with_cost ||
		function == minhash_similar_with_cost;
}

/* Return the value that add_cost() wrapped. */
Node *
without_cost(Node *query)
{
	return has_cost(query) ? linitial(((FuncExpr *) query)->args) : query;
}

/* Planner support function: return the cost attached to a value. */
PG_FUNCTION_INFO_V1(minhash_with_cost_support);
Datum
minhash_with_cost_support(PG_FUNCTION_ARGS)
{
	SupportRequestCost *request = (SupportRequestCost *) PG_GETARG_POINTER(0);
	Const	   *added;

	if (!IsA(request, SupportRequestCost) || !has_cost(request->node))
		PG_RETURN_POINTER(NULL);
	added = lsecond(((FuncExpr *) request->node)->args);
	if (!IsA(added, Const) || added->constisnull)
		PG_RETURN_POINTER(NULL);
	request->startup = DatumGetFloat8(added->constvalue);
	if (!(request->startup >= 0))
		request->startup = 0;	/* negative, or NaN */
	request->per_tuple = 0;
	PG_RETURN_POINTER(request);
}
