/*-------------------------------------------------------------------------
 *
 * lsh_cost.c
 *	  Estimate the cost of a scan of an lsh index.
 *
 * Candidates determine the cost of a search, not the rows that it returns: a
 * leaf for each band and a page of the store for each candidate, until reading
 * the whole store is cheaper.
 *
 * An ordered scan makes a pass over all records before it returns the first
 * row, and another one for each further batch (lsh_nearest.c), so its cost is a
 * step function of the number of rows that are fetched.  The planner only knows
 * the costs of the first row and of all rows, and interpolates:
 * - For a LIMIT on a single table, the number of rows is known here, from
 *   limit_tuples and the selectivity of the filters above the scan.  The cost
 *   of fetching that many is reported as both.
 * - For a LIMIT on a join it is not known, since base relations are planned
 *   first.  A line from the first row to all rows would lie far below the
 *   first steps, which are nearly as high as those that follow.  Only there can
 *   the scan be the better plan, so the line leads from the first row through
 *   the start of the third batch.
 * - Without a LIMIT both costs are reported as they are.
 *
 * A scan with neither condition nor order, which a partial index offers, costs
 * more than any other (see ensure_started() in lsh_search.c).  So does a scan in
 * the order of several distances, which the index does not support, and an ordered
 * scan below a policy of row-level security.  It would read hidden rows in the
 * order of their distances, and "Rows Removed by Filter" in EXPLAIN ANALYZE would
 * tell how many of them are nearer to a signature than a visible row, which gives
 * away hidden signatures slot by slot.  The planner itself keeps conditions that
 * are not leakproof above the policy, but not orders.
 *
 * A search for passages reads a leaf for each key of its text, which the
 * planner does not know, and then compares nothing.  The executor rechecks its
 * rows, the candidates, whose share is the selectivity (see
 * passages/passage_support.c).  The planner charges that to a bitmap heap
 * scan.  It is not charged here, too, because a BitmapAnd rechecks only the
 * rows that the other indexes leave.
 *
 * test/bench/planner measures the constants: it compares the chosen plans of many
 * forms of ORDER BY with the others.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/spccache.h"

#include "lsh.h"
#include "search/minhash_sel.h"

/* Typical number of entries on a leaf. */
#define LEAF_ENTRIES 700

/* Keys of a text that is searched for; a passage has fewer, a mail more. */
#define PASSAGE_KEYS 50

/* Share of the pages that belong to the store, with 128 hashes. */
#define STORE_SHARE 0.4

/* Pages of a search are usually cached, because each search reads many. */
#define CACHED_PAGE_COST 0.1

/* Costs in units of cpu_operator_cost. */
#define LOOKUP_COST 50			/* look up a band */
#define PLANE_COST 0.5			/* compare the planes of a record */
#define NEAREST_COST 6			/* compare them with the farthest of a batch */
#define KEEP_COST 70			/* add a row to the batch, and sort it */

/* Return the cost of reading pages of an index, in one of loop_count scans. */
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

/* Return the cost of a pass over all records. */
static double
full_pass_cost(IndexOptInfo *index)
{
	double		page_cost;

	get_tablespace_page_costs(index->reltablespace, NULL, &page_cost);
	return index->pages * STORE_SHARE * page_cost * CACHED_PAGE_COST +
		index->tuples * cpu_operator_cost * PLANE_COST;
}

/* Return the cost of a condition: of look-ups, or of a full pass if that is cheaper. */
static double
condition_cost(PlannerInfo *root, IndexOptInfo *index, OpExpr *clause,
			   double loop_count)
{
	SearchEstimate search = minhash_estimate_call(root, clause->args,
												  index->rel->relid,
												  get_opcode(clause->opno));
	double		candidates = search.candidates * index->tuples;
	double		leaves = search.plan.bands + search.entries / LEAF_ENTRIES;
	double		full_pass = full_pass_cost(index);

	if (search.plan.compare_all)
		return full_pass;
	return Min(full_pass,
			   pages_cost(root, index, leaves + candidates, loop_count) +
			   search.plan.bands * LOOKUP_COST * cpu_operator_cost +
			   (candidates + search.entries) * cpu_operator_cost);
}

/*
 * Return the cost of a search for passages: of a look-up for each key, and of
 * the store pages with the TIDs of the candidates.
 */
static double
passages_cost(PlannerInfo *root, IndexPath *path, double candidates,
			  double loop_count)
{
	IndexOptInfo *index = path->indexinfo;
	double		leaves = PASSAGE_KEYS + candidates / LEAF_ENTRIES;
	double		store = Min(candidates, index->tuples / LSH_STORE_MAX);

	return pages_cost(root, index, leaves + store, loop_count) +
		(PASSAGE_KEYS * LOOKUP_COST + candidates) * cpu_operator_cost;
}

