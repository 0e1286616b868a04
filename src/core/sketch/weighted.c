/*-------------------------------------------------------------------------
 *
 * weighted.c
 *	  DartMinHash in integer arithmetic.
 *
 * The Jaccard similarity of two weighted sets is the sum of the smaller weights
 * of all elements, divided by the sum of the larger ones.  This is DartMinHash
 * (Christiani 2020, arXiv 2005.11547) in integer arithmetic.
 *
 * Each element has a strip of the plane, from 0 upwards, into which darts fall
 * at random, on average one for each unit of area; their places depend only on
 * the hash of the element.  The horizontal axis is the weight, the vertical one
 * the rank.  A set that contains the element with weight w has the darts to the
 * left of w.  So of the darts of two sets together, the fraction in both is the
 * weighted Jaccard similarity J.  Each dart also belongs to one of the k slots,
 * at random, and a slot keeps its dart of the lowest rank: two sets agree in a
 * slot with probability J, independently of the other slots, and the estimate
 * is unbiased with a variance of J (1 - J) / k.
 *
 * Places of the darts.  A strip is cut at the powers of two into pieces
 * [2^p, 2^(p+1)), and a piece into cells that are 2^-p high, of area 1.  Each
 * cell has a Poisson number of darts with mean 1, drawn by comparing a 64-bit
 * hash with a table; the place of a dart in its cell is given by the bits of
 * further hashes.  The piece that contains w is cut at w: its darts beyond w
 * are left out.  Only 20 pieces below it are read.  The rest has a share of
 * 2^-20 of the weight, which changes a similarity by at most 1e-6.
 *
 * The numbers.  mix64 is that of hash.h, G is 9E3779B97F4A7C15 in
 * hexadecimal, and sums and products are modulo 2^64.  The strip of an element
 * of hash h is s = mix64(h xor G).  Cell c = 0, 1, ... of its piece p, upwards,
 * is r = mix64(s + ((p + 2048) 2^32 + c) G), and its number of darts is that
 * of the n = 0 .. 19 with r >= 2^64 (1/0! + ... + 1/n!) / e, rounded down.
 * Its dart i = 1, 2, ... is a = mix64(r + 2 i G) and b = mix64(r + (2 i + 1)
 * G).  Its rank is (c + (A + 1/2) / 2^32) / 2^p, A being the high 32 bits of
 * a.  Its slot is the product of k and the low 32 bits of a, divided by 2^32.
 * Its place across is the high 48 bits of b: in the piece of the weight w it
 * counts if they are less than 2^48 (w / 2^p - 1), rounded down.  It is stored
 * as the low 16 bits of b, or as 65534 for 65535.  Of two darts of one rank
 * the one with the lower code is kept.  Weights of equal elements are added up
 * in ascending order.
 *
 * Rounds.  In a set of total weight W the lowest dart of a slot has rank k / W
 * on average, and the highest of these of all slots about k ln(k) / W.  So
 * darts are thrown in rounds, the first up to rank k (ln(k) + 2) / W, which
 * reaches all slots in 87 of 100 cases, each other one up to twice the rank of
 * the one before it, until every slot has a dart.  The limits of the rounds do
 * not change the best dart of a slot, so they may be computed in floating
 * point; all else is integer arithmetic, so that the result is the same on
 * every platform.  No logarithm is computed.
 *
 * A slot is stored as 16 bits of its dart's hash.  Two different darts share
 * them with probability 1.5e-5.  The rank is not stored, so signatures of
 * weighted sets have no union, and do not give the weight of a set.
 *
 * Cost: 20 to 40 hashes for an element and 2 or 3 for each of about
 * k (ln(k) + 2) darts.  Measured with k = 128 for 10, 100, 1,000 and 10,000
 * elements: 11, 20, 240 and 2,700 microseconds.  Consistent weighted sampling
 * (Ioffe 2010), the textbook scheme, takes some logarithms for each element
 * and slot, which differ between C libraries, and 45, 390, 3,800 and 38,000
 * microseconds, for the same variance, 1.0 times J (1 - J) / k.
 *
 * Limits: only the 49 highest bits of a weight count.
 *
 *-------------------------------------------------------------------------
 */
#include "weighted.h"

#include <math.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/host.h"

