/*-------------------------------------------------------------------------
 *
 * minhash_sel.c
 *	  Selectivity estimators: candidates and matching rows of a search.
 *
 * Matching rows determine the cost of the plan above the scan; candidates
 * (rows that agree in enough bands) determine the cost of the scan itself.
 * At a low threshold there may be a thousand candidates for each matching row.
 * The planner asks the support function for the first (minhash_support.c).  The
 * second is the selectivity of the operators % and @@: where the planner sees
 * an operator, it is the condition of an index.
 *
 * Both use the statistics of the column (minhash_stats.c).  Without
 * statistics, or if the user may not read them, a search is assumed to find a
 * row and a few near-duplicates, 1 / threshold^2 rows regardless of the size
 * of the table, among others whose similarity is .04, which is typical of
 * unrelated texts.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "minhash_sel.h"
#include "minhash_stats.h"
#include "similar.h"
#include "support/settings.h"
#include "support/sibling.h"
#include "type/minhash_io.h"
#include "type/minhash_query.h"

#define UNRELATED 0.04			/* similarity of unrelated texts */
#define UNKNOWN_TABLE_ROWS 1000 /* if the relation is not a table */

/* The arguments of a search that are known at planning time. */
typedef struct Search
{
	const MinHash *sig;			/* NULL if unknown */
	bool		typical;		/* one search, not one per row of a join */
	double		threshold;
	double		recall;
} Search;

/*
 * Return true if the type of an expression, or the base type of a domain, has
 * this input function.
 *
 * Users can attach an estimator to any operator and name a type as they like,
 * so types are recognized by their input function.
 */
static bool
has_input_function(Node *node, PGFunction input)
{
	Oid			function;
	Oid			param;

	getTypeInputInfo(getBaseType(exprType(node)), &function, &param);
	return sibling_implementation(function) == input;
}

/* Return the constant that an expression is estimated to equal, or NULL. */
static Const *
known_constant(PlannerInfo *root, Node *node)
{
	Const	   *constant = (Const *) estimate_expression_value(root, node);

	return IsA(constant, Const) && !constant->constisnull ? constant : NULL;
}

/* Return the estimated value of the n-th argument, or a default value. */
static double
known_number(PlannerInfo *root, List *args, int n, double otherwise)
{
	Const	   *constant;

	if (list_length(args) <= n)
		return otherwise;
	constant = known_constant(root, list_nth(args, n));
	if (constant == NULL || constant->consttype != FLOAT8OID)
		return otherwise;
	return DatumGetFloat8(constant->constvalue);
}

/* Return the search of a minhash_query, a constant or a function call. */
static Search
query_search(PlannerInfo *root, Node *query)
{
	Search		search = {NULL, false, lshsim_similarity_threshold, DEFAULT_RECALL};
	Const	   *constant = known_constant(root, query);

	if (constant != NULL)
	{
		MinHashQuery *value = DatumGetMinHashQuery(constant->constvalue);

		search.sig = &value->sig;
		search.threshold = value->threshold;
		search.recall = value->recall;
	}
	else if (is_funcclause(query))
	{
		List	   *args = ((FuncExpr *) query)->args;

		search.threshold = known_number(root, args, 1, search.threshold);
		search.recall = known_number(root, args, 2, search.recall);
	}
	return search;
}

/* Return the compared arguments, the first two; an operator may have one. */
static List *
compared_sides(List *args)
{
	return list_truncate(list_copy(args), 2);
}

/*
 * Return the search of a condition.  Its first two arguments are compared, the
 * third and fourth are threshold and recall if they exist.
 */
static Search
condition_search(PlannerInfo *root, List *args, Node *other)
{
	Search		search = {NULL, false, lshsim_similarity_threshold, DEFAULT_RECALL};
	Const	   *constant;
	ListCell   *side;

	foreach(side, compared_sides(args))
	{
		if (has_input_function(lfirst(side), minhash_query_in))
			return query_search(root, lfirst(side));
	}
	constant = other == NULL ? NULL : known_constant(root, other);
	if (constant != NULL && has_input_function((Node *) constant, minhash_in))
		search.sig = DatumGetMinHash(constant->constvalue);
	search.threshold = known_number(root, args, 2, search.threshold);
	search.recall = known_number(root, args, 3, search.recall);
	return search;
}

