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
 * estimate.c), which keeps it unbiased, with a variance below J (1 - J) / k
 * at every set size: slots are drawn without replacement.
 *
 * k-permutation (the textbook one): k functions a * x + b modulo 2^32, a odd,
 * where x is the low 32 bits of the hash; slot i keeps the minimum of the
 * i-th function.  Every function is a bijection on 32-bit numbers.  The
 * constants come from splitmix64 started at the seed: of the i-th output, the
 * high half with its lowest bit set is a, the low half is b.
 *
 * A stored slot has 16 bits: the minimum rounded down to a binary float with
 * a fraction of 11 bits.  Values below 2048 are their own code; a larger
 * value whose highest set bit is e (11 to 31) has the code
 * 2048 * (e - 10) + the 11 bits below the highest one.  Rounding is monotone,
 * so the minimum of two codes is the code of the minimum, and the union of
 * two sets is the slot-wise minimum of their signatures, bit for bit.  Two
 * different minima share a code with a probability of about 2e-4, which adds
 * 2e-4 * (1 - J) to an estimate.
 *
 * Imported minima come with 64 bits.  They are rounded in the same way, with
 * a fraction of 10 bits: values below 1024 are their own code, a larger one
 * whose highest set bit is e (10 to 63) has the code 1024 * (e - 9) + the 10
 * bits below the highest one.  So their union is a minimum too.
 *
 * Limits: elements are told apart by 32 bits of their hash within a slot, so
 * the estimate of a set of billions of elements is biased upwards.
 *
 *-------------------------------------------------------------------------
 */
#include "sketch.h"

#include <string.h>

#define FRACTION_BITS 11
#define COMPARE_STEP 32			/* slots between two looks at the limit */
#define FRACTION_BITS_IMPORTED 10
#define EXACT_BELOW (UINT32_C(1) << FRACTION_BITS)
#define EXACT_BELOW_IMPORTED (UINT64_C(1) << FRACTION_BITS_IMPORTED)

/*
 * Run-time choice of the widest vector unit, where compiler and C library can
 * do it: x86-64, glibc.  The result is the same on every path.  Clang 14 gives
 * the function another name, so that other files do not find it.
 */
#if defined(__x86_64__) && defined(__gnu_linux__) && \
	!defined(__clang__) && defined(__has_attribute) && \
	!defined(LSHSIM_PLAIN_C)
#if __has_attribute(target_clones)
#define VECTOR_CLONES __attribute__((target_clones("default", "avx2")))
#endif
#endif
#ifndef VECTOR_CLONES
#define VECTOR_CLONES
#endif

/* Mix 64 bits: the finaliser of splitmix64 (Stafford's variant 13). */
uint64_t
mix64(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
	return x ^ (x >> 31);
}

/* Return the next number of the splitmix64 generator (Steele et al. 2014). */
uint64_t
splitmix64(uint64_t *state)
{
	*state += UINT64_C(0x9E3779B97F4A7C15);
	return mix64(*state);
}

/*
 * Round a 32-bit value down to its 16-bit code.
 *
 * A float of 32 bits has exponent and fraction side by side, as the code has;
 * so one that is made from the value, rounded down, is shifted to the right.
 * This has no branch, so that loops over slots can be vectorized.
 */
static inline uint16_t
encode(uint32_t value)
{
	uint32_t	half = value >> 1;	/* fits a signed number; loses no code */
	float		number = (float) (int32_t) (half & ~(half >> 24));
	uint32_t	is_exact = -(uint32_t) (value < 2 * EXACT_BELOW);
	uint32_t	code;

	memcpy(&code, &number, sizeof(code));
	code = (code >> (23 - FRACTION_BITS)) -
		((127 + FRACTION_BITS - 2) << FRACTION_BITS);
	return (uint16_t) ((value & is_exact) | (code & ~is_exact));
}

/* Round a 32-bit value down to its 16-bit code. */
uint16_t
slot_encode(uint32_t value)
{
	return encode(value);
}

/* Round a 64-bit value that was made elsewhere down to its 16-bit code. */
uint16_t
slot_encode_imported(uint64_t value)
{
	int			exponent;

	if (value < EXACT_BELOW_IMPORTED)
		return (uint16_t) value;
	exponent = highest_bit(value) - FRACTION_BITS_IMPORTED;
	return (uint16_t) (((uint64_t) exponent << FRACTION_BITS_IMPORTED) +
					   (value >> exponent));
}

