/*-------------------------------------------------------------------------
 *
 * sketch.c
 *	  One-permutation and k-permutation hashing.
 *
 * MinHash (Broder 1997) summarizes a set so that the fraction of equal slots of
 * two signatures estimates the Jaccard similarity |A n B| / |A u B| of the
 * sets.  Each element arrives here as a well-mixed 64-bit hash.
 *
 * one-permutation (Li, Owen, Zhang 2012; the default): the high 32 bits h of
 * the hash choose the slot (h * k) >> 32, the low 32 bits are the value, and
 * a slot keeps the minimum of its values.  An element costs one hash and one
 * store for any k.  Slots without elements stay empty; the estimate leaves
 * out those that are empty in both sets (see slots.c), which keeps it unbiased,
 * with a variance below J (1 - J) / k at every set size, because slots are
 * drawn without replacement.
 *
 * k-permutation (the textbook method): k functions a * x + b modulo 2^32, a
 * odd, where x is the low 32 bits of the hash; slot i keeps the minimum of the
 * i-th function.  Every function is a bijection on 32-bit numbers.  The
 * constants come from splitmix64 started at the seed: of the i-th output, the
 * high half with its lowest bit set is a, the low half is b.
 *
 * Limits: elements are distinguished by 32 bits of their hash within a slot, so
 * the estimated similarity of sets of billions of elements is biased upwards.
 *
 *-------------------------------------------------------------------------
 */
#include "sketch.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/base/processor.h"

/* Factors and addends follow the minima if there are k permutations. */
size_t
sketch_size(SketchMethod method, int num_hashes)
{
	size_t		numbers = (size_t) num_hashes;

	if (method == SKETCH_K_PERMUTATION)
		numbers *= 3;
	return offsetof(Sketch, numbers) + sizeof(uint32_t) * numbers;
}

/* Set all minima to the largest number, and draw the permutations. */
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
 * Add an element by one permutation.  UINT32_MAX marks an empty slot, so an
 * element of this value gets the one below it, which has the same code.
 */
static inline void
add_element(uint32_t *minima, uint32_t num_hashes, uint64_t hash)
{
	uint32_t   *minimum = minima + ((hash >> 32) * num_hashes >> 32);
	uint32_t	value = (uint32_t) hash;

	value -= value == UINT32_MAX;
	*minimum = value < *minimum ? value : *minimum;
}

/*
 * Add elements by one permutation.  There are no copies of this loop for other
 * processors, because there gcc would compute single minima in vector registers,
 * which is slower.
 */
static void
add_one_permutation(uint32_t *minima, uint32_t num_hashes,
					const uint64_t *hashes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_element(minima, num_hashes, hashes[i]);
}

/* Return the smaller of a minimum and a permuted element. */
VECTOR_PART uint32_t
lower(uint32_t minimum, uint64_t hash, uint32_t multiplier, uint32_t addend)
{
	uint32_t	value = multiplier * (uint32_t) hash + addend;

	return value < minimum ? value : minimum;
}

/*
 * Add elements by k permutations, 8 at a time, so that a minimum is loaded and
 * stored once for all of them.  The loops are auto-vectorized.
 */
VECTOR_CLONES_WIDE static void
add_k_permutations(uint32_t *restrict minima,
				   const uint32_t *restrict multipliers,
				   const uint32_t *restrict addends, int num_hashes,
				   const uint64_t *restrict hashes, size_t count)
{
	for (; count >= 8; count -= 8, hashes += 8)
		for (int i = 0; i < num_hashes; i++)
		{
			uint32_t	a = multipliers[i];
			uint32_t	b = addends[i];
			uint32_t	minimum = lower(minima[i], hashes[0], a, b);

			minimum = lower(minimum, hashes[1], a, b);
			minimum = lower(minimum, hashes[2], a, b);
			minimum = lower(minimum, hashes[3], a, b);
			minimum = lower(minimum, hashes[4], a, b);
			minimum = lower(minimum, hashes[5], a, b);
			minimum = lower(minimum, hashes[6], a, b);
			minima[i] = lower(minimum, hashes[7], a, b);
		}
	for (; count > 0; count--, hashes++)
		for (int i = 0; i < num_hashes; i++)
			minima[i] = lower(minima[i], *hashes, multipliers[i], addends[i]);
}

/* Add elements by the loop of the method. */
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

/* Take the minimum of a slot's code and that of an element. */
void
sketch_add_to_slots(uint16_t *slots, int num_hashes, uint64_t hash)
{
	uint16_t   *slot = slots + ((hash >> 32) * (uint64_t) num_hashes >> 32);
	uint16_t	code = slot_encode((uint32_t) hash);

	*slot = code < *slot ? code : *slot;
}

/*
 * Write the codes of minima.  The loop is auto-vectorized, which gcc does only
 * for parameters that are restrict.
 */
VECTOR_CLONES_WIDE static void
encode_minima(const uint32_t *restrict minima, int num_hashes,
			  uint32_t untouched, uint16_t *restrict slots)
{
	for (int i = 0; i < num_hashes; i++)
	{
		uint32_t	is_untouched = -(uint32_t) (minima[i] == UINT32_MAX);

		slots[i] = (uint16_t) (slot_encode(minima[i]) | (is_untouched & untouched));
	}
}

/* Encode the minima; only one permutation can leave one untouched. */
void
sketch_end(const Sketch *sketch, uint16_t *slots)
{
	encode_minima(sketch->numbers, sketch->num_hashes,
				  sketch->empty || sketch->method == SKETCH_ONE_PERMUTATION ?
				  UINT32_MAX : 0, slots);
}
