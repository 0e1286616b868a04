/*-------------------------------------------------------------------------
 *
 * minhash_gin.h
 *	  Strategies and scan keys of the GIN operator class minhash_ops.
 *
 * The strategy numbers are those of the lsh operator class, too.
 *
 *-------------------------------------------------------------------------
 */
#ifndef MINHASH_GIN_H
#define MINHASH_GIN_H

#include "access/stratnum.h"
#include "fmgr.h"

#include "core/bands.h"
#include "type/minhash.h"

#define SIMILAR_STRATEGY 1		/* GIN: sig ~% sig; lsh: sig % sig */
#define QUERY_STRATEGY 2		/* GIN: sig ~% query; lsh: sig @@ query */

/*
 * Return the signature that a scan key searches for, and its plan.
 *
 * datum is the argument of the scan key: a minhash for SIMILAR_STRATEGY,
 * which takes threshold and recall from the settings, and a minhash_query for
 * QUERY_STRATEGY.  Other strategies raise an internal error, damaged values
 * ERRCODE_DATA_CORRUPTED.  The result points into the detoasted datum in the
 * current memory context; *plan is valid until the next call of
 * minhash_plan().
 */
extern MinHash *minhash_scan_query(Datum datum, StrategyNumber strategy,
								   const BandPlan **plan);

#endif							/* MINHASH_GIN_H */
