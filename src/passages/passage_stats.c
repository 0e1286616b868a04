/*-------------------------------------------------------------------------
 *
 * passage_stats.c
 *	  A small sample of the texts of a column, from its statistics.
 *
 * The sample consists of the most common values, from the first, and of
 * histogram bounds that are evenly spread.  A common value stands for its
 * frequency, and the bounds together for all other rows.  The size of the
 * sample is limited, because the planner compares all of it with a search text.
 * ANALYZE stores no values over 1 kB, so shorter texts represent longer ones.
 *
 * Loading the statistics of a column of texts takes longer than planning a
 * simple query, because they are compressed and read in full.  So a backend
 * keeps samples.  A sample is used as long as the row of pg_statistic that it
 * was made from is the current one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "parser/parse_coerce.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "compat.h"
#include "passage_stats.h"

/* Bytes of the common values, and of the bounds, to put into a sample. */
#define SAMPLE_BYTES 8192

/* The bytes that take as long to compare as starting to read a value. */
#define VALUE_BYTES 32

/* A histogram with fewer bounds does not represent the rows. */
#define MIN_BOUNDS 10

#define KEPT_SAMPLES 32			/* in a backend, at most about 20 kB each */

/* A version of a row of pg_statistic. */
typedef struct StatsVersion
{
	Oid			relid;
	int16		attnum;
	bool		inherited;
	ItemPointerData tid;
	TransactionId xmin;
} StatsVersion;

typedef struct KeptSample
{
	MemoryContext context;		/* of the arrays and values; NULL if free */
	StatsVersion version;
	TextSample	sample;
} KeptSample;

static KeptSample kept_samples[KEPT_SAMPLES];

/* Return true if the conversion of a text to UTF-8 cannot fail. */
bool
passage_stats_readable(const text *value)
{
	const char *bytes = VARDATA_ANY(value);
	Size		len = VARSIZE_ANY_EXHDR(value);

	if (GetDatabaseEncoding() == PG_UTF8)
		return true;
	for (Size i = 0; i < len; i++)
		if (IS_HIGHBIT_SET(bytes[i]))
			return false;
	return true;
}

/* Return the version of the statistics of a column. */
static StatsVersion
stats_version(HeapTuple tuple)
{
	Form_pg_statistic stats = (Form_pg_statistic) GETSTRUCT(tuple);
	StatsVersion version = {
		.relid = stats->starelid,
		.attnum = stats->staattnum,
		.inherited = stats->stainherit,
		.tid = tuple->t_self,
		.xmin = HeapTupleHeaderGetRawXmin(tuple->t_data)
	};

	return version;
}

/* Return true if versions are equal; statistics made by a hook have no TID. */
static bool
same_version(StatsVersion *a, StatsVersion *b)
{
	return ItemPointerIsValid(&a->tid) && ItemPointerIsValid(&b->tid) &&
		ItemPointerEquals(&a->tid, &b->tid) && a->xmin == b->xmin &&
		a->relid == b->relid && a->attnum == b->attnum &&
		a->inherited == b->inherited;
}

/* Load the values of a kind, if there are any and they are texts. */
static bool
load_values(AttStatsSlot *slot, HeapTuple tuple, int kind, int flags)
{
	if (!get_attstatsslot(slot, tuple, kind, InvalidOid, flags))
		return false;
	if (IsBinaryCoercible(slot->valuetype, TEXTOID))
		return true;
	free_attstatsslot(slot);
	return false;
}

/* Return the cost of comparing a value, in bytes. */
static Size
value_bytes(Datum value)
{
	return VARSIZE_ANY_EXHDR(DatumGetPointer(value)) + VALUE_BYTES;
}

/*
 * Add copies of a number of values, evenly spread, until SAMPLE_BYTES are
 * reached; return the sum of their weights.
 */
static double
add_values(TextSample *sample, const AttStatsSlot *slot, int count)
{
	double		sum = 0;
	Size		bytes = 0;

	for (int n = 0; n < count && bytes < SAMPLE_BYTES; n++)
	{
		int			i = (int) ((n + 0.5) * slot->nvalues / count);
		double		weight = slot->nnumbers > 0 ? slot->numbers[i] : 1;

		bytes += value_bytes(slot->values[i]);
		if (!passage_stats_readable((text *) DatumGetPointer(slot->values[i])))
			continue;
		sample->values[sample->count] =
			(text *) DatumGetPointer(datumCopy(slot->values[i], false, -1));
		sample->weights[sample->count++] = weight;
		sum += weight;
	}
	return sum;
}

/* Add the most common values of a column; return their frequency. */
static double
add_common_values(TextSample *sample, HeapTuple tuple)
{
	AttStatsSlot slot;
	double		frequency;

	if (!load_values(&slot, tuple, STATISTIC_KIND_MCV,
					 ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS))
		return 0;
	frequency = add_values(sample, &slot, slot.nvalues);
	free_attstatsslot(&slot);
	return frequency;
}

/* Add histogram bounds of a column, which stand for a share of the rows. */
static void
add_bounds(TextSample *sample, HeapTuple tuple, double share)
{
	AttStatsSlot slot;
	int			first = sample->count;
	Size		bytes = 0;
	double		bounds;

	if (!load_values(&slot, tuple, STATISTIC_KIND_HISTOGRAM,
					 ATTSTATSSLOT_VALUES))
		return;
	for (int i = 0; i < slot.nvalues; i++)
		bytes += value_bytes(slot.values[i]);
	if (slot.nvalues >= MIN_BOUNDS)
	{
		bounds = add_values(sample, &slot,
							Min(slot.nvalues,
								(int) (slot.nvalues * (double) SAMPLE_BYTES / bytes)));
		for (int i = first; i < sample->count; i++)
			sample->weights[i] = share / bounds;
	}
	free_attstatsslot(&slot);
}

/* Make a sample in the current memory context. */
static TextSample
make_sample(HeapTuple tuple)
{
	int			most = 2 * SAMPLE_BYTES / VALUE_BYTES;
	TextSample	sample = {.values = palloc(sizeof(text *) * most),
	.weights = palloc(sizeof(double) * most)};
	Form_pg_statistic stats = (Form_pg_statistic) GETSTRUCT(tuple);
	double		common = add_common_values(&sample, tuple);

	add_bounds(&sample, tuple, Max(1 - stats->stanullfrac - common, 0));
	return sample;
}

/* Keep a sample of the current statistics in place of an old one. */
static void
renew_sample(KeptSample *kept, HeapTuple tuple)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext context = AllocSetContextCreate(caller, "lshsim text sample",
												  ALLOCSET_SMALL_SIZES);
	TextSample	sample;

	MemoryContextSwitchTo(context);
	sample = make_sample(tuple);
	MemoryContextSwitchTo(caller);
	if (kept->context != NULL)
		MemoryContextDelete(kept->context);
	MemoryContextSetParent(context, CacheMemoryContext);
	kept->context = context;
	kept->version = stats_version(tuple);
	kept->sample = sample;
}

/* Return the sample of a column, from its current statistics. */
const TextSample *
passage_stats_sample(const VariableStatData *column)
{
	StatsVersion version = stats_version(column->statsTuple);
	KeptSample *kept = &kept_samples[(version.relid + version.attnum) %
									 KEPT_SAMPLES];

	if (kept->context == NULL ||
		!same_version(&kept->version, &version))
		renew_sample(kept, column->statsTuple);
	return &kept->sample;
}
