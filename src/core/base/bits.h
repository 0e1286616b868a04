/*-------------------------------------------------------------------------
 *
 * bits.h
 *	  Bits, bytes and order of 64-bit numbers.
 *
 * Functions of the number alone, with the same result on every platform,
 * except for little_endian(), whose result depends on the byte order.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITS_H
#define BITS_H

#include <stdint.h>

/* The same byte, 0 to 255, eight times. */
#define BYTES_OF(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Return the number of the highest set bit, 0 to 63; value must not be 0. */
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

/* Return the number of the lowest set bit, 0 to 63; value must not be 0. */
static inline int
lowest_bit(uint64_t value)
{
#if defined(__GNUC__)
	return __builtin_ctzll(value);
#else
	return highest_bit(value & (~value + 1));
#endif
}

/* Count the set bits, 0 to 64; compilers recognize this form. */
static inline uint32_t
count_bits(uint64_t value)
{
	value -= value >> 1 & UINT64_C(0x5555555555555555);
	value = (value & UINT64_C(0x3333333333333333)) +
		(value >> 2 & UINT64_C(0x3333333333333333));
	value = (value + (value >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
	return (uint32_t) (value * UINT64_C(0x0101010101010101) >> 56);
}

/*
 * Convert a number from native to little-endian byte order, or back: swap its
 * bytes on a big-endian platform.
 */
static inline uint64_t
little_endian(uint64_t number)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return __builtin_bswap64(number);
#else
	return number;
#endif
}

/* Compare two 64-bit numbers, for qsort(). */
static inline int
compare_uint64(const void *a, const void *b)
{
	uint64_t	x = *(const uint64_t *) a;
	uint64_t	y = *(const uint64_t *) b;

	return (x > y) - (x < y);
}

#endif							/* BITS_H */
