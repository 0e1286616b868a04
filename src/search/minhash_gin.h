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

extern Datum minhash_gin_extract_value(PG_FUNCTION_ARGS);
extern MinHash *minhash_scan_query(Datum datum, StrategyNumber strategy,
								   const BandPlan **plan);

#endif							/* MINHASH_GIN_H */
