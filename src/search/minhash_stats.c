/*-------------------------------------------------------------------------
 *
 * minhash_stats.c
 *	  Use what ANALYZE keeps of a column of signatures.
 *
 * A search that is known is compared with every sampled row: the share of
 * those that are similar, or that agree in the bands of the plan, is that of
 * the table.  A sampled row stands for N / 1,000 of a table's N rows.  Where
 * none is similar, there may be any number of rows from 1 to about that, small
 * ones more often than large ones: the estimate is the cube root.  One that is
 * equal is taken for the row that is searched for, and stands for itself.
 *
 * A search that is not known is taken to be one of the rows.  The histogram
 * of pairs tells how many others are similar to it on average, which is what a
 * join returns and an index works on.  What a single search returns is not so:
 * where a tenth of the rows are copies of one text, 1 % of the table matches on
 * average, but nine of ten searches find one row, and to look for it row by row
 * takes the whole table.  So the histogram of the nearest others tells which
 * share h of the rows has any, on average a share m of the table; the rest finds
 * itself, and the estimate is the geometric mean m^h (1 / N)^(1 - h).  (The
 * server takes 1 / n_distinct for a value that is not known.)
 *
 * A pair of which X of n slots are equal has d given slots in common with
 * probability X (X - 1) ... (X - d + 1) / (n (n - 1) ... (n - d + 1)), without
 * the bias that (X / n)^d would have.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"

#include "core/hash.h"
#include "core/slots.h"
#include "minhash_stats.h"

/* Return what is kept of a signature. */
SampledSig *
sample_sig(const MinHash *sig)
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
	densify(sig->slots, sig->num_hashes, densified, slots);
	for (int i = 0; i < slots; i++)
	{
		sampled->slots[i] = (uint16) (mix64(densified[i]) >> 48);
		if (sampled->slots[i] == SLOT_EMPTY)
			sampled->slots[i]--;
	}
	return sampled;
}

/* Return the number of slots that are kept of a signature. */
int
sampled_slots(const SampledSig *sig)
{
	return (VARSIZE(sig) - offsetof(SampledSig, slots)) / sizeof(uint16);
}

/* Tell whether two signatures were made in the same way, and are not empty. */
bool
sampled_are_comparable(const SampledSig *a, const SampledSig *b)
{
	return a->kind[0] == b->kind[0] && a->kind[1] == b->kind[1] &&
		VARSIZE(a) == VARSIZE(b) && sampled_slots(a) > 0;
}

/* Count the equal slots of two signatures that can be compared. */
int
sampled_equal(const SampledSig *a, const SampledSig *b)
{
	int			equal;
	int			compared;

	slots_compare(a->slots, b->slots, sampled_slots(a), &equal, &compared);
	return equal;
}

/* Tell whether statistics are those that this file knows how to read. */
static bool
stats_are_known(const AttStatsSlot *kept)
{
	return kept->valuetype == BYTEAOID && kept->nvalues > 0 &&
		kept->nnumbers == STATS_NUMBERS;
}

/* Read the statistics of a column. */
SigStats
load_stats(VariableStatData *vardata, Oid function)
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
		!stats_are_known(&stats.kept))
		free_stats(&stats);
	return stats;
}

/* Free what load_stats has read. */
void
free_stats(SigStats *stats)
{
	free_attstatsslot(&stats->kept);
	memset(&stats->kept, 0, sizeof(stats->kept));
}

/* Return the number of hashes that signatures of a column usually have. */
int
usual_num_hashes(const SigStats *stats)
{
	if (stats->kept.nnumbers == 0)
		return SKETCH_DEFAULT_HASHES;
	return (int) stats->kept.numbers[2 * PAIR_NUMBERS];
}

/* Probability that two signatures agree in all rows of a band. */
double
band_share(double similarity, int slots, int rows)
{
	double		share = 1;

	for (int i = 0; i < rows; i++)
		share *= Max(0, similarity * slots - i) / (slots - i);
	return share;
}

/* Share of the rows that match where none of the sampled rows does. */
static double
unseen_share(const SigStats *stats)
{
	double		rows = Max(stats->rows, 1.0);

	return cbrt(Max(rows / stats->kept.nvalues, 1.0)) / rows;
}

