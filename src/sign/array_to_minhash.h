/*-------------------------------------------------------------------------
 *
 * array_to_minhash.h
 *	  Make signatures of arrays, and sketch arrays.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ARRAY_TO_MINHASH_H
#define ARRAY_TO_MINHASH_H

#include "utils/array.h"

#include "elements.h"
#include "type/minhash.h"

extern MinHash *minhash_of_array(ArrayType *array, const MinHashKind *kind,
								 const ElementType *type);
extern void sketch_array(Sketch *sketch, ArrayType *array,
						 const ElementType *type);

#endif							/* ARRAY_TO_MINHASH_H */
