/*-------------------------------------------------------------------------
 *
 * sketch.c
 *	  From element hashes to the slots of a signature.
 *
 * MinHash (Broder 1997) summarises a set so that the share of agreeing slots
 * of two summaries estimates the Jaccard similarity |A n B| / |A u B| of the
 * sets.  Every element arrives here as one well-mixed 64-bit hash.
 *
 * one-permutation (Li, Owen, Zhang 2012; the default): the high 32 bits h of
 * the hash choose the slot (h * k) >> 32, the low 32 bits are the value, and
 * a slot keeps the minimum of the values that fell into it.  One hash and one
 * store for an element, whatever k is.  Slots that nothing fell into stay
 * empty; the estimate leaves out those that are empty in both sets (see
 * slots.c), which keeps it unbiased, with a variance below J (1 - J) / k
 * at every set size: slots are drawn without replacement.
 *
 * k-permutation (the textbook one): k functions a * x + b modulo 2^32, a odd,
 * where x is the low 32 bits of the hash; slot i keeps the minimum of the
 * i-th function.  Every function is a bijection on 32-bit numbers.  The
 * constants come from splitmix64 started at the seed: of the i-th output, the
 * high half with its lowest bit set is a, the low half is b.
 *
 * Limits: elements are told apart by 32 bits of their hash within a slot, so
 * the estimate of a set of billions of elements is biased upwards.
 *
 *-------------------------------------------------------------------------
 */
#include "sketch.h"

#include <string.h>

#include "hash.h"
#include "vector.h"

/* Tell how many bytes of a sketch are in use. */
size_t
sketch_size(SketchMethod method, int num_hashes)
{
	size_t		numbers = (size_t) num_hashes;

	if (method == SKETCH_K_PERMUTATION)
		numbers *= 3;
	return offsetof(Sketch, numbers) + sizeof(uint32_t) * numbers;
}

/* Begin the sketch of an empty set. */
void
sketch_begin(Sketch *sketch, SketchMethod method, int num_hashes, int32_t seed)
{
	uint64_t	state = (uint32_t) seed;

	sketch->method = method;
	sketch->num_hashes = num_hashes;
	sketch->seed = seed;
	sketch->empty = true;
	memset(sketch->numbers, 0xFF, sizeof(uint32_t) * (size_t) num_hashes);
	if (method != SKETCH_K_PERMUTATION)
		return;
	for (int i = 0; i < num_hashes; i++)
	{
		uint64_t	random = splitmix64(&state);

		sketch->numbers[num_hashes + i] = (uint32_t) (random >> 32) | 1;
		sketch->numbers[2 * num_hashes + i] = (uint32_t) random;
	}
}

/*
 * Add elements by one permutation.
 *
 * UINT32_MAX stands for an untouched slot here, so that value is lowered by
 * one; both have the same code.
 */
static void
add_one_permutation(uint32_t *restrict minima, uint32_t num_hashes,
					const uint64_t *restrict hashes, size_t count)
{
	for (size_t i = 0; i < count; i++)
	{
		uint32_t	slot = (uint32_t) ((hashes[i] >> 32) * num_hashes >> 32);
		uint32_t	value = (uint32_t) hashes[i];
		uint32_t	minimum = minima[slot];

		value -= (value == UINT32_MAX);
		minima[slot] = value < minimum ? value : minimum;
	}
}

/* Add elements by k permutations.  The inner loop is auto-vectorized. */
VECTOR_CLONES static void
add_k_permutations(uint32_t *restrict minima,
				   const uint32_t *restrict multiplier,
				   const uint32_t *restrict addend, int num_hashes,
				   const uint64_t *restrict hashes, size_t count)
{
	for (size_t i = 0; i < count; i++)
	{
		uint32_t	x = (uint32_t) hashes[i];

		for (int j = 0; j < num_hashes; j++)
		{
			uint32_t	value = multiplier[j] * x + addend[j];

			minima[j] = value < minima[j] ? value : minima[j];
		}
	}
}

/* Add elements, given by their hashes, to a sketch. */
void
sketch_add(Sketch *sketch, const uint64_t *hashes, size_t count)
{
	int			k = sketch->num_hashes;
	uint32_t   *minima = sketch->numbers;

	if (count == 0)
		return;
	sketch->empty = false;
	if (sketch->method == SKETCH_ONE_PERMUTATION)
		add_one_permutation(minima, (uint32_t) k, hashes, count);
	else
		add_k_permutations(minima, minima + k, minima + 2 * k, k, hashes,
						   count);
}

/* Add the elements of another sketch, begun with the same arguments. */
void
sketch_merge(Sketch *sketch, const Sketch *other)
{
	sketch->empty &= other->empty;
	for (int i = 0; i < sketch->num_hashes; i++)
		if (other->numbers[i] < sketch->numbers[i])
			sketch->numbers[i] = other->numbers[i];
}

/* Write the codes of minima, or that a slot is empty. */
VECTOR_CLONES static void
encode_minima(const uint32_t *restrict minima, int num_hashes,
			  bool may_be_untouched, uint16_t *restrict slots)
{
	uint32_t	untouched = may_be_untouched ? UINT32_MAX : 0;

	for (int i = 0; i < num_hashes; i++)
	{
		uint32_t	is_untouched = -(uint32_t) (minima[i] == UINT32_MAX);

		slots[i] = (uint16_t) (slot_encode(minima[i]) | (is_untouched & untouched));
	}
}

/* Write the slots of a sketch. */
void
sketch_end(const Sketch *sketch, uint16_t *slots)
{
	encode_minima(sketch->numbers, sketch->num_hashes,
				  sketch->empty || sketch->method == SKETCH_ONE_PERMUTATION,
				  slots);
}