/* Count what a search finds in a sampled row. */
static void
count_row(const SampledSig *row, const SampledSig *wanted,
		  const BandPlan *plan, bool matches_only, Shares *sum)
{
	int			slots = sampled_slots(wanted);
	int			equal = sampled_equal(row, wanted);

	sum->matches += (double) equal / slots >= plan->threshold;
	if (matches_only)
		return;
	/* what the bands agree in are equal slots */
	sum->candidates += plan->compare_all ||
		(equal >= plan->rows * plan->matches &&
		 bands_agree(row->slots, wanted->slots, slots, plan));
	sum->entries += plan->bands *
		band_share((double) equal / slots, slots, plan->rows);
}

/* Add what was counted in some rows to what was counted in others. */
static void
add_shares(Shares *sum, const Shares *others)
{
	sum->entries += others->entries;
	sum->candidates += others->candidates;
	sum->matches += others->matches;
}

/* Compare a search that is known with the sampled rows; false without them. */
bool
known_shares(const SigStats *stats, const MinHash *search,
			 const BandPlan *plan, bool matches_only, Shares *shares)
{
	SampledSig *wanted = sample_sig(search);
	int			count = stats->kept.nvalues;
	Shares		sum = {0};
	Shares		copies = {0};
	int			num_copies = 0;

	for (int i = 0; i < count; i++)
	{
		SampledSig *row = (SampledSig *) DatumGetPointer(stats->kept.values[i]);

		if (!sampled_are_comparable(row, wanted))
			continue;
		if (memcmp(row, wanted, VARSIZE(row)) == 0)
		{
			count_row(row, wanted, plan, matches_only, &copies);
			num_copies++;
		}
		else
			count_row(row, wanted, plan, matches_only, &sum);
	}
	pfree(wanted);
	if (num_copies > 1)
		add_shares(&sum, &copies);
	if (count == 0)
		return false;
	shares->matches = Max(sum.matches / count, unseen_share(stats));
	shares->candidates = Max(sum.candidates / count, shares->matches);
	shares->entries = Max(sum.entries / count, shares->candidates);
	return true;
}

/* Sum up what a histogram of similarities tells of a plan. */
static Shares
sum_histogram(const SigStats *stats, const float4 *numbers,
			  const BandPlan *plan)
{
	int			slots = Min(usual_num_hashes(stats), SAMPLED_SLOTS);
	Shares		sum = {0};

	for (int i = 0; i < PAIR_NUMBERS; i++)
	{
		double		similarity = (double) i / PAIR_BINS;
		double		band = band_share(similarity, slots, plan->rows);

		if (similarity >= plan->threshold)
			sum.matches += numbers[i];
		sum.candidates += numbers[i] *
			(plan->compare_all ? 1 :
			 band_probability(band, plan->bands, 1, plan->matches));
		sum.entries += numbers[i] * band * plan->bands;
	}
	return sum;
}

/* Return the geometric mean where a share of the rows has others. */
static double
typical_share(double mean, double with_others, double self)
{
	if (with_others <= 0)
		return self;
	with_others = Min(with_others, 1);
	return pow(self + mean / with_others, with_others) *
		pow(self, 1 - with_others);
}

/* Tell which share of the rows has others that a search for them finds. */
bool
partner_shares(const SigStats *stats, const BandPlan *plan, Shares *shares)
{
	if (stats->kept.nvalues < 2)
		return false;
	*shares = sum_histogram(stats, stats->kept.numbers + PAIR_NUMBERS, plan);
	return true;
}

/*
 * Expect of a search that is not known what the pairs of rows tell; matches are
 * those of a typical one, or those on average.
 */
bool
unknown_shares(const SigStats *stats, const BandPlan *plan, bool typical,
			   Shares *shares)
{
	double		self = 1 / Max(stats->rows, 1.0);
	Shares		pairs;
	Shares		partners;

	if (stats->kept.nvalues < 2)
		return false;
	pairs = sum_histogram(stats, stats->kept.numbers, plan);
	shares->entries = self + pairs.entries;
	shares->candidates = self + pairs.candidates;
	shares->matches = self + pairs.matches;
	if (typical && partner_shares(stats, plan, &partners))
		shares->matches = typical_share(pairs.matches, partners.matches, self);
	return true;
}