/* Return the cost of a pass over the records by the cheapest condition. */
static double
scan_cost(PlannerInfo *root, IndexPath *path, List *quals, double loop_count)
{
	double		cost = full_pass_cost(path->indexinfo);
	ListCell   *cell;

	foreach(cell, quals)
	{
		Node	   *clause = (Node *) lfirst(cell);

		if (IsA(clause, RestrictInfo))
			clause = (Node *) ((RestrictInfo *) clause)->clause;
		/* Bitmap scans also have array conditions. */
		if (IsA(clause, OpExpr) && list_length(((OpExpr *) clause)->args) == 2)
			cost = Min(cost, condition_cost(root, path->indexinfo,
											(OpExpr *) clause, loop_count));
	}
	return cost;
}

/*
 * Return the cost of comparing rows for a batch: of rows in random order, row n is
 * among the nearest so far with probability batch / n.
 */
static double
batch_cost(double rows, double batch)
{
	double		kept = batch < rows ? batch * (1 + log(rows / batch)) : rows;

	return (rows * NEAREST_COST + kept * KEEP_COST) * cpu_operator_cost;
}

/* Return the cost of the batches that hold the rows asked for, a pass each. */
static double
order_cost(double pass, double rows, double asked)
{
	double		left = Max(Min(asked, rows), 1);
	double		cost = 0;

	for (int i = 0; left > 0; i++)
	{
		double		batch = (double) lsh_nearest_batch_rows(i);
		double		passes = i < LSH_LAST_SIZE ? 1 : ceil(left / batch);

		cost += passes * (pass + batch_cost(rows, batch));
		left -= passes * batch;
	}
	return cost;
}

/*
 * Estimate the number of rows that are fetched from an ordered scan until the
 * filters of its table have let limit_tuples of them pass: the mean of the
 * negative binomial distribution and one standard deviation, since a batch too
 * many costs more than one too few saves.
 */
static double
rows_for_limit(PlannerInfo *root, double rows, double filtered_rows)
{
	double		share = Min(Max(filtered_rows, 1) / Max(rows, 1), 1);
	double		limit = root->limit_tuples;

	return (limit + sqrt(limit * (1 - share))) / share;
}

/* Estimate the costs of an ordered scan of rows, given that of a pass. */
static void
order_costs(PlannerInfo *root, IndexPath *path, double pass, double rows,
			Cost *startup, Cost *total)
{
	double		few = (double) (lsh_nearest_batch_rows(0) +
								lsh_nearest_batch_rows(1));

	*startup = order_cost(pass, rows, 1);
	*total = order_cost(pass, rows, rows);
	if (root->limit_tuples <= 0)
		return;
	if (bms_membership(root->all_baserels) != BMS_SINGLETON)
		*total = Max(*total, *startup + (order_cost(pass, rows, few + 1) -
										 *startup) * rows / few);
	else
		*startup = *total = order_cost(pass, rows,
									   rows_for_limit(root, rows,
													  path->path.rows));
}

/*
 * Return the conditions of a path as they were written, which matching rows
 * satisfy; the selectivity of an index condition is that of candidates.
 */
static List *
written_conditions(const IndexPath *path)
{
	List	   *conditions = NIL;
	ListCell   *cell;

	foreach(cell, path->indexclauses)
		conditions = lappend(conditions, ((IndexClause *) lfirst(cell))->rinfo);
	return conditions;
}

/*
 * Return true if a policy or a security_barrier view filters a relation before any
 * condition of the query that is not leakproof.
 */
static bool
has_policy(const PlannerInfo *root, const RelOptInfo *rel)
{
	return root->qual_security_level > rel->baserestrict_min_security;
}

/* Estimate the costs of a scan, for the planner. */
void
lsh_cost_estimate(PlannerInfo *root, IndexPath *path, double loop_count,
				  Cost *startup, Cost *total, Selectivity *selectivity,
				  double *correlation, double *pages)
{
	IndexOptInfo *index = path->indexinfo;
	List	   *quals = get_quals_from_indexclauses(path->indexclauses);
	bool		passages = lsh_holds_passages(index->opcintype[0]);
	double		rows;

	*selectivity = clauselist_selectivity(root,
										  passages ? quals :
										  written_conditions(path),
										  index->rel->relid, JOIN_INNER, NULL);
	*correlation = 0;
	*pages = index->pages;
	rows = index->tuples * *selectivity;
	*startup = *total = passages ?
		passages_cost(root, path, rows, loop_count) :
		scan_cost(root, path, quals, loop_count);
	if (path->indexorderbys != NIL)
		order_costs(root, path, *startup, rows, startup, total);
	if (path->indexorderbys == NIL ? quals == NIL :
		list_length(path->indexorderbys) > 1 || has_policy(root, index->rel))
	{
		*startup = *total = get_float8_infinity();
		compat_disable_path(path);
	}
	*total += rows * cpu_index_tuple_cost;
}
