/*-------------------------------------------------------------------------
 *
 * hash.h
 *	  64-bit hashes of shingles and elements.
 *
 * These hashes are part of the signature format, so they never change.  Bytes
 * are hashed by XXH3 with a seed (Collet; final since version 0.8.0 of xxHash),
 * and numbers by their bytes in little-endian order, so that a hash is the same
 * on every platform.  The seed of a signature is zero-extended to 64 bits.
 * No function fails or allocates memory.
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

/* Return the next number of a splitmix64 generator (Steele et al. 2014). */
static inline uint64_t
splitmix64(uint64_t *state)
{
	*state += UINT64_C(0x9E3779B97F4A7C15);
	return mix64(*state);
}

/* Hash len bytes; bytes may be NULL if len is 0. */
static inline uint64_t
shingle_hash(const void *bytes, size_t len, uint64_t seed)
{
	return XXH3_64bits_withSeed(bytes, len, seed);
}

/* Hash an integer; the caller widens smaller types to 64 bits. */
static inline uint64_t
shingle_hash_integer(int64_t value, uint64_t seed)
{
	uint64_t	bytes = little_endian((uint64_t) value);

	return XXH3_64bits_withSeed(&bytes, sizeof(bytes), seed);
}

/* Hash an occurrence of a shingle, counted from 1, given the shingle's hash. */
static inline uint64_t
shingle_hash_occurrence(uint64_t hash, uint64_t occurrence, uint64_t seed)
{
	uint64_t	bytes[2] = {little_endian(hash), little_endian(occurrence)};

	return XXH3_64bits_withSeed(bytes, sizeof(bytes), seed);
}

/* Hash an array of count 32-bit numbers; count is 1 to 4096. */
static inline uint64_t
shingle_hash_numbers(const uint32_t *numbers, int count, uint64_t seed)
{
	uint8_t		bytes[4 * 4096];
	int			i = 0;

	do
	{
		for (int j = 0; j < 4; j++)
			bytes[4 * i + j] = (uint8_t) (numbers[i] >> (8 * j));
	} while (++i < count);
	return XXH3_64bits_withSeed(bytes, 4 * (size_t) count, seed);
}

/* Bytes that must be readable behind the text; their values do not matter. */
#define WINDOWS_TAIL 8

/*
 * Set hashes[i], for i = 0 to count - 1, to the XXH3 hash of the size bytes at
 * text + i; size is at least 1.  The text has count + size - 1
 * bytes, followed by WINDOWS_TAIL more.
 */
extern void hash_windows(const uint8_t *text, size_t size, uint64_t seed,
						 uint64_t *hashes, size_t count);

#endif							/* HASH_H */