/* Estimate a search without statistics. */
static void
usual_shares(double rows, SearchEstimate *estimate)
{
	const BandPlan *plan = &estimate->plan;
	double		threshold = Max(plan->threshold, 1e-3);
	double		band = band_equal_share(UNRELATED, SAMPLED_SLOTS, plan->rows);

	estimate->matches = 1 / (threshold * threshold * Max(rows, 1.0));
	estimate->candidates = estimate->matches +
		(plan->compare_all ? 1 : band_probability(band, plan->bands, 1,
												  plan->matches));
	estimate->entries = estimate->candidates + band * plan->bands;
}

/* Estimate a search of a column from its statistics. */
static SearchEstimate
estimate_with_stats(const SigStats *stats, const Search *search)
{
	const MinHash *sig = search->sig;
	double		most = 1 - stats->null_fraction;
	SearchEstimate estimate = {0};

	estimate.plan = *minhash_plan(search->threshold, search->recall,
								  sig != NULL ? sig->num_hashes :
								  sig_stats_num_hashes(stats));
	if (search->threshold <= 0)
		estimate.entries = estimate.candidates = estimate.matches = 1;
	else if (sig != NULL && slots_are_empty(sig->slots, sig->num_hashes))
		estimate.candidates = estimate.plan.compare_all;
	else if (sig == NULL ?
			 !sig_stats_unknown(stats, search->typical, &estimate) :
			 !sig_stats_known(stats, sig, &estimate))
		usual_shares(stats->rows, &estimate);
	estimate.entries *= most;
	estimate.candidates = Min(estimate.candidates, 1) * most;
	estimate.matches = Min(estimate.matches, 1) * most;
	return estimate;
}

/* Estimate a condition from its arguments. */
SearchEstimate
minhash_estimate_call(PlannerInfo *root, List *args, int varRelid,
					  Oid function)
{
	VariableStatData vardata;
	Node	   *other = NULL;
	bool		var_on_left;
	bool		has_var = get_restriction_variable(root, compared_sides(args),
												   varRelid, &vardata, &other,
												   &var_on_left);
	Search		search = condition_search(root, args, other);
	SigStats	stats = {.rows = UNKNOWN_TABLE_ROWS};
	SearchEstimate estimate;

	search.typical = has_var && NumRelids(root, other) == 0;
	if (has_var)
		stats = sig_stats_load(&vardata, function);
	estimate = estimate_with_stats(&stats, &search);
	if (has_var)
	{
		sig_stats_free(&stats);
		ReleaseVariableStats(vardata);
	}
	return estimate;
}

/*
 * Estimate the share of the outer rows that have a partner: all rows that have
 * near neighbors, and half of the others.
 */
static double
partner_share(const SigStats *a, const SigStats *b, const Search *search)
{
	SearchEstimate in_a = {
		.plan = *minhash_plan(search->threshold, search->recall,
							  sig_stats_num_hashes(b)),
		.matches = 1
	};
	SearchEstimate in_b = in_a;

	(void) sig_stats_partners(a, &in_a);
	(void) sig_stats_partners(b, &in_b);
	return (1 + Min(in_a.matches, in_b.matches)) / 2;
}

/* Estimate the selectivity of a join condition. */
Selectivity
minhash_estimate_join(PlannerInfo *root, List *args, JoinType jointype,
					  SpecialJoinInfo *sjinfo, Oid function)
{
	Search		search = condition_search(root, args, NULL);
	VariableStatData a_data;
	VariableStatData b_data;
	bool		reversed;
	SigStats	a;
	SigStats	b;
	double		share;

	get_join_variables(root, compared_sides(args), sjinfo, &a_data, &b_data,
					   &reversed);
	a = sig_stats_load(&a_data, function);
	b = sig_stats_load(&b_data, function);
	/* A value that is rare in one column has few partners in the other. */
	share = Min(estimate_with_stats(&a, &search).matches,
				estimate_with_stats(&b, &search).matches);
	if (jointype == JOIN_SEMI || jointype == JOIN_ANTI)
		share = Min(share * Max(reversed ? a.rows : b.rows, 1.0),
					partner_share(&a, &b, &search));
	sig_stats_free(&a);
	sig_stats_free(&b);
	ReleaseVariableStats(a_data);
	ReleaseVariableStats(b_data);
	CLAMP_PROBABILITY(share);
	return share;
}

/* Estimate the share of the rows that an index condition, % or @@, finds. */
PG_FUNCTION_INFO_V1(minhash_sel);
Datum
minhash_sel(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(minhash_estimate_call((PlannerInfo *) PG_GETARG_POINTER(0),
										   (List *) PG_GETARG_POINTER(2),
										   PG_GETARG_INT32(3),
										   get_opcode(PG_GETARG_OID(1))).candidates);
}
