/*-------------------------------------------------------------------------
 *
 * to_minhash.h
 *	  Make signatures of texts, arrays and tsvectors; hash shingles and elements.
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

#define SHINGLE_HASHES_AT_ONCE 1024 /* the most that a function gets in one
									 * call */

/* A function that takes hashes: its state, the hashes, their number. */
typedef void (*TakeHashes) (void *state, const uint64 *hashes, int count);

/*
 * Pass the hashes of the shingles of len bytes of text in the database encoding
 * to a function, in the order of the text.  A shingle comes once for every time
 * that it occurs, for a bag with a different hash each time.
 *
 * Raises an error if the text is not valid in its encoding.  A bag takes up to 64
 * bytes for each distinct shingle until the function returns.
 */
extern void shingle_hashes_read(const char *bytes, Size len, uint32 shingling,
								int32 seed, TakeHashes take, void *state);

/*
 * Pass the hashes of the elements of an array that are not null to a function.  The
 * type is that of element_type_lookup() for the elements.
 */
extern void element_hashes_read(ArrayType *array, const ElementType *type, uint64 seed,
								TakeHashes take, void *state);

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

/*
 * Make the signature of elements or shingles, given by their hashes; of the empty
 * set if count is 0.
 */
extern MinHash *minhash_of_hashes(const uint64 *hashes, int count, const MinHashKind *kind);

/* Make the signature of the lexemes of a tsvector, without their positions. */
extern MinHash *minhash_of_tsvector(TSVector vector, const MinHashKind *kind);

#endif							/* TO_MINHASH_H */
