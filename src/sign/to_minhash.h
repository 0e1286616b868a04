/*-------------------------------------------------------------------------
 *
 * to_minhash.h
 *	  Make signatures of texts, arrays and tsvectors, and sketch arrays.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TO_MINHASH_H
#define TO_MINHASH_H

#include "tsearch/ts_type.h"
#include "utils/array.h"

#include "elements.h"
#include "type/minhash.h"

extern MinHash *minhash_of_text(const char *bytes, Size len,
								const MinHashKind *kind);
extern MinHash *minhash_of_array(ArrayType *array, const MinHashKind *kind,
								 const ElementType *type);
extern MinHash *minhash_of_tsvector(TSVector vector, const MinHashKind *kind);
extern void sketch_array(Sketch *sketch, ArrayType *array,
						 const ElementType *type);

#endif							/* TO_MINHASH_H */
