/*-------------------------------------------------------------------------
 *
 * passage_stats.c
 *	  A small sample of the texts of a column, from its statistics.
 *
 * The sample consists of the values of 1 % of the rows or more, and of histogram
 * bounds that are evenly spread.  A common value stands for its frequency, and
 * the bounds together for all other rows.  There are few of each, because the
 * planner compares them with a search text.  ANALYZE stores no values over 1 kB,
 * so shorter texts represent longer ones.
 *
 * Loading the statistics of a column of texts takes longer than planning a
 * simple query, because they are compressed and read in full.  So a backend
 * keeps samples, which take a few hundred kB, and 5 MB at most.  A sample is used
 * as long as the row of pg_statistic that it was made from is the current one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "parser/parse_coerce.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "passage_stats.h"

/* In a backend; a prime, since the OIDs of partitions have equal distances. */
#define KEPT_SAMPLES 127

#define LEAST_BOUNDS 10
#define LEAST_FREQUENCY 0.01

typedef struct KeptSample
{
	MemoryContext context;		/* of sample; NULL if none was ever kept */
	Oid			relid;
	int			attnum;
	ItemPointerData tid;		/* of the row of pg_statistic */
	TransactionId xmin;
	TextSample *sample;
} KeptSample;

static KeptSample kept_samples[KEPT_SAMPLES];

/* Add the copy of a value to a sample. */
static void
add_value(TextSample *sample, Datum value, double weight)
{
	sample->values[sample->count] =
		(text *) DatumGetPointer(datumCopy(value, false, -1));
	sample->weights[sample->count++] = weight;
}

/* Load the values of a kind, if there are any and they are texts. */
static bool
load_texts(AttStatsSlot *slot, HeapTuple tuple, int kind, int flags)
{
	return get_attstatsslot(slot, tuple, kind, InvalidOid, flags) &&
		IsBinaryCoercible(slot->valuetype, TEXTOID);
}

/* Make a sample in the current memory context. */
static TextSample *
make_sample(HeapTuple tuple)
{
	TextSample *sample = palloc0(sizeof(TextSample));
	double		rest = 1 - ((Form_pg_statistic) GETSTRUCT(tuple))->stanullfrac;
	AttStatsSlot slot;

	if (load_texts(&slot, tuple, STATISTIC_KIND_MCV,
				   ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS))
		for (int i = 0; i < Min(slot.nvalues, PASSAGE_STATS_VALUES) &&
			 slot.numbers[i] >= LEAST_FREQUENCY; i++)
		{
			add_value(sample, slot.values[i], slot.numbers[i]);
			rest = Max(rest - slot.numbers[i], 0);
		}
	free_attstatsslot(&slot);
	/* Few bounds are the few short texts of a column of long ones. */
	if (load_texts(&slot, tuple, STATISTIC_KIND_HISTOGRAM, ATTSTATSSLOT_VALUES) &&
		slot.nvalues >= LEAST_BOUNDS)
	{
		int			count = Min(slot.nvalues, PASSAGE_STATS_VALUES);

		for (int i = 0; i < count; i++)
			add_value(sample, slot.values[(2 * i + 1) * slot.nvalues / (2 * count)],
					  rest / count);
	}
	free_attstatsslot(&slot);
	return sample;
}

/* Return the sample of a column, from its current statistics. */
TextSample *
passage_stats_sample(HeapTuple tuple)
{
	Form_pg_statistic stats = (Form_pg_statistic) GETSTRUCT(tuple);
	TransactionId xmin = HeapTupleHeaderGetRawXmin(tuple->t_data);
	KeptSample *kept = &kept_samples[(stats->starelid + stats->staattnum) %
									 KEPT_SAMPLES];
	MemoryContext caller;

	/* Statistics made by a hook have no TID. */
	if (ItemPointerIsValid(&kept->tid) && kept->relid == stats->starelid &&
		kept->attnum == stats->staattnum && kept->xmin == xmin &&
		ItemPointerEquals(&kept->tid, &tuple->t_self))
		return kept->sample;
	if (kept->context == NULL)
		kept->context = AllocSetContextCreate(CacheMemoryContext,
											  "lshsim text sample",
											  ALLOCSET_SMALL_SIZES);
	ItemPointerSetInvalid(&kept->tid);
	MemoryContextReset(kept->context);
	caller = MemoryContextSwitchTo(kept->context);
	kept->sample = make_sample(tuple);
	MemoryContextSwitchTo(caller);
	kept->relid = stats->starelid;
	kept->attnum = stats->staattnum;
	kept->tid = tuple->t_self;
	kept->xmin = xmin;
	return kept->sample;
}
