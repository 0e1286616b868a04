/*-------------------------------------------------------------------------
 *
 * hash.h
 *	  Hashes, and tricks with bits and bytes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef HASH_H
#define HASH_H

#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#if XXH_VERSION_NUMBER < 800
#error "lshsim requires xxHash 0.8.0 or later, where XXH3 is as it stays"
#endif

/* Find the highest set bit of a number that is not zero. */
static inline int
highest_bit(uint64_t value)
{
#if defined(__GNUC__)
	return 63 - __builtin_clzll(value);
#else
	int			bit = 0;

	while (value >>= 1)
		bit++;
	return bit;
#endif
}

/* Find the lowest set bit of a number that is not zero. */
static inline int
lowest_bit(uint64_t value)
{
#if defined(__GNUC__)
	return __builtin_ctzll(value);
#else
	return highest_bit(value & (~value + 1));
#endif
}

/* Count the bits of a number that are set; compilers know this form. */
static inline uint32_t
count_bits(uint64_t value)
{
	value -= value >> 1 & UINT64_C(0x5555555555555555);
	value = (value & UINT64_C(0x3333333333333333)) +
		(value >> 2 & UINT64_C(0x3333333333333333));
	value = (value + (value >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
	return (uint32_t) (value * UINT64_C(0x0101010101010101) >> 56);
}

/* Return the number whose bytes here are those of another, little-endian. */
static inline uint64_t
little_endian(uint64_t number)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return __builtin_bswap64(number);
#else
	return number;
#endif
}

extern uint64_t mix64(uint64_t x);
extern uint64_t splitmix64(uint64_t *state);
extern uint64_t shingle_hash(const void *bytes, size_t len, uint64_t seed);
extern uint64_t shingle_hash_integer(int64_t value, uint64_t seed);
extern uint64_t shingle_hash_occurrence(uint64_t hash, uint64_t occurrence,
										uint64_t seed);
extern uint64_t shingle_hash_words(const uint32_t *words, int count,
								   uint64_t seed);

#endif							/* HASH_H */