#define LOWER_PIECES 20			/* see above */
#define WEIGHT_BITS 48			/* of a horizontal place in a piece */
#define RANK_BITS 33			/* of a vertical place in a cell */
#define MAX_DARTS 20			/* in a cell; one in 1e19 would have more */

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)

/* 2^64 times the probability that a cell has at most n darts. */
static const uint64_t at_most[MAX_DARTS] = {
	UINT64_C(0x5E2D58D8B3BCDF1A), UINT64_C(0xBC5AB1B16779BE35),
	UINT64_C(0xEB715E1DC1582DC2), UINT64_C(0xFB23979734A252F1),
	UINT64_C(0xFF1025F59174DC3D), UINT64_C(0xFFD90F3BA4055E19),
	UINT64_C(0xFFFA8B71FC72C913), UINT64_C(0xFFFF540C0914B3C9),
	UINT64_C(0xFFFFED1F4AA8F120), UINT64_C(0xFFFFFE216E641462),
	UINT64_C(0xFFFFFFD4D85D3183), UINT64_C(0xFFFFFFFC6DA262B4),
	UINT64_C(0xFFFFFFFFBA12D178), UINT64_C(0xFFFFFFFFFB07C64C),
	UINT64_C(0xFFFFFFFFFFAB8EA5), UINT64_C(0xFFFFFFFFFFFABE22),
	UINT64_C(0xFFFFFFFFFFFFB11A), UINT64_C(0xFFFFFFFFFFFFFBA1),
	UINT64_C(0xFFFFFFFFFFFFFFC5), UINT64_C(0xFFFFFFFFFFFFFFFD)
};

/*** Equal elements ***/

#define RADIX_SORT sort_by_hash
#define RADIX_ITEM WeightedElement
#define RADIX_KEY(element) ((element).hash)
#define RADIX_KEY_BITS 64
#include "core/base/radix_sort.h"

/* Return the bits of a weight; those of positive numbers sort like the numbers. */
static inline uint64_t
weight_bits(double weight)
{
	uint64_t	bits;

	memcpy(&bits, &weight, sizeof(bits));
	return bits;
}

#define RADIX_SORT sort_by_weight
#define RADIX_ITEM WeightedElement
#define RADIX_KEY(element) weight_bits((element).weight)
#define RADIX_KEY_BITS 64
#include "core/base/radix_sort.h"

/*
 * Sort by hash and, because both sorts are stable, equal elements by weight; add up
 * the weights of these in this order.
 */
size_t
weighted_unique(WeightedElement *elements, WeightedElement *scratch,
				size_t count)
{
	WeightedElement *by_weight = sort_by_weight(elements, scratch, count);
	WeightedElement *other = by_weight == elements ? scratch : elements;
	WeightedElement *sorted = sort_by_hash(by_weight, other, count);
	size_t		unique = 0;

	for (size_t i = 0; i < count; i++)
	{
		check_sometimes(i);
		if (i > 0 && sorted[i].hash == elements[unique - 1].hash)
			elements[unique - 1].weight += sorted[i].weight;
		else
			elements[unique++] = sorted[i];
	}
	return unique;
}

/*** Darts ***/

/* Return the piece of a weight, and the place in it, of WEIGHT_BITS bits. */
static int
weight_piece(double weight, uint64_t *beyond)
{
	int			exponent;
	double		fraction = frexp(weight, &exponent);

	*beyond = (uint64_t) ldexp(fraction, WEIGHT_BITS + 1) -
		(UINT64_C(1) << WEIGHT_BITS);
	return exponent - 1;
}

/* Return about ln(x) + 2, the same on every platform. */
static double
first_height(int x)
{
	double		height = 2;

	for (; x > 1; x = (x + 1) / 2)
		height += 0.7;
	return height;
}

/* Keep the four highest bits of a number, so that scaling it is exact. */
static double
round_limit(double limit)
{
	int			exponent;
	double		fraction = frexp(limit, &exponent);

	return ldexp(floor(fraction * 16) + 1, exponent - 4);
}

