/*-------------------------------------------------------------------------
 *
 * lsh_cost.c
 *	  Estimate what a scan of an lsh index costs.
 *
 * What it costs depends on the candidates, not on the rows that are returned:
 * for each band a leaf, and for each candidate a page of the store, until it
 * is cheaper to read the whole store.  A scan in the order of a distance reads
 * the whole store before it returns the first row, and again for each batch of
 * them (see lsh_order.c).  A scan with neither condition nor order, which a
 * partial index offers, costs more than anything.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/float.h"
#include "utils/selfuncs.h"
#include "utils/spccache.h"

#include "compat.h"
#include "lsh_am.h"
#include "lsh_scan.h"
#include "search/minhash_sel.h"

/* Entries of a leaf, as a rule. */
#define LEAF_ENTRIES 700

/* The part of the pages that are the store, with 128 hashes. */
#define STORE_SHARE 0.4

/* What looking at the planes of a record costs, in operators such as int4eq. */
#define PLANE_COST 0.5

/* What keeping a row in an ordered scan costs, likewise. */
#define KEEP_COST 70

/* What looking up a band costs, likewise. */
#define LOOKUP_COST 50

/* Pages of a search are usually in memory: they are what is searched most. */
#define CACHED_PAGE_COST 0.1

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

/* Return the cost of comparing all records. */
static double
walk_cost(IndexOptInfo *index)
{
	double		page_cost;

	get_tablespace_page_costs(index->reltablespace, NULL, &page_cost);
	return index->pages * STORE_SHARE * page_cost * CACHED_PAGE_COST +
		index->tuples * cpu_operator_cost * PLANE_COST;
}

/* Return the cost of a condition: of look-ups or a walk, if that is cheaper. */
static double
condition_cost(PlannerInfo *root, IndexOptInfo *index, OpExpr *clause,
			   double loop_count)
{
	SearchEstimate search = minhash_estimate_search(root, clause,
													index->rel->relid);
	double		candidates = search.candidates * index->tuples;
	double		leaves = search.plan.bands + search.entries / LEAF_ENTRIES;
	double		walk = walk_cost(index);

	if (search.plan.compare_all)
		return walk;
	return Min(walk,
			   pages_cost(root, index, leaves + candidates, loop_count) +
			   search.plan.bands * LOOKUP_COST * cpu_operator_cost +
			   (candidates + search.entries) * cpu_operator_cost);
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

/*
 * Cost of keeping the nearest of so many rows: of rows in random order, the
 * n-th is among the nearest b so far with probability b / n.
 */
static double
batch_cost(double rows, double batch)
{
	double		kept = batch < rows ? batch * (1 + log(rows / batch)) : rows;

	return kept * KEEP_COST * cpu_operator_cost;
}

/* Cost of the walks in which an ordered scan returns so many of its rows. */
static double
order_cost(double scan, double rows, double asked)
{
	double		batch = LSH_FIRST_BATCH;
	double		returned = 0;
	double		cost = 0;

	scan += rows * cpu_operator_cost * MINHASH_COMPARISON_COST;
	do
	{
		cost += scan + batch_cost(rows, batch);
		returned += batch;
		batch *= LSH_BATCH_GROWTH;
	} while (returned < Min(asked, rows));
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
	double		rows;

	*selectivity = clauselist_selectivity(root, quals, index->rel->relid,
										  JOIN_INNER, NULL);
	*correlation = 0;
	*pages = index->pages;
	rows = index->tuples * *selectivity;
	*startup = *total = scan_cost(root, path, quals, loop_count);
	if (path->indexorderbys != NIL)
	{
		double		asked = root->limit_tuples;

		*total = order_cost(*startup, rows, asked > 0 ? asked : rows);
		*startup = asked > 0 ? *total : order_cost(*startup, rows, 1);
	}
	else if (quals == NIL)
	{
		*startup = *total = get_float8_infinity();
		lsh_disable_path(path);
	}
	*total += rows * cpu_index_tuple_cost;
}
