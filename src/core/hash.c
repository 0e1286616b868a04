/*-------------------------------------------------------------------------
 *
 * hash.c
 *	  64-bit hashes of shingles and elements.
 *
 * Bytes are hashed by XXH3 with a seed (Collet; final since version 0.8.0 of
 * xxHash), and numbers by their bytes in little-endian order, so that a hash is
 * the same on every platform.
 *
 *-------------------------------------------------------------------------
 */
#include "hash.h"

/* Return the next number of a splitmix64 generator (Steele et al. 2014). */
uint64_t
splitmix64(uint64_t *state)
{
	*state += UINT64_C(0x9E3779B97F4A7C15);
	return mix64(*state);
}

/* Hash a string of bytes. */
uint64_t
shingle_hash(const void *bytes, size_t len, uint64_t seed)
{
	return XXH3_64bits_withSeed(bytes, len, seed);
}

/* Hash an integer. */
uint64_t
shingle_hash_integer(int64_t value, uint64_t seed)
{
	uint64_t	bytes = little_endian((uint64_t) value);

	return XXH3_64bits_withSeed(&bytes, sizeof(bytes), seed);
}

/* Hash an occurrence of a shingle. */
uint64_t
shingle_hash_occurrence(uint64_t hash, uint64_t occurrence, uint64_t seed)
{
	uint64_t	bytes[2] = {little_endian(hash), little_endian(occurrence)};

	return XXH3_64bits_withSeed(bytes, sizeof(bytes), seed);
}

/* Hash an array of 32-bit numbers. */
uint64_t
shingle_hash_words(const uint32_t *words, int count, uint64_t seed)
{
	uint8_t		bytes[4 * 4096];

	for (int i = 0; i < count; i++)
		for (int j = 0; j < 4; j++)
			bytes[4 * i + j] = (uint8_t) (words[i] >> (8 * j));
	return XXH3_64bits_withSeed(bytes, 4 * (size_t) count, seed);
}
