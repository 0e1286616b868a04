/*-------------------------------------------------------------------------
 *
 * tsvector_to_minhash.h
 *	  Make signatures of tsvectors.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TSVECTOR_TO_MINHASH_H
#define TSVECTOR_TO_MINHASH_H

#include "tsearch/ts_type.h"

#include "type/minhash.h"

extern MinHash *minhash_of_tsvector(TSVector vector, const MinHashKind *kind);

#endif							/* TSVECTOR_TO_MINHASH_H */
