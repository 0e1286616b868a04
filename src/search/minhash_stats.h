/*-------------------------------------------------------------------------
 *
 * minhash_stats.h
 *	  Statistics of a column of signatures.
 *
 * minhash_analyze.c stores them in pg_statistic.  The planner calls
 * sig_stats_load() for a column, one of the functions that set the shares of an
 * estimate whose plan is set, and sig_stats_free().  These functions return false,
 * and leave the estimate alone, if there are no statistics that can answer.
 *
 *-------------------------------------------------------------------------
 */
#ifndef MINHASH_STATS_H
#define MINHASH_STATS_H

#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "core/bands/bands.h"
#include "type/minhash.h"

#define STATISTIC_KIND_MINHASH 20817	/* from the range for private use */

#define SAMPLED_ROWS 1000		/* maximum, for any statistics target */
#define SAMPLED_SLOTS 192		/* maximum per row: those that bands use */
#define PAIR_BINS 128			/* histogram steps from 0 to 1 */

/*
 * The stanumbers: shares of the pairs by similarity, shares of the rows by the
 * similarity to their nearest neighbor, and the number of hashes.
 */
#define PAIR_NUMBERS (PAIR_BINS + 1)
#define STATS_NUMBERS (2 * PAIR_NUMBERS + 1)

StaticAssertDecl(BAND_MAX * BAND_STEP <= SAMPLED_SLOTS,
				 "a sampled signature has the slots of all bands");

/*
 * A sampled row, stored as bytea: its first slots, densified and hashed to 16
 * bits.  So no slot is empty, and sets of all sizes are compared in the same
 * way.  The empty set has no slots.
 */
typedef struct SampledSig
{
	int32		vl_len_;		/* varlena header (do not touch directly!) */
	uint32		kind[2];		/* hash of the signature's kind */
	uint16		slots[FLEXIBLE_ARRAY_MEMBER];
} SampledSig;

/* The statistics of a column that the user may read. */
typedef struct SigStats
{
	double		rows;			/* of the table; 0 if unknown */
	double		null_fraction;
	AttStatsSlot kept;			/* sample and numbers; none before ANALYZE */
} SigStats;

/* Estimate of a search; the shares are fractions of the rows of the table. */
typedef struct SearchEstimate
{
	BandPlan	plan;			/* how an index is searched */
	double		entries;		/* entries of an index to read, which count a
								 * row once for each band that agrees; may
								 * exceed 1 */
	double		candidates;		/* share of the rows to compare */
	double		matches;		/* share of the rows that are similar */
} SearchEstimate;

/* Return the sampled form of a signature, palloc'd. */
extern SampledSig *sampled_sig(const MinHash *sig);

/* Return the number of slots of a sampled signature, 0 for the empty set. */
extern int	sampled_slots(const SampledSig *sig);

/*
 * Return the number of equal slots of two signatures, or -1 if they are of
 * different kinds or empty.
 */
extern int	sampled_equal(const SampledSig *a, const SampledSig *b);

/*
 * Load the statistics of a column; free them with sig_stats_free().  function is
 * the OID of the function that evaluates the condition: unless the user may
 * read the column, or the function is leakproof, only the number of rows and
 * the fraction of NULLs are loaded.
 */
extern SigStats sig_stats_load(VariableStatData *vardata, Oid function);

/* Release the statistics. */
extern void sig_stats_free(SigStats *stats);

/* Return the number of hashes of a row of the column, or the default. */
extern int	sig_stats_num_hashes(const SigStats *stats);

/* Estimate a search for a known signature by comparing it with the sample. */
extern bool sig_stats_known(const SigStats *stats, const MinHash *search,
							SearchEstimate *estimate);

/*
 * Estimate a search for an unknown signature.  If typical is true, matches is
 * that of a typical search, otherwise the average over all rows, as joins
 * need.
 */
extern bool sig_stats_unknown(const SigStats *stats, bool typical,
							  SearchEstimate *estimate);

/* Estimate the shares of the rows that have another row as partner. */
extern bool sig_stats_partners(const SigStats *stats, SearchEstimate *estimate);

/*
 * Return the probability that all rows of a band agree in two signatures of
 * some similarity (0 to 1), given the number of sampled slots.
 */
extern double band_equal_share(double similarity, int slots, int rows);

#endif							/* MINHASH_STATS_H */
