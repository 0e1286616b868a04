/*-------------------------------------------------------------------------
 *
 * minhash_stats.c
 *	  Estimate searches from the statistics of a column of signatures.
 *
 * A search value known at planning time is compared with every sampled row.
 * The share of sampled rows that are similar is the estimate for the table; from
 * their similarity follows the share that agrees in the bands of the plan.  A sampled row represents N /
 * 1,000 rows of a table of N rows.  If no sampled row is similar, the number
 * of matching rows may be anything from 1 to about N / 1,000, with small
 * numbers more likely than large ones; the estimate is the cube root of N /
 * 1,000.  If a single sampled row is equal to the search value, it is assumed
 * to be the row searched for, and counts as one row.
 *
 * A search value unknown at planning time is assumed to be that of some row.
 * The histogram of pairs gives the average number of other rows similar to
 * it, which determines the result of a join and the work of an index.  It is
 * a poor estimate for a single search: if a tenth of the rows are copies of
 * one text, 1 % of the table matches on average, but nine of ten searches
 * find one row, and a sequential scan for it reads the whole table.  The
 * histogram of nearest neighbors gives the share h of the rows that have
 * similar rows, on average a share m of the table; the others find only
 * themselves.  The estimate is the geometric mean m^h (1 / N)^(1 - h).  (The
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

#include "core/base/hash.h"
#include "core/sketch/slots.h"
#include "minhash_stats.h"

/* Return the sampled form of a signature. */
SampledSig *
sampled_sig(const MinHash *sig)
{
	int			slots = Min(sig->num_hashes, SAMPLED_SLOTS);
	uint64		kind = minhash_kind_hash(sig);
	uint32		densified[SAMPLED_SLOTS];
	SampledSig *sampled;
	Size		size;

	if (slots_are_empty(sig->slots, sig->num_hashes))
		slots = 0;
	size = offsetof(SampledSig, slots) + sizeof(uint16) * slots;
	sampled = palloc(size);
	SET_VARSIZE(sampled, size);
	sampled->kind[0] = (uint32) kind;
	sampled->kind[1] = (uint32) (kind >> 32);
	slots_densify(sig->slots, sig->num_hashes, densified, slots);
	for (int i = 0; i < slots; i++)
	{
		sampled->slots[i] = (uint16) (mix64(densified[i]) >> 48);
		if (sampled->slots[i] == SLOT_EMPTY)
			sampled->slots[i]--;
	}
	return sampled;
}

/* Return the number of slots of a sampled signature. */
int
sampled_slots(const SampledSig *sig)
{
	return (VARSIZE(sig) - offsetof(SampledSig, slots)) / sizeof(uint16);
}

/* Count the equal slots of two signatures. */
int
sampled_equal(const SampledSig *a, const SampledSig *b)
{
	int			equal;
	int			compared;

	if (a->kind[0] != b->kind[0] || a->kind[1] != b->kind[1] ||
		VARSIZE(a) != VARSIZE(b) || sampled_slots(a) == 0)
		return -1;
	slots_compare(a->slots, b->slots, sampled_slots(a), &equal, &compared);
	return equal;
}

/* Load the statistics of a column. */
SigStats
sig_stats_load(VariableStatData *vardata, Oid function)
{
	SigStats	stats = {0};

	if (vardata->rel != NULL)
		stats.rows = vardata->rel->tuples;
	if (!HeapTupleIsValid(vardata->statsTuple))
		return stats;
	stats.null_fraction = ((Form_pg_statistic) GETSTRUCT(vardata->statsTuple))->stanullfrac;
	if (statistic_proc_security_check(vardata, function) &&
		get_attstatsslot(&stats.kept, vardata->statsTuple,
						 STATISTIC_KIND_MINHASH, InvalidOid,
						 ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS) &&
		(stats.kept.valuetype != BYTEAOID || stats.kept.nvalues == 0 ||
		 stats.kept.nnumbers != STATS_NUMBERS))
		sig_stats_free(&stats); /* made by another version */
	return stats;
}

/* Free the sample and the numbers of statistics. */
void
sig_stats_free(SigStats *stats)
{
	free_attstatsslot(&stats->kept);
	memset(&stats->kept, 0, sizeof(stats->kept));
}

