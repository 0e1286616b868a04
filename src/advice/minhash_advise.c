/*-------------------------------------------------------------------------
 *
 * minhash_advise.c
 *	  Advice on shingling and threshold from the texts of a table.
 *
 * The texts determine the shingling (advice_shingling.c).
 *
 * They do not determine the threshold: versions of a page, pages of one
 * template and replies to the same letter all appear as pairs, and the data
 * cannot tell which of them the user wants.  So minhash_advise reports the
 * effect of each threshold and minhash_advise_pairs shows pairs to judge.
 * The user bisects the thresholds, five judged pairs a step.  If at least two
 * of five pairs just above a threshold are right, the threshold with the best
 * F1 is lower, because at the best threshold pairs are right with half the
 * probability of its F1.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "advice.h"
#include "search/similar.h"
#include "support/arguments.h"

#define MAX_SAMPLE 100000
#define FEW_MATCHED 10			/* draw a larger sample if fewer rows match */
#define MATCHED_PART (ADVICE_PARTS / 2) /* ... at similarity .5 */
#define MORE_ROWS 10			/* factor by which the sample grows ... */
#define MANY_BYTES 1e8			/* ... unless the table has more; about ten
								 * seconds */
#define ROW_BYTES 1000			/* that take as long as reading a row */

#define SHORT_SET 10			/* shingles; one edit changes much of fewer */

/* The shinglings to report on. */
static const uint32 shinglings[] = {
	SHINGLING(SHINGLE_CHAR, 2, 0), SHINGLING(SHINGLE_CHAR, 3, 0),
	SHINGLING(SHINGLE_CHAR, 5, 0), SHINGLING(SHINGLE_CHAR, 9, 0),
	SHINGLING(SHINGLE_WORD, 1, 0), SHINGLING(SHINGLE_WORD, 2, 0),
	SHINGLING(SHINGLE_WORD, 3, 0)
};

/*** Arguments ***/

/*
 * Begin advice, and the result of the function; other is the number of the
 * argument other_relation.
 */
static Advice *
begin_advice(FunctionCallInfo fcinfo, int other)
{
	Advice	   *advice = palloc0(sizeof(Advice));

	arg_check_not_null(fcinfo, 0, "relation");
	advice->context = AllocSetContextCreate(CurrentMemoryContext, "advice",
											ALLOCSET_DEFAULT_SIZES);
	arg_check_not_null(fcinfo, 1, "column_name");
	advice->query = advice_query(PG_GETARG_OID(0), NameStr(*PG_GETARG_NAME(1)));
	if (!PG_ARGISNULL(other) || !PG_ARGISNULL(other + 1))
	{
		arg_check_not_null(fcinfo, other, "other_relation");
		arg_check_not_null(fcinfo, other + 1, "other_column");
		advice->other_query = advice_query(PG_GETARG_OID(other),
										   NameStr(*PG_GETARG_NAME(other + 1)));
	}
	advice->max_sample = ADVICE_DEFAULT_SAMPLE;
	advice->result = row_begin(fcinfo, &advice->desc);
	return advice;
}

/* Return a checked number of rows or pairs, or the default if it is NULL. */
static int
count_argument(FunctionCallInfo fcinfo, int number, int usual, int max,
			   const char *what)
{
	if (PG_ARGISNULL(number))
		return usual;
	return arg_check_count(PG_GETARG_INT32(number), max, what);
}

/*** The shingling ***/

/* Return the similarity after one edit; see advice_shingling.c. */
static double
after_one_edit(uint32 shingles, uint32 shingling)
{
	double		n = shingling_size(shingling);

	return shingles > n ? (shingles - n) / (shingles + n) : 0;
}

/* Return a remark on a shingling, or NULL. */
static char *
shingling_remark(const SetSizes *sizes, uint32 shingling, const char *reason,
				 bool no_texts)
{
	char	   *few;

	if (no_texts)
		return pstrdup("there are no texts to choose by");
	if (sizes->tenth >= SHORT_SET)
		return reason != NULL ? pstrdup(reason) : NULL;
	few = psprintf("one edit leaves a similarity of at most %.2f in a tenth of the texts, whose number of shingles is at most %u",
				   after_one_edit(sizes->tenth, shingling), sizes->tenth);
	return reason != NULL ? psprintf("%s; %s", reason, few) : few;
}

