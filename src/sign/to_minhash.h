/*-------------------------------------------------------------------------
 *
 * to_minhash.h
 *	  Make signatures of texts, arrays and tsvectors.
 *
 * Results are palloc'd in the current memory context.  The caller checks the
 * kind: its method is one-permutation or k-permutation, its number of hashes
 * is in range, and its shingling belongs to the source.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TO_MINHASH_H
#define TO_MINHASH_H

#include "tsearch/ts_type.h"
#include "utils/array.h"

#include "elements.h"
#include "type/minhash.h"

/*
 * Return the kind of a signature of elements or texts, from the arguments
 * num_hashes, seed and method of a function, in this order from a first one on.
 * Those that it does not have get their defaults.
 */
extern MinHashKind minhash_kind_of_arguments(FunctionCallInfo fcinfo, int first,
											 uint32 shingling);

/*
 * Make the signature of the shingles of len bytes of text in the database
 * encoding.  Raises an error if they are not valid in it.
 */
extern MinHash *minhash_of_text(const char *bytes, Size len,
								const MinHashKind *kind);

/*
 * Make the signature of the elements of an array that are not null, or add
 * them to a sketch.  The type is that of element_type_lookup().
 */
extern MinHash *minhash_of_array(ArrayType *array, const MinHashKind *kind,
								 const ElementType *type);
extern void array_sketch(Sketch *sketch, ArrayType *array,
						 const ElementType *type);

/* Make the signature of the lexemes of a tsvector, without their positions. */
extern MinHash *minhash_of_tsvector(TSVector vector, const MinHashKind *kind);

#endif							/* TO_MINHASH_H */
