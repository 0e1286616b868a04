/*-------------------------------------------------------------------------
 *
 * minhash_sel.c
 *	  Estimate how many rows are similar.
 *
 * What is searched is usually like the rows that are stored, so it finds
 * itself and a few near-duplicates, however large the table is: the default
 * is a number of rows, 1 / threshold^2, and not a share of the table.  Real
 * data also have templates, texts of which hundreds of rows are variants.
 * Those show up in the column's statistics, so a search that is known at plan
 * time is compared with them:
 *
 *	- most common values (exact copies): those that are similar to the search
 *	  count with their frequencies;
 *	- histogram bounds: they are a sample of the other rows (about 100); the
 *	  share that is similar to the search counts for the rows outside the
 *	  most common values.  If none is, the default stands.
 *
 * Where the search is not known, it is taken to be one of the rows: a most
 * common value of frequency f is then searched with frequency f, and finds f.
 *
 * Limits: a family of fewer rows than one in a hundred without exact copies
 * is not seen.  Statistics that the user may not read are not used.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "lshsim.h"
#include "measure/jaccard.h"
#include "minhash_sel.h"
#include "similar.h"
#include "type/minhash_io.h"
#include "type/minhash_query.h"

/* Most common values that a join estimate compares pair by pair. */
#define JOIN_VALUES 64

/* The statistics of a column of signatures, as far as they may be used. */
typedef struct SigStats
{
	double		rows;			/* of the table */
	double		null_fraction;
	AttStatsSlot common;		/* most common values and their frequencies */
	AttStatsSlot sample;		/* histogram bounds */
} SigStats;

/*
 * Tell whether a type, or that behind a domain, has this input function.
 *
 * An estimator can be attached to any operator, and names can be anybody's,
 * so this is how we know our own types.
 */
static bool
has_input_function(Oid type, PGFunction input)
{
	Oid			function;
	Oid			param;
	FmgrInfo	info;

	getTypeInputInfo(getBaseType(type), &function, &param);
	fmgr_info(function, &info);
	return info.fn_addr == input;
}

/* Tell whether a type is minhash. */
static bool
is_minhash_type(Oid type)
{
	return has_input_function(type, minhash_in);
}

/* Tell whether a type is minhash_query. */
static bool
is_query_type(Oid type)
{
	return has_input_function(type, minhash_query_in);
}

/* Rows that a search finds where nothing else is known. */
static double
default_rows(double threshold)
{
	return 1 / Max(threshold * threshold, 1e-6);
}

/* The default as a selectivity. */
static double
default_selectivity(double threshold, double rows)
{
	return Min(1.0, default_rows(threshold) / Max(rows, 1.0));
}

/* Read the statistics of a column. */
static SigStats
load_stats(VariableStatData *vardata, Oid function)
{
	SigStats	stats = {0};

	if (vardata->rel != NULL)
		stats.rows = vardata->rel->tuples;
	if (!HeapTupleIsValid(vardata->statsTuple))
		return stats;
	stats.null_fraction = ((Form_pg_statistic) GETSTRUCT(vardata->statsTuple))->stanullfrac;
	if (!is_minhash_type(vardata->vartype) ||
		!statistic_proc_security_check(vardata, function))
		return stats;
	(void) get_attstatsslot(&stats.common, vardata->statsTuple,
							STATISTIC_KIND_MCV, InvalidOid,
							ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS);
	(void) get_attstatsslot(&stats.sample, vardata->statsTuple,
							STATISTIC_KIND_HISTOGRAM, InvalidOid,
							ATTSTATSSLOT_VALUES);
	return stats;
}

/* Free what load_stats has read. */
static void
free_stats(SigStats *stats)
{
	free_attstatsslot(&stats->common);
	free_attstatsslot(&stats->sample);
}

/* Tell whether two signatures are similar; without errors, since we plan. */
static bool
values_are_similar(const MinHash *a, const MinHash *b, double threshold)
{
	double		jaccard;

	return minhash_is_comparable(a, b) && minhash_estimate(a, b, &jaccard) &&
		jaccard >= threshold;
}

