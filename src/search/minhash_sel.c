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
 * Both are sums over shares of the rows, by their similarity to the search
 * value (minhash_stats.h):
 *
 *	- A value known at planning time is compared with the sampled rows.
 *	- A value unknown at planning time is assumed to be that of some row: the
 *	  histogram of pairs gives the average number of other rows similar to it,
 *	  which determines the result of a join and the work of an index.
 *	- Without statistics, or if the user may not read them, all rows are assumed
 *	  to have similarity .04, which is typical of unrelated texts.
 *
 * If a single sampled row is equal to a known value, it is assumed to be the row
 * searched for, and does not count.  The sample does not show how many rows
 * match if they are few.  So 1 / threshold^2 rows are added to the matches of a
 * known value, and without statistics, regardless of the size of the table: a row
 * and a few near-duplicates.  The histogram of pairs, for unknown values, counts
 * near-duplicates, so that only the row itself is added.
 *
 * The average is a poor estimate for a single search.  If a tenth of the rows
 * are copies of one text, 1 % of the table matches on average, but nine of ten
 * searches find one row, and a sequential scan for it reads the whole table.
 * The estimate is the geometric mean of the average and one row, as if half of
 * the searches found other rows, or more if more of the pairs match.  (The
 * server's eqsel() uses 1 / n_distinct for unknown values.)
 *
 * If X of n slots of a pair are equal, the probability that d given slots are
 * equal is X (X - 1) ... (X - d + 1) / (n (n - 1) ... (n - d + 1)).  The
 * simpler (X / n)^d would be biased.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "minhash_sel.h"
#include "minhash_stats.h"
#include "similar.h"
#include "support/objects.h"
#include "support/settings.h"
#include "type/minhash_io.h"
#include "type/minhash_query.h"

#define UNKNOWN_TABLE_ROWS 1000 /* if the relation is not a table */
#define PARTNERS 0.5			/* share of rows with a partner, unless more
								 * of the pairs match */

/* The shares of pairs of similarity .04, by the number of equal slots. */
static const float4 unrelated_pairs[MINHASH_STATS_SLOTS + 1] =
{.08, .2, .25, .2, .14, .08, .05};

/* The arguments of a search that are known at planning time. */
typedef struct KnownSearch
{
	const MinHash *sig;			/* NULL if unknown */
	bool		typical;		/* one search, not one per row of a join */
	double		threshold;
	double		recall;
} KnownSearch;

/* The statistics of a column. */
typedef struct SigStats
{
	double		rows;			/* of the table */
	double		null_fraction;
	int			num_hashes;
	const float4 *pairs;		/* shares, by the number of equal slots */
	const uint16 (*sample)[MINHASH_STATS_SLOTS];
	int			sampled;		/* number of rows, 0 without statistics */
	AttStatsSlot slot;			/* contains pairs and sample */
} SigStats;

static const SigStats no_stats = {
	.rows = UNKNOWN_TABLE_ROWS,
	.num_hashes = SKETCH_DEFAULT_HASHES,
	.pairs = unrelated_pairs
};

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

/* Replace a number by the estimated value of the n-th argument, if it is known. */
static void
read_number(PlannerInfo *root, List *args, int n, double *number)
{
	Const	   *constant = list_length(args) > n ?
		known_constant(root, list_nth(args, n)) : NULL;

	if (constant != NULL && constant->consttype == FLOAT8OID)
		*number = DatumGetFloat8(constant->constvalue);
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
static KnownSearch
condition_search(PlannerInfo *root, List *args, Node *other)
{
	KnownSearch search = {NULL, false, lshsim_similarity_threshold, BAND_DEFAULT_RECALL};
	int			threshold = 2;
	Const	   *constant;
	ListCell   *side;

	foreach(side, compared_sides(args))
	{
		Node	   *node = lfirst(side);

		if (!has_input_function(node, minhash_query_in))
			continue;
		constant = known_constant(root, node);
		if (constant != NULL)
		{
			MinHashQuery *query = DatumGetMinHashQuery(constant->constvalue);

			return (KnownSearch) {&query->sig, false, query->threshold, query->recall};
		}
		if (!is_funcclause(node))
			return search;
		args = ((FuncExpr *) node)->args;
		threshold = 1;
		other = NULL;
		break;
	}
	constant = other == NULL ? NULL : known_constant(root, other);
	if (constant != NULL && has_input_function((Node *) constant, minhash_in))
		search.sig = DatumGetMinHash(constant->constvalue);
	read_number(root, args, threshold, &search.threshold);
	read_number(root, args, threshold + 1, &search.recall);
	return search;
}

/* Load the statistics of a column, as far as the user may read it. */
static SigStats
load_stats(VariableStatData *column, Oid function)
{
	SigStats	stats = no_stats;
	AttStatsSlot *slot = &stats.slot;

	stats.rows = column->rel == NULL ? 0 : column->rel->tuples;
	if (!HeapTupleIsValid(column->statsTuple) ||
		!statistic_proc_security_check(column, function))
		return stats;
	stats.null_fraction =
		((Form_pg_statistic) GETSTRUCT(column->statsTuple))->stanullfrac;
	if (get_attstatsslot(slot, column->statsTuple, STATISTIC_KIND_MINHASH,
						 InvalidOid,
						 ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS) &&
		slot->valuetype == BYTEAOID && slot->nvalues == 1 &&
		slot->nnumbers == sizeof(SigNumbers) / sizeof(float4))
	{
		const SigNumbers *numbers = (SigNumbers *) slot->numbers;
		bytea	   *sample = DatumGetByteaPP(slot->values[0]);

		stats.num_hashes = (int) numbers->num_hashes;
		stats.pairs = numbers->pairs;
		stats.sample = (void *) VARDATA_ANY(sample);
		stats.sampled = VARSIZE_ANY_EXHDR(sample) / sizeof(*stats.sample);
	}
	return stats;
}

/* Return the probability that all rows of a band are equal. */
static double
band_agreement(int equal, int rows)
{
	double		share = 1;

	for (int i = 0; i < rows; i++)
		share *= Max(0.0, equal - i) / (MINHASH_STATS_SLOTS - i);
	return share;
}

/* Estimate a search from the shares of rows by the number of equal slots. */
static void
sum_shares(const float4 *shares, SearchEstimate *estimate)
{
	const BandPlan *plan = &estimate->plan;

	for (int equal = 0; equal <= MINHASH_STATS_SLOTS; equal++)
	{
		double		band = band_agreement(equal, plan->rows);

		if (equal >= plan->threshold * MINHASH_STATS_SLOTS)
			estimate->matches += shares[equal];
		estimate->candidates += shares[equal] *
			(plan->compare_all ? 1 :
			 band_probability(band, plan->bands, 1, plan->agreeing));
		estimate->entries += shares[equal] * band * plan->bands;
	}
}

/* Estimate a known search by comparing it with the sampled rows. */
static void
sum_sample(const SigStats *stats, const MinHash *sig,
		   SearchEstimate *estimate)
{
	uint16		wanted[MINHASH_STATS_SLOTS];
	float4		shares[MINHASH_STATS_SLOTS + 1] = {0};

	minhash_sample_slots(sig, wanted);
	for (int i = 0; i < stats->sampled; i++)
		shares[minhash_sample_equal(stats->sample[i], wanted)] +=
			1.0 / stats->sampled;
	/* A single copy is the row that is searched for. */
	if (shares[MINHASH_STATS_SLOTS] * stats->sampled < 1.5)
		shares[MINHASH_STATS_SLOTS] = 0;
	sum_shares(shares, estimate);
}

/* Estimate a search of a column. */
static SearchEstimate
estimate_known(const SigStats *stats, const KnownSearch *search)
{
	const MinHash *sig = search->sig;
	double		threshold = Max(search->threshold, 1e-3);
	double		rows = Max(stats->rows, 1.0);
	double		least = 1 / rows;
	double		most = 1 - stats->null_fraction;
	SearchEstimate estimate = {
		.plan = *minhash_plan(search->threshold, search->recall,
							  sig == NULL ? stats->num_hashes : sig->num_hashes)
	};

	if (sig != NULL && stats->sampled > 0)
		sum_sample(stats, sig, &estimate);
	else
		sum_shares(stats->pairs, &estimate);
	if (sig != NULL || stats->sampled == 0)
		least /= threshold * threshold;
	estimate.matches = Min(estimate.matches + least, 1);
	if (sig == NULL && search->typical)
	{
		double		partners = Max(estimate.matches, PARTNERS);

		estimate.matches = pow(estimate.matches, partners) *
			pow(Min(least, 1), 1 - partners);
	}
	estimate.candidates = Max(estimate.candidates + least, estimate.matches);
	estimate.entries = Max(estimate.entries + least, estimate.candidates);
	estimate.entries *= most;
	estimate.candidates = Min(estimate.candidates, 1) * most;
	estimate.matches *= most;
	return estimate;
}

/* Estimate a condition from its arguments. */
SearchEstimate
minhash_estimate_call(PlannerInfo *root, List *args, int varRelid,
					  Oid function)
{
	VariableStatData column;
	Node	   *other = NULL;
	bool		on_left;
	bool		has_column = get_restriction_variable(root, compared_sides(args),
													  varRelid, &column, &other,
													  &on_left);
	KnownSearch search = condition_search(root, args, other);
	SigStats	stats = no_stats;
	SearchEstimate estimate;

	if (has_column)
	{
		search.typical = NumRelids(root, other) == 0;
		stats = load_stats(&column, function);
		ReleaseVariableStats(column);
	}
	estimate = estimate_known(&stats, &search);
	free_attstatsslot(&stats.slot);
	return estimate;
}

/* Estimate the selectivity of a join condition. */
Selectivity
minhash_estimate_join(PlannerInfo *root, List *args, JoinType jointype,
					  SpecialJoinInfo *sjinfo, Oid function)
{
	KnownSearch search = condition_search(root, args, NULL);
	VariableStatData columns[2];
	bool		reversed;
	double		inner_rows = 1;
	double		share = 1;

	get_join_variables(root, compared_sides(args), sjinfo, &columns[0],
					   &columns[1], &reversed);
	for (int i = 0; i < 2; i++)
	{
		SigStats	stats = load_stats(&columns[i], function);
		double		matches = estimate_known(&stats, &search).matches;

		/* A value that is rare in one column has few partners in the other. */
		share = Min(share, matches);
		if (i == (reversed ? 0 : 1))
			inner_rows = Max(stats.rows, 1);
		free_attstatsslot(&stats.slot);
		ReleaseVariableStats(columns[i]);
	}
	if (jointype == JOIN_SEMI || jointype == JOIN_ANTI)
		share = Min(share * inner_rows, Max(share, PARTNERS));
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
