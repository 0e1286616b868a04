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
 * num_hashes, seed and method of a function, in this order from argument first,
 * counted from 0.  Those that it does not have get their defaults.  Raises an
 * error that names the argument if one is NULL or out of range.
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
 * Make the signature of the elements of an array that are not null.  The type is
 * that of element_type_lookup() for the elements.
 */
extern MinHash *minhash_of_array(ArrayType *array, const MinHashKind *kind,
								 const ElementType *type);

/* Add the elements of an array that are not null to a sketch. */
extern void minhash_sketch_array(Sketch *sketch, ArrayType *array,
								 const ElementType *type);

/* Make the signature of the lexemes of a tsvector, without their positions. */
extern MinHash *minhash_of_tsvector(TSVector vector, const MinHashKind *kind);

#endif							/* TO_MINHASH_H */
