/*-------------------------------------------------------------------------
 *
 * minhash_analyze.c
 *	  ANALYZE of a column of signatures.
 *
 * In addition to the standard statistics (the fraction of NULLs, the number of
 * distinct values, the most common values), ANALYZE stores
 *
 *	- the first 64 slots of 128 random rows (see minhash_stats.h), to compare
 *	  with a search value that is known at planning time;
 *	- a histogram of the similarity of the pairs of 1,000 rows, for joins and
 *	  for search values that are unknown at planning time.
 *
 * Both are copied several times while a query is planned, so they are small, and
 * for any number of hashes and any statistics target.  Searches that
 * match 1 to 3 % of the table got worse plans with fewer rows or slots, and no
 * better ones with 1,000 rows of 192 slots.  The standard histogram of values is
 * useless for signatures, so it is dropped.
 *
 * The server takes all values of more than 1 kB, which signatures of 503 hashes
 * and more are, for different ones.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "commands/vacuum.h"
#include "miscadmin.h"

#include "core/bands/bands.h"
#include "core/base/hash.h"
#include "core/sketch/slots.h"
#include "minhash_stats.h"

#define COMPARED_ROWS 1000		/* rows whose pairs are compared */

/* The function that std_typanalyze() chooses for signatures. */
static AnalyzeAttrComputeStatsFunc compute_usual_stats;

/* Compute the sampled form of a signature; few slots are repeated. */
void
minhash_sample_slots(const MinHash *sig, uint16 *sampled)
{
	uint32		densified[MINHASH_STATS_SLOTS];
	int			slots = Min(sig->num_hashes, MINHASH_STATS_SLOTS);

	memset(sampled, 0xFF, sizeof(uint16) * MINHASH_STATS_SLOTS);
	if (slots_are_empty(sig->slots, sig->num_hashes))
		return;
	band_densify(sig->slots, sig->num_hashes, densified, slots);
	for (int i = 0; i < MINHASH_STATS_SLOTS; i++)
	{
		sampled[i] = (uint16) (mix64(densified[i % slots]) >> 48);
		if (sampled[i] == SLOT_EMPTY)
			sampled[i]--;
	}
}

/* Return the number of equal slots; two empty sets have none. */
int
minhash_sample_equal(const uint16 *a, const uint16 *b)
{
	int			equal;
	int			compared;

	slots_compare(a, b, MINHASH_STATS_SLOTS, &equal, &compared);
	return equal;
}

/*
 * Sample rows that are not NULL, at equal distances, because they are a random
 * sample already; return their number.
 */
static int
sample_rows(VacAttrStatsP stats, AnalyzeAttrFetchFunc fetch, int num_rows,
			uint16 (*rows)[MINHASH_STATS_SLOTS], SigNumbers *numbers)
{
	double		filled = rint(num_rows * (1.0 - stats->stanullfrac));
	double		step = Max(filled / COMPARED_ROWS, 1);
	int			seen = 0;
	int			count = 0;

	for (int row = 0; row < num_rows && count < COMPARED_ROWS; row++)
	{
		bool		isnull;
		Datum		value = fetch(stats, row, &isnull);
		MinHash    *sig;

		if (isnull || seen++ < (int) (count * step))
			continue;
		sig = DatumGetMinHash(value);
		numbers->num_hashes = sig->num_hashes;
		minhash_sample_slots(sig, rows[count++]);
		if ((Pointer) sig != DatumGetPointer(value))
			pfree(sig);
	}
	return count;
}

/* Compute the histogram of the similarity of pairs. */
static void
fill_histogram(uint16 (*rows)[MINHASH_STATS_SLOTS], int count, SigNumbers *numbers)
{
	double		pairs[MINHASH_STATS_SLOTS + 1] = {0};

	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < i; j++)
			pairs[minhash_sample_equal(rows[i], rows[j])]++;
	}
	for (int i = 0; i <= MINHASH_STATS_SLOTS; i++)
		numbers->pairs[i] = pairs[i] / Max(count * (count - 1) / 2, 1);
}

/* Compute the standard statistics, then ours. */
static void
compute_stats(VacAttrStatsP stats, AnalyzeAttrFetchFunc fetch, int num_rows,
			  double total_rows)
{
	uint16		(*rows)[MINHASH_STATS_SLOTS] = palloc(sizeof(*rows) * COMPARED_ROWS);
	SigNumbers *numbers = MemoryContextAllocZero(stats->anl_context,
												 sizeof(SigNumbers));
	Datum	   *values = MemoryContextAlloc(stats->anl_context, sizeof(Datum));
	int			place = STATISTIC_NUM_SLOTS - 1;
	int			count;
	int			sampled;
	Size		size;
	bytea	   *sample;

	compute_usual_stats(stats, fetch, num_rows, total_rows);
	count = sample_rows(stats, fetch, num_rows, rows, numbers);
	if (count == 0)
		return;
	fill_histogram(rows, count, numbers);
	sampled = Min(count, MINHASH_STATS_ROWS);
	size = VARHDRSZ + sizeof(*rows) * sampled;
	sample = MemoryContextAlloc(stats->anl_context, size);
	SET_VARSIZE(sample, size);
	for (int i = 0; i < sampled; i++)
		memcpy(VARDATA(sample) + sizeof(*rows) * i, rows[i * count / sampled],
			   sizeof(*rows));
	values[0] = PointerGetDatum(sample);
	for (int i = 0; i < STATISTIC_NUM_SLOTS; i++)
		if (stats->stakind[i] == STATISTIC_KIND_HISTOGRAM)
			place = i;			/* to overwrite it */
	stats->stakind[place] = STATISTIC_KIND_MINHASH;
	stats->staop[place] = InvalidOid;
	stats->stacoll[place] = InvalidOid;
	stats->stanumbers[place] = (float4 *) numbers;
	stats->numnumbers[place] = sizeof(SigNumbers) / sizeof(float4);
	stats->stavalues[place] = values;
	stats->numvalues[place] = 1;
	stats->statypid[place] = BYTEAOID;
	stats->statyplen[place] = -1;
	stats->statypbyval[place] = false;
	stats->statypalign[place] = TYPALIGN_INT;
}

/* Set up ANALYZE for a column of signatures: the typanalyze function. */
PG_FUNCTION_INFO_V1(minhash_typanalyze);
Datum
minhash_typanalyze(PG_FUNCTION_ARGS)
{
	VacAttrStats *stats = (VacAttrStats *) PG_GETARG_POINTER(0);

	if (!std_typanalyze(stats))
		PG_RETURN_BOOL(false);
	compute_usual_stats = stats->compute_stats;
	stats->compute_stats = compute_stats;
	PG_RETURN_BOOL(true);
}