/* Add the result row of a shingling. */
static void
put_shingling(const Advice *advice, const List *texts, uint32 shingling,
			  const ShinglingChoice *choice)
{
	SetSizes	sizes = advice_measure_sets(texts, shingling);
	bool		is_chosen = shingling == choice->shingling;
	char	   *remark = shingling_remark(&sizes, shingling,
										  is_chosen ? choice->reason : NULL,
										  texts == NIL);
	Datum		values[6];
	bool		nulls[6] = {false};

	nulls[2] = nulls[3] = nulls[4] = sizes.count == 0;
	nulls[5] = remark == NULL;
	values[0] = UInt32GetDatum(shingling);
	values[1] = BoolGetDatum(is_chosen);
	values[2] = Int32GetDatum((int32) sizes.median);
	values[3] = Int32GetDatum((int32) sizes.tenth);
	values[4] = Float8GetDatum(rint(1000 * after_one_edit(sizes.median,
														  shingling)) / 1000);
	values[5] = remark ? CStringGetTextDatum(remark) : (Datum) 0;
	tuplestore_putvalues(advice->result, advice->desc, values, nulls);
}

/* Recommend a shingling for the texts of a table, or of two. */
PG_FUNCTION_INFO_V1(minhash_advise_shingling);
Datum
minhash_advise_shingling(PG_FUNCTION_ARGS)
{
	Advice	   *advice = begin_advice(fcinfo, 2);
	List	   *texts = advice_draw_texts(advice);
	ShinglingChoice choice = advice_choose_shingling(texts);

	for (int i = 0; i < (int) lengthof(shinglings); i++)
		put_shingling(advice, texts, shinglings[i], &choice);
	MemoryContextDelete(advice->context);
	return (Datum) 0;
}

/*** The comparison ***/

/* Count the exact copies of a sampled row, without itself. */
static int64
other_copies(const Advice *advice, const AdviceSampled *sampled)
{
	return Max(sampled->copies - (advice->other_query == NULL), 0);
}

/* Count the rows similar to a sampled row, without exact copies. */
static int64
count_matches(const AdviceSampled *sampled, int part)
{
	int64		count = 0;

	for (; part < ADVICE_STEPS; part++)
		count += sampled->similar[part];
	return count;
}

/* The effect of a threshold; see REFERENCE.md. */
typedef struct Effect
{
	double		pairs;
	double		copies;
	double		matched;
	int			sampled_matched;	/* sampled rows with a match */
	double		mean;
	int64		most;
} Effect;

/* Estimate the effect of a threshold. */
static Effect
estimate_effect(const Advice *advice, int part)
{
	Effect		effect = {0};
	double		scale = (double) (advice->rows - advice->nulls) /
		Max(advice->count, 1);
	double		share = advice->other_query == NULL ? 0.5 : 1;

	for (int i = 0; i < advice->count; i++)
	{
		int64		copies = other_copies(advice, &advice->sample[i]);
		int64		matches = copies + count_matches(&advice->sample[i], part);

		effect.pairs += (double) matches * scale * share;
		effect.copies += (double) copies * scale * share;
		effect.matched += scale * (matches > 0);
		effect.sampled_matched += matches > 0;
		effect.mean += (double) matches / advice->count;
		effect.most = Max(effect.most, matches);
	}
	return effect;
}

/* Return true if few rows of the sample have a match, and a larger one is fast. */
static bool
needs_more(const Advice *advice)
{
	double		bytes = ROW_BYTES + (double) advice->bytes / Max(advice->count, 1);

	return advice->count == advice->max_sample &&
		bytes * (double) advice->other_rows <= MANY_BYTES &&
		estimate_effect(advice, MATCHED_PART).sampled_matched < FEW_MATCHED;
}

/* Draw a sample and compare it. */
static void
draw_and_compare(Advice *advice, int rows)
{
	MemoryContextReset(advice->context);
	advice->max_sample = rows;
	advice_draw(advice, advice->query);
	advice_compare(advice);
}

/* Compare a sample, and once more a larger one if few of its rows have a match. */
static void
run_advice(FunctionCallInfo fcinfo, Advice *advice, int shingling,
		   int sample_rows)
{
	int			rows = count_argument(fcinfo, sample_rows, ADVICE_DEFAULT_SAMPLE,
									  MAX_SAMPLE, "sample_rows");

	if (PG_ARGISNULL(shingling))
		advice->shingling = advice_choose_shingling(advice_draw_texts(advice)).shingling;
	else
		advice->shingling = arg_check_text_shingling(PG_GETARG_UINT32(shingling));
	draw_and_compare(advice, rows);
	if (PG_ARGISNULL(sample_rows) && needs_more(advice))
		draw_and_compare(advice, MORE_ROWS * rows);
}

/* Estimate the number of rows that a search compares. */
static double
expected_candidates(const Advice *advice, const BandPlan *plan)
{
	double		candidates = 0;

	if (plan->compare_all)
		return (double) advice->other_rows;
	for (int i = 0; i <= ADVICE_FINE_PARTS; i++)
	{
		double		similarity = Min((i + 0.5) / ADVICE_FINE_PARTS, 1);

		candidates += advice->fine[i] *
			band_probability(similarity, plan->bands, plan->rows,
							 plan->agreeing);
	}
	return candidates / Max(advice->count, 1);
}

