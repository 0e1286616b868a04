/*-------------------------------------------------------------------------
 *
 * banding.h
 *	  The keys of a search.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BANDING_H
#define BANDING_H

#include "type/minhash.h"

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

#endif							/* BANDING_H */