/* Share of the rows that are copies of a common value similar to the search. */
static double
common_share(const SigStats *stats, const MinHash *search, double threshold,
			 double *common)
{
	double		share = 0;

	*common = 0;
	for (int i = 0; i < stats->common.nvalues; i++)
	{
		*common += stats->common.numbers[i];
		if (values_are_similar(DatumGetMinHash(stats->common.values[i]), search,
							   threshold))
			share += stats->common.numbers[i];
	}
	return share;
}

/* Share of the sampled rows that are similar to the search. */
static double
sample_share(const SigStats *stats, const MinHash *search, double threshold)
{
	int			similar = 0;

	for (int i = 0; i < stats->sample.nvalues; i++)
		similar += values_are_similar(DatumGetMinHash(stats->sample.values[i]),
									  search, threshold);
	return stats->sample.nvalues == 0 ? 0 :
		(double) similar / stats->sample.nvalues;
}

/* Selectivity of a known search. */
static double
known_selectivity(const SigStats *stats, const MinHash *search,
				  double threshold)
{
	double		usual = default_selectivity(threshold, stats->rows);
	double		common;
	double		share;

	if (slots_are_empty(search->slots, search->num_hashes))
		return 0;
	share = common_share(stats, search, threshold, &common);
	return share + Max(usual,
					   (1 - common - stats->null_fraction) *
					   sample_share(stats, search, threshold));
}

/* Selectivity of a search that is one of the rows. */
static double
unknown_selectivity(const SigStats *stats, double threshold)
{
	double		share = default_selectivity(threshold, stats->rows);

	for (int i = 0; i < stats->common.nvalues; i++)
		share += stats->common.numbers[i] * stats->common.numbers[i];
	return share;
}

/* Find the signature that a constant searches for; NULL if there is none. */
static const MinHash *
constant_search(PlannerInfo *root, Node *node)
{
	Const	   *constant = (Const *) estimate_expression_value(root, node);

	if (!IsA(constant, Const) || constant->constisnull)
		return NULL;
	if (is_query_type(constant->consttype))
		return &DatumGetMinHashQuery(constant->constvalue)->sig;
	if (is_minhash_type(constant->consttype))
		return DatumGetMinHash(constant->constvalue);
	return NULL;
}

/* Return the value of a float8 constant. */
double
minhash_constant_number(PlannerInfo *root, Node *node, double otherwise)
{
	Const	   *constant = (Const *) estimate_expression_value(root, node);

	if (!IsA(constant, Const) || constant->constisnull ||
		constant->consttype != FLOAT8OID)
		return otherwise;
	return DatumGetFloat8(constant->constvalue);
}

/* Estimate the share of a table's rows that is similar to something. */
Selectivity
minhash_selectivity(PlannerInfo *root, List *args, int varRelid, Oid function,
					double threshold)
{
	VariableStatData vardata;
	Node	   *other;
	bool		var_on_left;
	const MinHash *search;
	SigStats	stats;
	double		share;

	if (threshold <= 0)
		return 1.0;
	if (!get_restriction_variable(root, args, varRelid, &vardata, &other,
								  &var_on_left))
		return default_selectivity(threshold, 1000);
	stats = load_stats(&vardata, function);
	search = constant_search(root, other);
	if (search != NULL)
		share = known_selectivity(&stats, search, threshold);
	else
		share = unknown_selectivity(&stats, threshold);
	share = Min(share, 1 - stats.null_fraction);
	free_stats(&stats);
	ReleaseVariableStats(vardata);
	CLAMP_PROBABILITY(share);
	return share;
}

