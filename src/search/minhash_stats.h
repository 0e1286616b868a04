/*-------------------------------------------------------------------------
 *
 * minhash_stats.h
 *	  What ANALYZE keeps of a column of signatures.
 *
 *-------------------------------------------------------------------------
 */
#ifndef MINHASH_STATS_H
#define MINHASH_STATS_H

#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "core/bands.h"
#include "type/minhash.h"

#define STATISTIC_KIND_MINHASH 20817	/* one of those for private use */

#define SAMPLED_ROWS 1000		/* at most, whatever the statistics target */
#define SAMPLED_SLOTS 192		/* of each, at most: those that bands use */
#define PAIR_BINS 128			/* steps of similarity from 0 to 1 */

/*
 * The numbers of the statistics: shares of the pairs by their similarity, shares
 * of the rows by the similarity of the nearest other, the number of hashes.
 */
#define PAIR_NUMBERS (PAIR_BINS + 1)
#define STATS_NUMBERS (2 * PAIR_NUMBERS + 1)

StaticAssertDecl(BAND_MAX * BAND_STEP <= SAMPLED_SLOTS,
				 "a sampled signature has the slots of all bands");

/*
 * What is kept of a sampled row, as a bytea: its first slots, densified and
 * hashed to 16 bits, so that none is empty and all sizes of sets and numbers of
 * hashes are compared in one way.  The empty set has no slots.
 */
typedef struct SampledSig
{
	int32		vl_len_;		/* varlena header (do not touch directly!) */
	uint32		kind[2];		/* hash of how it was made */
	uint16		slots[FLEXIBLE_ARRAY_MEMBER];
} SampledSig;

/* The statistics of a column of signatures, as far as they may be used. */
typedef struct SigStats
{
	double		rows;			/* of the table */
	double		null_fraction;
	AttStatsSlot kept;			/* rows and numbers; none if not analyzed */
} SigStats;

/* What a search is expected to find, as shares of the table's rows. */
typedef struct Shares
{
	double		entries;		/* entries of an index, each row counted as
								 * often as its bands agree */
	double		candidates;
	double		matches;
} Shares;

extern SampledSig *sample_sig(const MinHash *sig);
extern int	sampled_slots(const SampledSig *sig);
extern bool sampled_are_comparable(const SampledSig *a, const SampledSig *b);
extern int	sampled_equal(const SampledSig *a, const SampledSig *b);

extern SigStats load_stats(VariableStatData *vardata, Oid function);
extern void free_stats(SigStats *stats);
extern int	usual_num_hashes(const SigStats *stats);
extern bool known_shares(const SigStats *stats, const MinHash *search,
						 const BandPlan *plan, bool matches_only,
						 Shares *shares);
extern bool unknown_shares(const SigStats *stats, const BandPlan *plan,
						   bool typical, Shares *shares);
extern bool partner_shares(const SigStats *stats, const BandPlan *plan,
						   Shares *shares);
extern double band_share(double similarity, int slots, int rows);

#endif							/* MINHASH_STATS_H */
