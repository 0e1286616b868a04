/*-------------------------------------------------------------------------
 *
 * hash.h
 *	  64-bit hashes of shingles and elements.
 *
 *-------------------------------------------------------------------------
 */
#ifndef HASH_H
#define HASH_H

#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "bits.h"

#if XXH_VERSION_NUMBER < 800
#error "lshsim requires xxHash 0.8.0 or later, where XXH3 is as it stays"
#endif

extern uint64_t mix64(uint64_t x);
extern uint64_t splitmix64(uint64_t *state);
extern uint64_t shingle_hash(const void *bytes, size_t len, uint64_t seed);
extern uint64_t shingle_hash_integer(int64_t value, uint64_t seed);
extern uint64_t shingle_hash_occurrence(uint64_t hash, uint64_t occurrence,
										uint64_t seed);
extern uint64_t shingle_hash_words(const uint32_t *words, int count,
								   uint64_t seed);

#endif							/* HASH_H */
