/*-------------------------------------------------------------------------
 *
 * similar.h
 *	  Similarity under a threshold and a recall, and the keys of a search.
 *
 * slots_are_similar() in core/bands/bands.c is the definition; similar.c
 * explains it.  The keys are computed in banding.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMILAR_H
#define SIMILAR_H

#include "access/stratnum.h"
#include "fmgr.h"

#include "core/bands/bands.h"
#include "type/minhash.h"

/* Strategies of the operator classes of signatures. */
#define MINHASH_SIMILAR_STRATEGY 1	/* sig % sig */
#define MINHASH_QUERY_STRATEGY 2	/* sig @@ query */

/*
 * Return the plan of a search.
 *
 * threshold and recall are checked, num_hashes is that of a valid signature.
 * The result is valid until the next call with other arguments; copy it to
 * keep it.
 */
extern const BandPlan *minhash_plan(double threshold, double recall,
									int num_hashes);

/*
 * Return the signature that a scan key searches for, and its plan.
 *
 * datum is the argument of the scan key: a minhash for MINHASH_SIMILAR_STRATEGY,
 * which takes the threshold from the setting, and a minhash_query for
 * MINHASH_QUERY_STRATEGY.  Other strategies raise an internal error, damaged values
 * ERRCODE_DATA_CORRUPTED.  The result points into the detoasted datum in the
 * current memory context; *plan is valid until the next call of
 * minhash_plan().
 */
extern MinHash *minhash_scan_query(Datum datum, StrategyNumber strategy,
								   const BandPlan **plan);

/*
 * Compute the keys that a search for a signature looks up in an index, in
 * ascending order; keys has room for BAND_MAX, threshold and recall are checked.
 * Returns their number, which is 0 for the empty set.  Raises
 * ERRCODE_INVALID_PARAMETER_VALUE if the plan is to compare all rows.
 */
extern int	banding_plan_keys(const MinHash *sig, double threshold, double recall,
							  uint64 *keys);

/* Convert keys to Datums of type bigint, palloc'd. */
extern Datum *banding_keys_to_datums(const uint64 *keys, int count);

#endif							/* SIMILAR_H */