/* Add the result row of a threshold. */
static void
put_threshold(const Advice *advice, int part)
{
	double		threshold = (double) part / ADVICE_PARTS;
	Effect		effect = estimate_effect(advice, part);
	const BandPlan *plan = minhash_plan(threshold, BAND_DEFAULT_RECALL,
										SKETCH_DEFAULT_HASHES);
	Datum		values[10];
	bool		nulls[10] = {false};

	nulls[7] = nulls[8] = plan->compare_all;
	values[0] = UInt32GetDatum(advice->shingling);
	values[1] = Float8GetDatum(threshold);
	values[2] = Int64GetDatum((int64) rint(effect.pairs));
	values[3] = Int64GetDatum((int64) rint(effect.copies));
	values[4] = Int64GetDatum((int64) rint(effect.matched));
	values[5] = Float8GetDatum(rint(1000 * effect.mean) / 1000);
	values[6] = Int64GetDatum(effect.most);
	values[7] = Int32GetDatum(plan->bands);
	values[8] = Int32GetDatum(plan->rows);
	values[9] = Int64GetDatum((int64) rint(expected_candidates(advice, plan)));
	tuplestore_putvalues(advice->result, advice->desc, values, nulls);
}

/* Report the effect of each threshold on a table, or between two. */
PG_FUNCTION_INFO_V1(minhash_advise);
Datum
minhash_advise(PG_FUNCTION_ARGS)
{
	Advice	   *advice = begin_advice(fcinfo, 2);

	run_advice(fcinfo, advice, 4, 5);
	for (int part = ADVICE_FIRST_PART; part < ADVICE_STEPS; part++)
	{
		CHECK_FOR_INTERRUPTS();
		put_threshold(advice, part);
	}
	MemoryContextDelete(advice->context);
	return (Datum) 0;
}

/*** Examples ***/

/* Add the result row of a pair. */
static void
put_example(const Advice *advice, double threshold, AdvicePair pair)
{
	const AdviceSampled *sampled = &advice->sample[pair.sampled];
	int			part = (int) ceil(threshold * ADVICE_PARTS - 1e-9);
	Datum		values[7];
	bool		nulls[7] = {false};

	nulls[2] = sampled->key == NULL;
	nulls[3] = pair.key == NULL;
	values[0] = Float8GetDatum(threshold);
	values[1] = Float8GetDatum(rint(1000 * pair.similarity) / 1000);
	values[2] = PointerGetDatum(sampled->key);
	values[3] = PointerGetDatum(pair.key);
	values[4] = Int64GetDatum(count_matches(sampled, part) +
							  other_copies(advice, sampled));
	values[5] = PointerGetDatum(advice_excerpt(sampled->document));
	values[6] = PointerGetDatum(pair.excerpt);
	tuplestore_putvalues(advice->result, advice->desc, values, nulls);
}

/*
 * Add the pairs of the first step at or above a threshold that has any, because
 * pairs far above it say nothing about the threshold.
 */
static void
put_examples(const Advice *advice, double threshold, int max)
{
	int			left = max;

	for (int part = (int) (threshold * ADVICE_PARTS + 1e-9);
		 part < ADVICE_STEPS && left == max; part++)
	{
		const AdvicePairs *pairs = &advice->steps[part];

		for (int i = 0; i < pairs->count && left > 0; i++)
		{
			CHECK_FOR_INTERRUPTS();
			if (pairs->pairs[i].similarity < threshold - 1e-9)
				continue;
			put_example(advice, threshold, pairs->pairs[i]);
			left--;
		}
	}
}

/* Show pairs just above a threshold, or above each step. */
PG_FUNCTION_INFO_V1(minhash_advise_pairs);
Datum
minhash_advise_pairs(PG_FUNCTION_ARGS)
{
	Advice	   *advice = begin_advice(fcinfo, 3);
	double		threshold = PG_ARGISNULL(2) ? 0 :
		arg_check_threshold(PG_GETARG_FLOAT8(2));
	int			pairs = count_argument(fcinfo, 6, 5, ADVICE_MAX_PAIRS, "pairs");

	advice->max_pairs = pairs;
	run_advice(fcinfo, advice, 5, 7);
	for (int part = ADVICE_FIRST_PART; part < ADVICE_STEPS; part++)
	{
		double		step = PG_ARGISNULL(2) ? (double) part / ADVICE_PARTS :
			Max(threshold, (double) ADVICE_FIRST_PART / ADVICE_PARTS);

		CHECK_FOR_INTERRUPTS();
		put_examples(advice, step, pairs);
		if (!PG_ARGISNULL(2))
			break;
	}
	MemoryContextDelete(advice->context);
	return (Datum) 0;
}
