/*-------------------------------------------------------------------------
 *
 * minhash_analyze.c
 *	  ANALYZE of a column of signatures.
 *
 * In addition to the standard statistics (the fraction of NULLs, the number of
 * distinct values, the most common values), ANALYZE stores
 *
 *	- the first 192 slots of 1,000 random rows (see minhash_stats.h), to compare
 *	  with a search value that is known at planning time;
 *	- a histogram of the similarity of pairs of these rows, and one of the
 *	  similarity of each row to its nearest neighbor, for joins and for search
 *	  values that are unknown at planning time.
 *
 * Their size does not depend on the number of hashes or the statistics target
 * and is at most 400 kB, so that planning time is bounded, too.  The standard
 * histogram of values is useless for signatures, so it is dropped.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "commands/vacuum.h"
#include "miscadmin.h"

#include "minhash_stats.h"

/* The functions of std_typanalyze(), which run first. */
typedef struct UsualAnalysis
{
	AnalyzeAttrComputeStatsFunc compute_stats;
	void	   *extra_data;
} UsualAnalysis;

/*
 * Choose rows that are not NULL, at equal distances; return their number.  The
 * rows are a random sample already.
 */
static int
choose_rows(VacAttrStatsP stats, AnalyzeAttrFetchFunc fetch, int num_rows,
			int *chosen)
{
	int			count = 0;
	int			sampled;

	for (int row = 0; row < num_rows; row++)
	{
		bool		isnull;

		(void) fetch(stats, row, &isnull);
		if (!isnull)
			chosen[count++] = row;
	}
	sampled = Min(count, SAMPLED_ROWS);
	for (int i = 0; i < sampled; i++)
		chosen[i] = chosen[(int64) i * count / sampled];
	return sampled;
}

/*
 * Compute the numbers to store: the histogram of the similarity of pairs, that
 * of rows to their nearest neighbors, and the number of hashes.
 */
static float4 *
describe_pairs(const Datum *sample, int count, int num_hashes)
{
	float4	   *numbers = palloc0(sizeof(float4) * STATS_NUMBERS);
	int		   *nearest = palloc(sizeof(int) * count);
	double		pairs = count * (count - 1) / 2.0;

	for (int i = 0; i < count; i++)
	{
		SampledSig *a = (SampledSig *) DatumGetPointer(sample[i]);
		int			slots = sampled_slots(a);

		CHECK_FOR_INTERRUPTS();
		nearest[i] = -1;		/* none */
		for (int j = 0; j < i; j++)
		{
			int			equal = sampled_equal(a, (SampledSig *) DatumGetPointer(sample[j]));
			int			bin;

			if (equal < 0)
				continue;
			bin = (equal * PAIR_BINS + slots / 2) / slots;
			numbers[bin]++;
			nearest[i] = Max(nearest[i], bin);
			nearest[j] = Max(nearest[j], bin);
		}
	}
	for (int i = 0; i < PAIR_NUMBERS; i++)
		numbers[i] /= Max(pairs, 1);
	for (int i = 0; i < count; i++)
		if (nearest[i] >= 0)
			numbers[PAIR_NUMBERS + nearest[i]] += 1.0 / count;
	numbers[2 * PAIR_NUMBERS] = num_hashes;
	pfree(nearest);
	return numbers;
}

/* Find the slot of the standard histogram, to overwrite it, or a free one. */
static int
find_place(const VacAttrStats *stats)
{
	int			place = 0;

	while (place < STATISTIC_NUM_SLOTS && stats->stakind[place] != 0 &&
		   stats->stakind[place] != STATISTIC_KIND_HISTOGRAM)
		place++;
	return place;
}

/* Compute our part of the statistics, and store it in a slot of them. */
static void
keep_sample(VacAttrStatsP stats, AnalyzeAttrFetchFunc fetch, int num_rows)
{
	int			place = find_place(stats);
	int		   *chosen = palloc(sizeof(int) * Max(num_rows, 1));
	int			count = choose_rows(stats, fetch, num_rows, chosen);
	int			num_hashes = 0;
	MemoryContext caller;
	Datum	   *sample;

	if (count == 0 || place == STATISTIC_NUM_SLOTS)
		return;
	caller = MemoryContextSwitchTo(stats->anl_context);
	sample = palloc(sizeof(Datum) * count);
	for (int i = 0; i < count; i++)
	{
		bool		isnull;
		Datum		value = fetch(stats, chosen[i], &isnull);
		MinHash    *sig = DatumGetMinHash(value);

		num_hashes = sig->num_hashes;
		sample[i] = PointerGetDatum(sampled_sig(sig));
		if ((Pointer) sig != DatumGetPointer(value))
			pfree(sig);
	}
	stats->stakind[place] = STATISTIC_KIND_MINHASH;
	stats->staop[place] = InvalidOid;
	stats->stacoll[place] = InvalidOid;
	stats->stanumbers[place] = describe_pairs(sample, count, num_hashes);
	stats->numnumbers[place] = STATS_NUMBERS;
	stats->stavalues[place] = sample;
	stats->numvalues[place] = count;
	stats->statypid[place] = BYTEAOID;
	stats->statyplen[place] = -1;
	stats->statypbyval[place] = false;
	stats->statypalign[place] = TYPALIGN_INT;
	MemoryContextSwitchTo(caller);
}

/* Compute the standard statistics, then ours. */
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

/* Set up ANALYZE for a column of signatures: the typanalyze function. */
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