/* Share of the pairs of two tables that are copies of similar common values. */
static double
common_pairs(const SigStats *a, const SigStats *b, double threshold)
{
	double		share = 0;

	for (int i = 0; i < Min(a->common.nvalues, JOIN_VALUES); i++)
		for (int j = 0; j < Min(b->common.nvalues, JOIN_VALUES); j++)
			if (values_are_similar(DatumGetMinHash(a->common.values[i]),
								   DatumGetMinHash(b->common.values[j]),
								   threshold))
				share += a->common.numbers[i] * b->common.numbers[j];
	return share;
}

/* Estimate the share of the pairs of two tables that are similar. */
Selectivity
minhash_join_selectivity(PlannerInfo *root, List *args, JoinType jointype,
						 SpecialJoinInfo *sjinfo, Oid function,
						 double threshold)
{
	VariableStatData a_data;
	VariableStatData b_data;
	bool		reversed;
	SigStats	a;
	SigStats	b;
	double		share;

	if (threshold <= 0)
		return 1.0;
	get_join_variables(root, args, sjinfo, &a_data, &b_data, &reversed);
	a = load_stats(&a_data, function);
	b = load_stats(&b_data, function);
	share = default_selectivity(threshold, Max(a.rows, b.rows)) +
		common_pairs(&a, &b, threshold);
	share *= (1 - a.null_fraction) * (1 - b.null_fraction);
	/* The share of the outer rows that have a partner. */
	if (jointype == JOIN_SEMI || jointype == JOIN_ANTI)
		share *= Max(reversed ? a.rows : b.rows, 1.0);
	free_stats(&a);
	free_stats(&b);
	ReleaseVariableStats(a_data);
	ReleaseVariableStats(b_data);
	CLAMP_PROBABILITY(share);
	return share;
}

/* Return the threshold of a query, as far as it is known. */
static double
query_threshold(PlannerInfo *root, Node *query)
{
	Node	   *value = estimate_expression_value(root, query);

	if (IsA(value, Const) && !((Const *) value)->constisnull)
		return DatumGetMinHashQuery(((Const *) value)->constvalue)->threshold;
	/* minhash_query(column, threshold, ...) */
	if (is_funcclause(value) && list_length(((FuncExpr *) value)->args) >= 2)
		return minhash_constant_number(root,
									   lsecond(((FuncExpr *) value)->args),
									   lshsim_similarity_threshold);
	return lshsim_similarity_threshold;
}

/* Return the threshold of an operator: that of its query, or the setting. */
static double
operator_threshold(PlannerInfo *root, List *args)
{
	ListCell   *cell;

	foreach(cell, args)
	{
		if (is_query_type(exprType(lfirst(cell))))
			return query_threshold(root, lfirst(cell));
	}
	return lshsim_similarity_threshold;
}

/* Restriction selectivity of % and @@. */
PG_FUNCTION_INFO_V1(minhash_sel);
Datum
minhash_sel(PG_FUNCTION_ARGS)
{
	PlannerInfo *root = (PlannerInfo *) PG_GETARG_POINTER(0);
	Oid			operator = PG_GETARG_OID(1);
	List	   *args = (List *) PG_GETARG_POINTER(2);
	int			varRelid = PG_GETARG_INT32(3);

	PG_RETURN_FLOAT8(minhash_selectivity(root, args, varRelid,
										 get_opcode(operator),
										 operator_threshold(root, args)));
}

/* Join selectivity of % and @@. */
PG_FUNCTION_INFO_V1(minhash_joinsel);
Datum
minhash_joinsel(PG_FUNCTION_ARGS)
{
	PlannerInfo *root = (PlannerInfo *) PG_GETARG_POINTER(0);
	Oid			operator = PG_GETARG_OID(1);
	List	   *args = (List *) PG_GETARG_POINTER(2);
	JoinType	jointype = (JoinType) PG_GETARG_INT16(3);
	SpecialJoinInfo *sjinfo = (SpecialJoinInfo *) PG_GETARG_POINTER(4);

	PG_RETURN_FLOAT8(minhash_join_selectivity(root, args, jointype, sjinfo,
											  get_opcode(operator),
											  operator_threshold(root, args)));
}
