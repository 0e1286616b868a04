/*-------------------------------------------------------------------------
 *
 * lsh_cost.c
 *	  Estimate what a scan of an lsh index costs.
 *
 * What it costs depends on the candidates, not on the rows that are returned:
 * for each band a leaf, and for each candidate a page of the store, until it
 * is cheaper to read the whole store.  A scan in the order of a distance reads
 * the whole store before it returns the first row.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/float.h"
#include "utils/selfuncs.h"
#include "utils/spccache.h"

#include "lsh_am.h"
#include "lsh_page.h"
#include "lshsim.h"
#include "search/minhash_gin.h"
#include "search/minhash_sel.h"
#include "search/similar.h"
#include "type/minhash_query.h"

/* Similarity of rows that have nothing to do with each other. */
#define USUAL_SIMILARITY 0.05

/* Entries of a leaf, as a rule. */
#define LEAF_ENTRIES 700

/* What looking at a first plane costs, in operators such as int4eq. */
#define PLANE_COST 0.5

/* Pages of a search are usually in memory: they are what is searched most. */
#define CACHED_PAGE_COST 0.1

/* Find the plan of a condition, as far as it is known. */
static BandPlan
condition_plan(PlannerInfo *root, OpExpr *clause)
{
	double		threshold = lshsim_similarity_threshold;
	double		recall = lshsim_recall;
	int			num_hashes = SKETCH_DEFAULT_HASHES;
	Node	   *value = estimate_expression_value(root, lsecond(clause->args));
	bool		known = IsA(value, Const) && !((Const *) value)->constisnull;

	if (known &&
		exprType(value) == exprType(linitial(clause->args)))
		num_hashes = DatumGetMinHash(((Const *) value)->constvalue)->num_hashes;
	else if (known)
	{
		MinHashQuery *query = DatumGetMinHashQuery(((Const *) value)->constvalue);

		threshold = query->threshold;
		recall = query->recall;
		num_hashes = query->sig.num_hashes;
	}
	return *minhash_plan(threshold, recall, num_hashes);
}

/* Estimate how many of some rows are candidates of a plan. */
static double
plan_candidates(const BandPlan *plan, double rows)
{
	double		chance = 1;

	if (plan->compare_all)
		return rows;
	for (int i = 0; i < plan->rows; i++)
		chance *= USUAL_SIMILARITY;
	return Min(rows, rows * Min(1.0, chance * plan->bands) +
			   1 / Max(plan->threshold * plan->threshold, 1e-6));
}

/* Cost of reading so many of the pages of an index, once of several times. */
static double
pages_cost(PlannerInfo *root, IndexOptInfo *index, double pages,
		   double loop_count)
{
	double		page_cost;

	get_tablespace_page_costs(index->reltablespace, &page_cost, NULL);
	pages = Min(pages, index->pages);
	if (loop_count > 1)
		pages = index_pages_fetched(pages * loop_count, index->pages,
									index->pages, root) / loop_count;
	return pages * page_cost * CACHED_PAGE_COST;
}

/* Cost of looking at all records. */
static double
walk_cost(IndexOptInfo *index)
{
	double		page_cost;

	get_tablespace_page_costs(index->reltablespace, NULL, &page_cost);
	/* The tree is not read, and is a third of the index. */
	return index->pages * page_cost * 0.6 +
		index->tuples * cpu_operator_cost * PLANE_COST;
}

/* Cost of looking up bands, and at the candidates they lead to. */
static double
lookup_cost(PlannerInfo *root, IndexOptInfo *index, const BandPlan *plan,
			double candidates, double loop_count)
{
	double		leaves = plan->bands + candidates / LEAF_ENTRIES;

	return pages_cost(root, index, leaves + candidates, loop_count) +
		plan->bands * cpu_operator_cost * 50 +
		candidates * cpu_operator_cost * 2;
}

/* Cost of a condition: the cheaper of two ways, as in a scan. */
static double
condition_cost(PlannerInfo *root, IndexOptInfo *index, OpExpr *clause,
			   double loop_count)
{
	BandPlan	plan = condition_plan(root, clause);
	double		candidates = plan_candidates(&plan, index->tuples);
	double		walk = walk_cost(index);

	if (plan.compare_all)
		return walk;
	return Min(walk, lookup_cost(root, index, &plan, candidates, loop_count));
}

/* Cost of a scan: that of its cheapest condition. */
static double
scan_cost(PlannerInfo *root, IndexPath *path, List *quals, double loop_count)
{
	double		cost = walk_cost(path->indexinfo);
	ListCell   *cell;

	foreach(cell, quals)
	{
		Node	   *clause = (Node *) lfirst(cell);

		if (IsA(clause, RestrictInfo))
			clause = (Node *) ((RestrictInfo *) clause)->clause;
		if (IsA(clause, OpExpr) && list_length(((OpExpr *) clause)->args) == 2)
			cost = Min(cost, condition_cost(root, path->indexinfo,
											(OpExpr *) clause, loop_count));
	}
	return cost;
}

/* Estimate what a scan costs. */
void
lsh_cost_estimate(PlannerInfo *root, IndexPath *path, double loop_count,
				  Cost *startup, Cost *total, Selectivity *selectivity,
				  double *correlation, double *pages)
{
	IndexOptInfo *index = path->indexinfo;
	List	   *quals = get_quals_from_indexclauses(path->indexclauses);
	double		cost = scan_cost(root, path, quals, loop_count);

	*selectivity = clauselist_selectivity(root, quals, index->rel->relid,
										  JOIN_INNER, NULL);
	*correlation = 0;
	*pages = index->pages;
	if (quals == NIL && path->indexorderbys == NIL)
		cost = get_float8_infinity();
	else if (path->indexorderbys != NIL)
		cost += index->tuples * *selectivity * cpu_operator_cost *
			MINHASH_COMPARISON_COST;
	*startup = cost;
	*total = cost + index->tuples * *selectivity * cpu_index_tuple_cost;
}
