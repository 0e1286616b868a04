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
 * The server counts values of more than 1 kB, which signatures of 503 hashes and
 * more are, as different and as not common.  Those are counted by 64-bit hashes
 * instead: the server computes statistics of the hashes, and their number of
 * distinct values and most common values become those of the signatures, the
 * latter up to COMMON_BYTES.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "commands/vacuum.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "core/bands/bands.h"
#include "core/base/hash.h"
#include "core/sketch/slots.h"
#include "minhash_stats.h"

#define COMPARED_ROWS 1000		/* rows whose pairs are compared */
#define WIDE 1024				/* bytes; WIDTH_THRESHOLD of the server */
#define COMMON_BYTES 16384		/* of the most common values, if they are wide */

/* The function that std_typanalyze() chooses for signatures. */
static AnalyzeAttrComputeStatsFunc compute_usual_stats;

/* Compute the sampled form of a signature; few slots are repeated. */
void
minhash_sample_slots(const MinHash *sig, uint16 *sampled)
{
	uint32		densified[SAMPLED_SLOTS];
	int			slots = Min(sig->num_hashes, SAMPLED_SLOTS);

	memset(sampled, 0xFF, sizeof(uint16) * SAMPLED_SLOTS);
	if (slots_are_empty(sig->slots, sig->num_hashes))
		return;
	band_densify(sig->slots, sig->num_hashes, densified, slots);
	for (int i = 0; i < SAMPLED_SLOTS; i++)
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

	slots_compare(a, b, SAMPLED_SLOTS, &equal, &compared);
	return equal;
}

/*
 * Sample rows that are not NULL, at equal distances, because they are a random
 * sample already; return their number.
 */
static int
sample_rows(VacAttrStatsP stats, AnalyzeAttrFetchFunc fetch, int num_rows,
			uint16 (*rows)[SAMPLED_SLOTS], SigNumbers *numbers)
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
fill_histogram(uint16 (*rows)[SAMPLED_SLOTS], int count, SigNumbers *numbers)
{
	double		pairs[SAMPLED_SLOTS + 1] = {0};

	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < i; j++)
			pairs[minhash_sample_equal(rows[i], rows[j])]++;
	}
	for (int i = 0; i <= SAMPLED_SLOTS; i++)
		numbers->pairs[i] = pairs[i] / Max(count * (count - 1) / 2, 1);
}

/*** Wide signatures ***/

/* Statistics of the hashes of a column; the server's functions get the first field. */
typedef struct HashStats
{
	VacAttrStats stats;
	VacAttrStatsP column;
	AnalyzeAttrFetchFunc fetch; /* of the column */
	uint64	   *hashes;			/* of the rows */
} HashStats;

/* Fetch the hash of a row, and note it. */
static Datum
fetch_hash(VacAttrStatsP stats, int row, bool *isnull)
{
	HashStats  *hashed = (HashStats *) stats;
	Datum		value = hashed->fetch(hashed->column, row, isnull);
	MinHash    *sig;

	if (*isnull)
		return (Datum) 0;
	sig = DatumGetMinHash(value);
	hashed->hashes[row] = DatumGetUInt64(hash_any_extended(MINHASH_BODY(sig),
														   (int) MINHASH_BODY_SIZE(sig), 0));
	if ((Pointer) sig != DatumGetPointer(value))
		pfree(sig);
	return Int64GetDatum((int64) hashed->hashes[row]);
}

/* Return the signature of the first row with a hash, detoasted. */
static Datum
signature_of_hash(const HashStats *hashed, Datum hash)
{
	bool		isnull = true;
	Datum		value = (Datum) 0;
	MemoryContext old = MemoryContextSwitchTo(hashed->column->anl_context);

	for (int row = 0; isnull; row++)
		if (hashed->hashes[row] == (uint64) DatumGetInt64(hash))
			value = hashed->fetch(hashed->column, row, &isnull);
	value = PointerGetDatum(PG_DETOAST_DATUM_COPY(value));
	MemoryContextSwitchTo(old);
	return value;
}

/* Store the most common hashes as the most common signatures. */
static void
store_common(const HashStats *hashed, int place)
{
	VacAttrStats *column = hashed->column;
	Datum	   *values = MemoryContextAlloc(column->anl_context,
											sizeof(Datum) * hashed->stats.numvalues[place]);
	int			count = 0;
	Size		bytes = 0;

	while (count < hashed->stats.numvalues[place])
	{
		values[count] = signature_of_hash(hashed, hashed->stats.stavalues[place][count]);
		bytes += VARSIZE(DatumGetPointer(values[count]));
		if (bytes > COMMON_BYTES)
			break;
		count++;
	}
	if (count == 0)
		return;
	column->stakind[0] = STATISTIC_KIND_MCV;
	column->staop[0] = lookup_type_cache(column->attrtypid, TYPECACHE_EQ_OPR)->eq_opr;
	column->stacoll[0] = column->attrcollid;
	column->stanumbers[0] = hashed->stats.stanumbers[place];
	column->numnumbers[0] = count;
	column->stavalues[0] = values;
	column->numvalues[0] = count;
}

/* Count distinct and common signatures by their hashes. */
static void
count_by_hashes(VacAttrStatsP column, AnalyzeAttrFetchFunc fetch, int num_rows,
				double total_rows)
{
	HeapTuple	type = SearchSysCacheCopy1(TYPEOID, ObjectIdGetDatum(INT8OID));
	HashStats	hashed = {
		.stats = *column,.column = column,.fetch = fetch,
		.hashes = palloc0(sizeof(uint64) * num_rows)
	};

	hashed.stats.attrtypid = INT8OID;
	hashed.stats.attrtypmod = -1;
	hashed.stats.attrtype = (Form_pg_type) GETSTRUCT(type);
	hashed.stats.attrcollid = InvalidOid;
	memset(hashed.stats.stakind, 0, sizeof(hashed.stats.stakind));
	if (!std_typanalyze(&hashed.stats))
		return;
	hashed.stats.compute_stats(&hashed.stats, fetch_hash, num_rows, total_rows);
	column->stadistinct = hashed.stats.stadistinct;
	memset(column->stakind, 0, sizeof(column->stakind));
	for (int i = 0; i < STATISTIC_NUM_SLOTS; i++)
		if (hashed.stats.stakind[i] == STATISTIC_KIND_MCV)
			store_common(&hashed, i);
}

/* Compute the standard statistics, then ours. */
static void
compute_stats(VacAttrStatsP stats, AnalyzeAttrFetchFunc fetch, int num_rows,
			  double total_rows)
{
	uint16		(*rows)[SAMPLED_SLOTS] = palloc(sizeof(*rows) * COMPARED_ROWS);
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
	if (MINHASH_SIZE(numbers->num_hashes) > WIDE)
		count_by_hashes(stats, fetch, num_rows, total_rows);
	fill_histogram(rows, count, numbers);
	sampled = Min(count, SAMPLED_ROWS);
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
