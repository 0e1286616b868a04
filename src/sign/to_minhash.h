/*-------------------------------------------------------------------------
 *
 * to_minhash.h
 *	  Make signatures of texts, and begin to make others.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TO_MINHASH_H
#define TO_MINHASH_H

#include "type/minhash.h"

extern MinHashKind read_kind(FunctionCallInfo fcinfo, int first_arg,
							 uint32 shingling);
extern Sketch *new_sketch(const MinHashKind *kind);
extern MinHash *minhash_of_text(const char *bytes, Size len,
								const MinHashKind *kind);

#endif							/* TO_MINHASH_H */
