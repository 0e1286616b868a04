/*-------------------------------------------------------------------------
 *
 * hash.c
 *	  Hash all runs of n bytes of a text, many at once.
 *
 * XXH3 uses a separate formula for each range of lengths.  Those for 4 to 8
 * and for 9 to 16 bytes are free of branches: they read the first and the last
 * 4 (or 8) bytes of the input, which may overlap, mix them with constants, the
 * seed and the length, and multiply.  Windows of one length differ only in
 * these bytes, so a compiler can vectorize a loop that hashes a block of
 * windows.  The input of the loop is the little-endian 4-byte number that
 * starts at each byte of the text.  These are copied into an array first, since
 * vectors cannot be loaded with a stride of one byte.  (Only little-endian
 * processors have such copies of the loops, see processor.h.)
 *
 * The results are those of xxhash.h, bit for bit, and stay so, because XXH3 has
 * been final since version 0.8.0.  The formulas are in its specification,
 * doc/xxhash_spec.md of xxHash; the constants here are its PRIME_MX1 and
 * PRIME_MX2, and words of its default secret, combined by xor.
 *
 * Limits: the loops need AVX2 to be faster than xxhash.h, because SSE2 lacks
 * 64-bit products.  xxhash.h is used on other processors, with other compilers,
 * for other lengths, and for texts shorter than a block.
 *
 *-------------------------------------------------------------------------
 */
#include "hash.h"

#include <string.h>

#include "processor.h"

#ifdef VECTORS_ARE_WIDE

#define BLOCK 64				/* windows that are hashed together */

/* PRIME_MX1 and PRIME_MX2. */
#define MULTIPLIER_1 UINT64_C(0x165667919E3779F9)
#define MULTIPLIER_2 UINT64_C(0x9FB21C651E98DF25)

/* Xor of the secret's words at bytes 8 and 16, 24 and 32, 40 and 48. */
#define SECRET_4_TO_8 UINT64_C(0xC73AB174C5ECD5A2)
#define SECRET_9_TO_16_FIRST UINT64_C(0x6782737BEA4239B9)
#define SECRET_9_TO_16_LAST UINT64_C(0xAF56BC3B0996523A)

/*
 * Read the 4-byte numbers that start at the first count bytes of a text, by
 * unaligned loads; count is a multiple of 4.
 */
VECTOR_PART void
read_numbers(const uint8_t *restrict text, int count,
			 uint32_t *restrict numbers)
{
	for (int i = 0; i < count; i += 4)
	{
		memcpy(numbers + i, text + i, sizeof(uint32_t));
		memcpy(numbers + i + 1, text + i + 1, sizeof(uint32_t));
		memcpy(numbers + i + 2, text + i + 2, sizeof(uint32_t));
		memcpy(numbers + i + 3, text + i + 3, sizeof(uint32_t));
	}
}

/*
 * Return the start of the block that hashes the next windows.  The last block
 * overlaps the one before it, so that all blocks are whole.
 */
VECTOR_PART size_t
block_start(size_t done, size_t count)
{
	return count - done < BLOCK ? count - BLOCK : done;
}

/* Rotate a number to the left. */
VECTOR_PART uint64_t
rotate_left(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

/* Hash windows of 4 to 8 bytes, at least BLOCK of them; auto-vectorized. */
VECTOR_CLONES_WIDE static void
hash_4_to_8(const uint8_t *restrict text, size_t size, uint64_t seed,
			uint64_t *restrict hashes, size_t count)
{
	uint64_t	flip;

	seed ^= (uint64_t) __builtin_bswap32((uint32_t) seed) << 32;
	flip = SECRET_4_TO_8 - seed;
	for (size_t done = 0; done < count; done += BLOCK)
	{
		uint32_t	first[BLOCK + 4];
		const uint32_t *last = first + size - 4;
		size_t		start = block_start(done, count);

		read_numbers(text + start, BLOCK + 4, first);
		for (int i = 0; i < BLOCK; i++)
		{
			uint64_t	x = ((uint64_t) first[i] << 32 | last[i]) ^ flip;

			x ^= rotate_left(x, 49) ^ rotate_left(x, 24);
			x *= MULTIPLIER_2;
			x ^= (x >> 35) + size;
			x *= MULTIPLIER_2;
			hashes[start + i] = x ^ x >> 28;
		}
	}
}

/*
 * Multiply two numbers, given by their lower and upper halves, and return the
 * xor of the halves of the product.  Vectors are fast only with 32-bit factors.
 */
VECTOR_PART uint64_t
multiply_and_fold(uint32_t a0, uint32_t a1, uint32_t b0, uint32_t b1)
{
	uint64_t	low = (uint64_t) a0 * b0;
	uint64_t	middle = (uint64_t) a1 * b0;
	uint64_t	cross = (low >> 32) + (uint32_t) middle + (uint64_t) a0 * b1;
	uint64_t	high = (middle >> 32) + (cross >> 32) + (uint64_t) a1 * b1;

	return high ^ (cross << 32 | (uint32_t) low);
}

/* Hash windows of 9 to 16 bytes, at least BLOCK of them; auto-vectorized. */
VECTOR_CLONES_WIDE static void
hash_9_to_16(const uint8_t *restrict text, size_t size, uint64_t seed,
			 uint64_t *restrict hashes, size_t count)
{
	uint64_t	flip_first = SECRET_9_TO_16_FIRST + seed;
	uint64_t	flip_last = SECRET_9_TO_16_LAST - seed;

	for (size_t done = 0; done < count; done += BLOCK)
	{
		uint32_t	first[BLOCK + 12];
		const uint32_t *last = first + size - 8;
		size_t		start = block_start(done, count);

		read_numbers(text + start, BLOCK + 12, first);
		for (int i = 0; i < BLOCK; i++)
		{
			uint32_t	a0 = first[i] ^ (uint32_t) flip_first;
			uint32_t	a1 = first[i + 4] ^ (uint32_t) (flip_first >> 32);
			uint32_t	b0 = last[i] ^ (uint32_t) flip_last;
			uint32_t	b1 = last[i + 4] ^ (uint32_t) (flip_last >> 32);
			uint64_t	a_swapped = (uint64_t) __builtin_bswap32(a0) << 32 |
				__builtin_bswap32(a1);
			uint64_t	x = size + a_swapped + ((uint64_t) b1 << 32 | b0) +
				multiply_and_fold(a0, a1, b0, b1);

			x = (x ^ x >> 37) * MULTIPLIER_1;
			hashes[start + i] = x ^ x >> 32;
		}
	}
}

#endif							/* VECTORS_ARE_WIDE */

/* Hash all windows of a text, one by one. */
static inline void
hash_each(const uint8_t *text, size_t size, uint64_t seed, uint64_t *hashes,
		  size_t count)
{
	for (size_t i = 0; i < count; i++)
		hashes[i] = XXH3_64bits_withSeed(text + i, size, seed);
}

/* Hash all windows of a text. */
void
hash_windows(const uint8_t *text, size_t size, uint64_t seed,
			 uint64_t *hashes, size_t count)
{
#ifdef VECTORS_ARE_WIDE
	if (count >= BLOCK && size >= 4 && size <= 16 && VECTORS_ARE_WIDE)
	{
		if (size <= 8)
			hash_4_to_8(text, size, seed, hashes, count);
		else
			hash_9_to_16(text, size, seed, hashes, count);
		return;
	}
#endif
	if (size == 5)				/* the default, so it has code of its own */
		hash_each(text, 5, seed, hashes, count);
	else
		hash_each(text, size, seed, hashes, count);
}
