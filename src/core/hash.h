/*-------------------------------------------------------------------------
 *
 * hash.h
 *	  64-bit hashes of shingles and elements.
 *
 * These hashes are part of the signature format, so they never change.  They
 * do not depend on the platform.  A seed is the 32-bit seed of a signature,
 * zero-extended.  No function fails or allocates memory.
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
#error "lshsim requires xxHash 0.8.0 or later, the first with the final XXH3"
#endif

/*
 * Mix 64 bits: a bijection, the finalizer of splitmix64 (Stafford's variant
 * 13).
 */
static inline uint64_t
mix64(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
	return x ^ (x >> 31);
}

/* Advance a splitmix64 generator and return its next number. */
extern uint64_t splitmix64(uint64_t *state);

/* Hash len bytes; bytes may be NULL if len is 0. */
extern uint64_t shingle_hash(const void *bytes, size_t len, uint64_t seed);

/* Hash an integer; the caller widens smaller types to 64 bits. */
extern uint64_t shingle_hash_integer(int64_t value, uint64_t seed);

/* Hash an occurrence of a shingle, counted from 1, given the shingle's hash. */
extern uint64_t shingle_hash_occurrence(uint64_t hash, uint64_t occurrence,
										uint64_t seed);

/* Hash an array of count 32-bit numbers; count is at most 4096. */
extern uint64_t shingle_hash_words(const uint32_t *words, int count,
								   uint64_t seed);

/* Bytes that must be readable behind the text; their values do not matter. */
#define WINDOWS_TAIL 8

/*
 * Set hashes[i], for i = 0 to count - 1, to the XXH3 hash of the size bytes at
 * text + i (windows.c); size is at least 1.  The text has count + size - 1
 * bytes, followed by WINDOWS_TAIL more.
 */
extern void hash_windows(const uint8_t *text, size_t size, uint64_t seed,
						 uint64_t *hashes, size_t count);

#endif							/* HASH_H */