/* Begin the signature of a set. */
void
darts_begin(Darts *darts, int num_hashes, const WeightedElement *elements,
			size_t count)
{
	double		total = 0;
	uint64_t	beyond;

	darts->num_hashes = num_hashes;
	darts->slots_hit = 0;
	darts->done = 0;
	memset(darts->ranks, 0xFF, sizeof(uint64_t) * (size_t) num_hashes);
	darts->scale = weight_piece(elements[0].weight, &beyond);
	for (size_t i = 1; i < count; i++)
	{
		int			piece = weight_piece(elements[i].weight, &beyond);

		if (piece > darts->scale)
			darts->scale = piece;
		check_sometimes(i);
	}
	for (size_t i = 0; i < count; i++)
	{
		total += ldexp(elements[i].weight, -darts->scale);
		check_sometimes(i);
	}
	darts->limit = round_limit(num_hashes * first_height(num_hashes) / total);
}

/*
 * Convert a rank to an integer that compares like it.
 *
 * A rank is height * 2^-(piece + RANK_BITS), where height is odd and less than
 * 2^53.  The result is its exponent << 52 | the bits below the highest one.
 */
static uint64_t
comparable_rank(uint64_t height, int piece)
{
	int			top = highest_bit(height);

	return (uint64_t) (top - piece + 2048) << 52 |
		((height << (52 - top)) & ((UINT64_C(1) << 52) - 1));
}

/* Keep a dart if it is not beyond the weight and is the best of its slot. */
static void
keep_dart(Darts *darts, uint64_t rank, uint32_t slot, uint64_t random,
		  uint64_t beyond)
{
	uint16_t	code = (uint16_t) random;

	if (rank > darts->ranks[slot] || random >> (64 - WEIGHT_BITS) >= beyond)
		return;
	code -= (code == SLOT_EMPTY);
	if (darts->ranks[slot] == UINT64_MAX)
		darts->slots_hit++;
	else if (rank == darts->ranks[slot] && code >= darts->codes[slot])
		return;
	darts->ranks[slot] = rank;
	darts->codes[slot] = code;
}

/* Convert a rank to a height in the cells of a piece. */
static uint64_t
height_in_piece(const Darts *darts, double rank, int piece)
{
	return (uint64_t) ldexp(rank, piece - darts->scale + RANK_BITS);
}

/* Throw the darts of a cell below a limit. */
static void
throw_cell(Darts *darts, uint64_t strip, int piece, uint64_t cell,
		   uint64_t limit, uint64_t beyond)
{
	uint64_t	place = (uint64_t) (piece + 2048) << 32 | cell;
	uint64_t	random = mix64(strip + place * GOLDEN);
	int			count = 0;

	while (count < MAX_DARTS && random >= at_most[count])
		count++;
	for (int i = count; i > 0; i--)
	{
		uint64_t	dart = mix64(random + (uint64_t) (2 * i) * GOLDEN);
		uint64_t	height = cell << RANK_BITS | dart >> 32 << 1 | 1;
		uint32_t	slot = (uint32_t) ((dart & UINT32_MAX) *
									   (uint64_t) darts->num_hashes >> 32);

		if (height < limit)
			keep_dart(darts, comparable_rank(height, piece), slot,
					  mix64(random + (uint64_t) (2 * i + 1) * GOLDEN), beyond);
	}
}

/* Throw the darts of an element that belong to this round. */
static void
throw_element(Darts *darts, const WeightedElement *element)
{
	uint64_t	strip = mix64(element->hash ^ GOLDEN);
	uint64_t	beyond;
	int			top = weight_piece(element->weight, &beyond);
	uint64_t	limit = height_in_piece(darts, darts->limit, top);
	uint64_t	done = height_in_piece(darts, darts->done, top);

	for (int i = 0; i <= LOWER_PIECES && limit > 0; i++)
	{
		uint64_t	last = limit >> RANK_BITS;

		for (uint64_t cell = done >> RANK_BITS; cell <= last; cell++)
			throw_cell(darts, strip, top - i, cell, limit, beyond);
		limit >>= 1;
		done >>= 1;
		beyond = UINT64_MAX;
	}
}

/* Throw darts in rounds, until every slot has one. */
void
darts_throw(Darts *darts, const WeightedElement *elements, size_t count,
			uint16_t *slots)
{
	darts->codes = slots;
	do
	{
		for (size_t i = 0; i < count; i++)
		{
			check_sometimes(i);
			throw_element(darts, &elements[i]);
		}
		darts->done = darts->limit;
		darts->limit *= 2;
	} while (darts->slots_hit < darts->num_hashes);
}