/* Return the middle of the 32-bit values of a code, as a fraction of 2^32. */
double
slot_decode(uint16_t code)
{
	int			exponent = 0;
	uint32_t	value = code;

	if (code >= 2 * EXACT_BELOW)
	{
		exponent = (code >> FRACTION_BITS) - 1;
		value = (code & (EXACT_BELOW - 1)) | EXACT_BELOW;
	}
	return (value + 0.5) * (double) (UINT32_C(1) << exponent) / 4294967296.0;
}

/* Tell how many bytes of a sketch are in use. */
size_t
sketch_size(SketchMethod method, int num_hashes)
{
	size_t		numbers = (size_t) num_hashes;

	if (method == SKETCH_K_PERMUTATION)
		numbers *= 3;
	return offsetof(Sketch, numbers) + sizeof(uint32_t) * numbers;
}

/* Start the sketch of an empty set. */
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

/* Add the elements of another sketch, which was begun in the same way. */
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

		slots[i] = (uint16_t) (encode(minima[i]) | (is_untouched & untouched));
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

/* Take the minima of two lists of slots.  The loop is auto-vectorized. */
VECTOR_CLONES static void
take_minima(uint16_t *restrict a, const uint16_t *restrict b, int num_hashes)
{
	for (int i = 0; i < num_hashes; i++)
		a[i] = a[i] < b[i] ? a[i] : b[i];
}

/* Unite a signature with another, or with itself. */
void
slots_unite(uint16_t *a, const uint16_t *b, int num_hashes)
{
	if (a != b)
		take_minima(a, b, num_hashes);
}

/*
 * Count the slots of two signatures that are equal, empty or not, and those
 * that are empty in both.  The loop is auto-vectorized; 4096 fits 16 bits.
 */
VECTOR_CLONES static void
count_slots(const uint16_t *a, const uint16_t *b, int num_hashes,
			uint16_t *equal, uint16_t *both_empty)
{
	uint16_t	same = 0;
	uint16_t	empty = 0;

	for (int i = 0; i < num_hashes; i++)
	{
		same += (a[i] == b[i]);
		empty += ((a[i] & b[i]) == SLOT_EMPTY);
	}
	*equal = same;
	*both_empty = empty;
}

/*
 * Count the slots of two signatures that are not empty in both, and those of
 * them that are equal.
 */
void
slots_compare(const uint16_t *a, const uint16_t *b, int num_hashes,
			  int *equal, int *compared)
{
	uint16_t	same;
	uint16_t	empty;

	count_slots(a, b, num_hashes, &same, &empty);
	*equal = same - empty;
	*compared = num_hashes - empty;
}

/*
 * Tell whether at most so many slots of two signatures differ.  It gives up
 * as soon as it is known that more do.
 */
VECTOR_CLONES bool
slots_differ_at_most(const uint16_t *a, const uint16_t *b, int num_hashes,
					 int limit)
{
	int			different = 0;
	int			i = 0;

	for (; i + COMPARE_STEP <= num_hashes && different <= limit;
		 i += COMPARE_STEP)
	{
		uint16_t	count = 0;

		/* Auto-vectorized */
		for (int j = i; j < i + COMPARE_STEP; j++)
			count += (a[j] != b[j]);
		different += count;
	}
	for (; i < num_hashes && different <= limit; i++)
		different += (a[i] != b[i]);
	return different <= limit;
}

/* Return the largest code of a slot that is not empty. */
static uint16_t
largest_code(SketchMethod method)
{
	switch (method)
	{
		case SKETCH_WEIGHTED:
			return SLOT_MAX_WEIGHTED;
		case SKETCH_IMPORTED:
			return SLOT_MAX_IMPORTED;
		default:
			return SLOT_MAX;
	}
}

/*
 * Count the slots above the largest code, and those of them that are empty.
 * The loop is auto-vectorized; 4096 fits 16 bits.
 */
VECTOR_CLONES static void
count_above(const uint16_t *slots, int num_hashes, uint16_t largest,
			uint16_t *above, uint16_t *empty)
{
	uint16_t	larger = 0;
	uint16_t	none = 0;

	for (int i = 0; i < num_hashes; i++)
	{
		larger += (slots[i] > largest);
		none += (slots[i] == SLOT_EMPTY);
	}
	*above = larger;
	*empty = none;
}

/* Tell whether slots that came from outside obey the format. */
bool
slots_are_valid(const uint16_t *slots, int num_hashes, SketchMethod method)
{
	uint16_t	above;
	uint16_t	empty;

	count_above(slots, num_hashes, largest_code(method), &above, &empty);
	return above == empty &&
		(method == SKETCH_ONE_PERMUTATION || empty == 0 || empty == num_hashes);
}
