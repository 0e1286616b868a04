/*-------------------------------------------------------------------------
 *
 * minhash_analyze.c
 *	  What ANALYZE does for a column of signatures.
 *
 * Beside what it keeps of every column that can be compared (the share of
 * NULLs, the number of distinct values, the most common ones) it keeps
 *
 *	- 1,000 random rows, each by its first 192 slots (minhash_stats.h), so that a
 *	  search that is known can be compared with them;
 *	- how similar pairs of these rows are, and how similar each row is to the
 *	  nearest other, as histograms, for a search that is not known, and for
 *	  joins.
 *
 * Both have the same size for every number of hashes and every statistics
 * target, at most 400 kB, so that planning takes the same time, too.  The usual
 * histogram of values tells nothing about signatures, so it is left out.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "commands/vacuum.h"
#include "miscadmin.h"

#include "core/hash.h"
#include "minhash_stats.h"

/* What is usually done, which is done first. */
typedef struct UsualAnalysis
{
	AnalyzeAttrComputeStatsFunc compute_stats;
	void	   *extra_data;
} UsualAnalysis;

/*
 * Choose random rows that are not NULL; return how many.
 *
 * Algorithm R (Vitter 1985): the i-th takes a place with probability
 * SAMPLED_ROWS / i.  The same rows give the same sample every time.
 */
static int
choose_rows(VacAttrStatsP stats, AnalyzeAttrFetchFunc fetch, int num_rows,
			int *chosen)
{
	uint64		seen = 0;

	for (int row = 0; row < num_rows; row++)
	{
		bool		isnull;
		uint64		place = seen;

		(void) fetch(stats, row, &isnull);
		if (isnull)
			continue;
		seen++;
		if (place >= SAMPLED_ROWS)
			place = (mix64(seen) >> 32) * seen >> 32;
		if (place < SAMPLED_ROWS)
			chosen[place] = row;
	}
	return (int) Min(seen, SAMPLED_ROWS);
}

/* Make what is kept of a row. */
static SampledSig *
sample_row(VacAttrStatsP stats, AnalyzeAttrFetchFunc fetch, int row)
{
	bool		isnull;
	Datum		value = fetch(stats, row, &isnull);
	MinHash    *sig = DatumGetMinHash(value);
	SampledSig *sampled = sample_sig(sig);

	if ((Pointer) sig != DatumGetPointer(value))
		pfree(sig);
	return sampled;
}

/*
 * Count the pairs of sampled rows by their similarity, and find for each row
 * the similarity of the nearest other, or -1; return how many pairs there are.
 */
static double
count_pairs(const Datum *sample, int count, float4 *pairs, int *nearest)
{
	double		all = 0;

	for (int i = 0; i < count; i++)
	{
		SampledSig *a = (SampledSig *) DatumGetPointer(sample[i]);
		int			slots = sampled_slots(a);

		CHECK_FOR_INTERRUPTS();
		nearest[i] = -1;
		for (int j = 0; slots > 0 && j < i; j++)
		{
			SampledSig *b = (SampledSig *) DatumGetPointer(sample[j]);
			int			bin;

			if (!sampled_are_comparable(a, b))
				continue;
			bin = (sampled_equal(a, b) * PAIR_BINS + slots / 2) / slots;
			pairs[bin]++;
			nearest[i] = Max(nearest[i], bin);
			nearest[j] = Max(nearest[j], bin);
		}
		all += i;
	}
	return all;
}

/* Describe the pairs of sampled rows by numbers. */
static float4 *
describe_pairs(const Datum *sample, int count, int num_hashes)
{
	float4	   *numbers = palloc0(sizeof(float4) * STATS_NUMBERS);
	int		   *nearest = palloc(sizeof(int) * count);
	double		all = count_pairs(sample, count, numbers, nearest);

	for (int i = 0; i < PAIR_NUMBERS && all > 0; i++)
		numbers[i] /= all;
	for (int i = 0; i < count; i++)
		if (nearest[i] >= 0)
			numbers[PAIR_NUMBERS + nearest[i]] += 1.0 / count;
	numbers[2 * PAIR_NUMBERS] = num_hashes;
	pfree(nearest);
	return numbers;
}

/* Find the place of the histogram, which is not kept, or one that is free. */
static int
find_place(const VacAttrStats *stats)
{
	int			place = 0;

	while (place < STATISTIC_NUM_SLOTS && stats->stakind[place] != 0 &&
		   stats->stakind[place] != STATISTIC_KIND_HISTOGRAM)
		place++;
	return place;
}

/* Store the sample where the server looks for what is to be kept. */
static void
store_sample(VacAttrStatsP stats, int place, Datum *sample, int count,
			 float4 *numbers)
{
	stats->stakind[place] = STATISTIC_KIND_MINHASH;
	stats->staop[place] = InvalidOid;
	stats->stacoll[place] = InvalidOid;
	stats->stanumbers[place] = numbers;
	stats->numnumbers[place] = STATS_NUMBERS;
	stats->stavalues[place] = sample;
	stats->numvalues[place] = count;
	stats->statypid[place] = BYTEAOID;
	stats->statyplen[place] = -1;
	stats->statypbyval[place] = false;
	stats->statypalign[place] = TYPALIGN_INT;
}

/* Sample signatures and keep what the planner asks for. */
static void
keep_sample(VacAttrStatsP stats, AnalyzeAttrFetchFunc fetch, int num_rows)
{
	int			place = find_place(stats);
	int		   *chosen = palloc(sizeof(int) * SAMPLED_ROWS);
	int			count = choose_rows(stats, fetch, num_rows, chosen);
	MemoryContext caller;
	Datum	   *sample;
	bool		isnull;
	int			num_hashes;

	if (count == 0 || place == STATISTIC_NUM_SLOTS)
		return;
	caller = MemoryContextSwitchTo(stats->anl_context);
	sample = palloc(sizeof(Datum) * count);
	for (int i = 0; i < count; i++)
		sample[i] = PointerGetDatum(sample_row(stats, fetch, chosen[i]));
	num_hashes = DatumGetMinHash(fetch(stats, chosen[0], &isnull))->num_hashes;
	store_sample(stats, place, sample, count,
				 describe_pairs(sample, count, num_hashes));
	MemoryContextSwitchTo(caller);
}

/* Do what is usually done, then what is done for signatures. */
static void
compute_stats(VacAttrStatsP stats, AnalyzeAttrFetchFunc fetch, int num_rows,
			  double total_rows)
{
	UsualAnalysis *usual = (UsualAnalysis *) stats->extra_data;

	stats->extra_data = usual->extra_data;
	usual->compute_stats(stats, fetch, num_rows, total_rows);
	stats->extra_data = usual;
	keep_sample(stats, fetch, num_rows);
}

/* Tell ANALYZE what to do for a column of signatures. */
PG_FUNCTION_INFO_V1(minhash_typanalyze);
Datum
minhash_typanalyze(PG_FUNCTION_ARGS)
{
	VacAttrStats *stats = (VacAttrStats *) PG_GETARG_POINTER(0);
	UsualAnalysis *usual;

	if (!std_typanalyze(stats))
		PG_RETURN_BOOL(false);
	usual = palloc(sizeof(UsualAnalysis));
	usual->compute_stats = stats->compute_stats;
	usual->extra_data = stats->extra_data;
	stats->compute_stats = compute_stats;
	stats->extra_data = usual;
	PG_RETURN_BOOL(true);
}