/* Return the number of hashes of a sampled row, or the default. */
int
sig_stats_num_hashes(const SigStats *stats)
{
	if (stats->kept.nnumbers == 0)
		return SKETCH_DEFAULT_HASHES;
	return (int) stats->kept.numbers[2 * PAIR_NUMBERS];
}

/* Return the probability that two signatures agree in all rows of a band. */
double
band_equal_share(double similarity, int slots, int rows)
{
	double		share = 1;

	for (int i = 0; i < rows; i++)
		share *= Max(0, similarity * slots - i) / (slots - i);
	return share;
}

/* Estimate the share of matching rows if no sampled row matches. */
static double
unseen_share(const SigStats *stats)
{
	double		rows = Max(stats->rows, 1.0);

	return cbrt(Max(rows / stats->kept.nvalues, 1.0)) / rows;
}

/*
 * Sum the shares of a plan over a histogram, of steps from 0 to 1, of the
 * similarity of signatures with a number of sampled slots.
 */
static void
sum_histogram(const float4 *numbers, int steps, int slots,
			  SearchEstimate *estimate)
{
	const BandPlan *plan = &estimate->plan;

	estimate->entries = estimate->candidates = estimate->matches = 0;
	for (int i = 0; i <= steps; i++)
	{
		double		similarity = (double) i / steps;
		double		band = band_equal_share(similarity, slots, plan->rows);

		if (similarity >= plan->threshold)
			estimate->matches += numbers[i];
		estimate->candidates += numbers[i] *
			(plan->compare_all ? 1 :
			 band_probability(band, plan->bands, 1, plan->matches));
		estimate->entries += numbers[i] * band * plan->bands;
	}
}

/* Sum the shares of a plan over a histogram of the statistics. */
static void
sum_kept(const SigStats *stats, int first, SearchEstimate *estimate)
{
	sum_histogram(stats->kept.numbers + first, PAIR_BINS,
				  Min(sig_stats_num_hashes(stats), SAMPLED_SLOTS), estimate);
}

/* Estimate a known search by comparing it with the sampled rows. */
bool
sig_stats_known(const SigStats *stats, const MinHash *search,
				SearchEstimate *estimate)
{
	SampledSig *wanted = sampled_sig(search);
	int			slots = sampled_slots(wanted);
	int			count = stats->kept.nvalues;
	float4		numbers[SAMPLED_SLOTS + 1] = {0};
	int			copies = 0;

	if (count == 0)
		return false;
	for (int i = 0; i < count; i++)
	{
		SampledSig *row = (SampledSig *) DatumGetPointer(stats->kept.values[i]);
		int			equal = sampled_equal(row, wanted);

		if (equal == slots)
			copies++;
		else if (equal >= 0)
			numbers[equal] += 1.0 / count;
	}
	if (copies > 1)
		numbers[slots] = (double) copies / count;
	sum_histogram(numbers, slots, slots, estimate);
	estimate->matches = Max(estimate->matches, unseen_share(stats));
	estimate->candidates = Max(estimate->candidates, estimate->matches);
	estimate->entries = Max(estimate->entries, estimate->candidates);
	return true;
}

/* Return the geometric mean of the rows with and without similar rows. */
static double
typical_share(double mean, double with_others, double self)
{
	if (with_others <= 0)
		return self;
	with_others = Min(with_others, 1);
	return pow(self + mean / with_others, with_others) *
		pow(self, 1 - with_others);
}

/* Estimate the share of rows for which a search finds another row. */
bool
sig_stats_partners(const SigStats *stats, SearchEstimate *estimate)
{
	if (stats->kept.nvalues < 2)
		return false;
	sum_kept(stats, PAIR_NUMBERS, estimate);
	return true;
}

/* Estimate an unknown search from the histograms. */
bool
sig_stats_unknown(const SigStats *stats, bool typical, SearchEstimate *estimate)
{
	double		self = 1 / Max(stats->rows, 1.0);
	SearchEstimate partners = *estimate;

	if (!sig_stats_partners(stats, &partners))
		return false;
	sum_kept(stats, 0, estimate);
	estimate->entries += self;
	estimate->candidates += self;
	estimate->matches = typical ?
		typical_share(estimate->matches, partners.matches, self) :
		estimate->matches + self;
	return true;
}
