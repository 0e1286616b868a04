/*-------------------------------------------------------------------------
 *
 * nibbles.c
 *	  Four mixed bits of every slot, to reject pairs without their slots.
 *
 * The nibble of a slot is 0 if it is empty, else 1 + 15 h / 256, where h is
 * the high byte of its code times an odd number, modulo 2^16.  Equal slots
 * have equal nibbles, so of the u slots that are not empty in both signatures
 * at least as many nibbles are equal as slots are, and u itself is known.
 * Where they are fewer than t u, the estimate is below the threshold t, and
 * nothing is lost by rejecting the pair.  (Cutting hashes down to b bits is from
 * Li and Koenig, "b-Bit minwise hashing", 2010, who estimate with them.)
 * Unrelated slots have the same nibble once in 15, so of 128 nibbles of
 * unrelated signatures about 9 are equal, with a standard deviation of 2.8,
 * where a threshold of 0.3 asks for 39.
 *
 * A signature's nibbles are a quarter of its slots: with 128 hashes 64 bytes,
 * a cache line.  Of every 64 slots the lowest bits are one word, the next ones
 * another, and so on, so that a few operations and two counts of bits compare
 * 64 slots.  Where the last block is not full, the other slots are taken as empty.
 *
 * Words are in native byte order.
 *
 *-------------------------------------------------------------------------
 */
#include "nibbles.h"

#include <string.h>

#include "hash.h"
#include "slots.h"
#include "vector.h"

#define THRESHOLD_BITS 18		/* times 4096 slots: fits 32 bits */
#define FACTOR 0x9E37U			/* odd, 2^16 divided by the golden ratio */

/* Cut a block of slots down to a byte each.  The loop is auto-vectorized. */
static void
slot_nibbles(const uint16_t *restrict slots, uint8_t *restrict bytes)
{
	for (int i = 0; i < NIBBLES_BLOCK; i++)
	{
		uint16_t	high = (uint16_t) (slots[i] * FACTOR) >> 8;
		uint16_t	mixed = (uint16_t) (1 + (uint16_t) (high * 15) / 256);

		bytes[i] = (uint8_t) (slots[i] == SLOT_EMPTY ? 0 : mixed);
	}
}

/* Gather the lowest bits of eight bytes: that of byte i becomes bit i. */
static inline uint64_t
gather_bits(uint64_t bytes)
{
	return (bytes & UINT64_C(0x0101010101010101)) *
		UINT64_C(0x0102040810204080) >> 56;
}

/* Make the four words of a block. */
static void
make_block(const uint16_t *slots, uint64_t *nibbles)
{
	uint8_t		bytes[NIBBLES_BLOCK];

	slot_nibbles(slots, bytes);
	memset(nibbles, 0, 4 * sizeof(uint64_t));
	for (int i = 0; i < NIBBLES_BLOCK; i += 8)
	{
		uint64_t	eight;

		memcpy(&eight, bytes + i, sizeof(eight));
		eight = little_endian(eight);
		for (int bit = 0; bit < 4; bit++)
			nibbles[bit] |= gather_bits(eight >> bit) << i;
	}
}

/* Make the nibbles of a signature. */
void
nibbles_make(const uint16_t *slots, int num_hashes, uint64_t *nibbles)
{
	int			whole = num_hashes / NIBBLES_BLOCK * NIBBLES_BLOCK;
	uint16_t	block[NIBBLES_BLOCK];

	for (int first = 0; first < whole; first += NIBBLES_BLOCK)
		make_block(slots + first, nibbles + first / NIBBLES_BLOCK * 4);
	if (whole == num_hashes)
		return;
	memset(block, 0xFF, sizeof(block)); /* empty slots */
	memcpy(block, slots + whole, sizeof(uint16_t) * (size_t) (num_hashes - whole));
	make_block(block, nibbles + whole / NIBBLES_BLOCK * 4);
}

/* Return a threshold, which is not negative, as it is compared here. */
uint32_t
nibbles_threshold(double threshold)
{
	uint32_t	fixed = (uint32_t) (threshold * (1 << THRESHOLD_BITS));

	return fixed > 0 ? fixed - 1 : 0;	/* for what a quotient is rounded by */
}

/* Tell whether enough nibbles of two signatures, in so many words, agree. */
static inline bool
is_near(const uint64_t *a, const uint64_t *b, size_t words, uint32_t threshold)
{
	uint32_t	in_either = 0;
	uint32_t	different = 0;

	for (size_t i = 0; i < words; i += 4)
	{
		in_either += count_bits(a[i] | a[i + 1] | a[i + 2] | a[i + 3] |
								b[i] | b[i + 1] | b[i + 2] | b[i + 3]);
		different += count_bits((a[i] ^ b[i]) | (a[i + 1] ^ b[i + 1]) |
								(a[i + 2] ^ b[i + 2]) | (a[i + 3] ^ b[i + 3]));
	}
	return in_either - different >= in_either * threshold >> THRESHOLD_BITS;
}

/* Tell whether two signatures may be similar at a threshold. */
bool
nibbles_are_near(const uint64_t *a, const uint64_t *b, int num_hashes,
				 uint32_t threshold)
{
	return is_near(a, b, nibbles_words(num_hashes), threshold);
}

/*
 * Compare up to 32 signatures, one after the other in a tile, with another;
 * bit i of the result tells whether signature i may be similar to it.
 */
VECTOR_CLONES uint32_t
nibbles_near(const uint64_t *tile, int count, const uint64_t *nibbles,
			 int num_hashes, uint32_t threshold)
{
	size_t		words = nibbles_words(num_hashes);
	uint32_t	near = 0;

	for (int i = 0; i < count; i++)
		near |= (uint32_t) is_near(tile + (size_t) i * words, nibbles, words,
								   threshold) << i;
	return near;
}
