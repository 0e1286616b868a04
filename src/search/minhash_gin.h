/*-------------------------------------------------------------------------
 *
 * minhash_gin.h
 *	  The GIN operator class, as far as others must know it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef MINHASH_GIN_H
#define MINHASH_GIN_H

#include "access/stratnum.h"
#include "fmgr.h"

#include "core/bands.h"
#include "type/minhash.h"

#define SIMILAR_STRATEGY 1		/* sig ~% sig */
#define QUERY_STRATEGY 2		/* sig ~% minhash_query */

extern Datum minhash_gin_extract_value(PG_FUNCTION_ARGS);
extern MinHash *minhash_scan_query(Datum datum, StrategyNumber strategy,
								   const BandPlan **plan);

#endif							/* MINHASH_GIN_H */
