/*-------------------------------------------------------------------------
 *
 * slots.c
 *	  The slots of a signature: codes, validity, comparison and union; and the
 *	  names of the methods of making them.
 *
 * A stored slot has 16 bits: the minimum rounded down to a binary float with
 * an 11-bit fraction.  Values below 2048 are their own code; a larger
 * value whose highest set bit is e (11 to 31) has the code
 * 2048 * (e - 10) + the 11 bits below the highest one.  Rounding is monotone,
 * so the minimum of two codes is the code of the minimum, and the union of
 * two sets is the slot-wise minimum of their signatures, bit for bit.  Two
 * different minima share a code with a probability of about 2e-4, which adds
 * 2e-4 * (1 - J) to an estimate.
 *
 * Imported minima have 64 bits.  They are rounded in the same way, with a
 * 10-bit fraction: values below 1024 are their own code, a larger one
 * whose highest set bit is e (10 to 63) has the code 1024 * (e - 9) + the 10
 * bits below the highest one.  So their union is a slot-wise minimum, too.
 *
 * The Jaccard similarity of two sets is estimated by the number of equal
 * slots that are not empty, over the number of slots that are not empty in at
 * least one signature (see similarity/estimates.c).
 *
 *-------------------------------------------------------------------------
 */
#include "slots.h"

#include "core/base/hash.h"
#include "core/base/processor.h"

#define COMPARE_STEP 32			/* slots between two checks of the limit */
#define FRACTION_BITS_IMPORTED 10
#define EXACT_BELOW_IMPORTED (UINT64_C(1) << FRACTION_BITS_IMPORTED)

/* Round a 64-bit imported minimum down to its 16-bit code. */
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

	if (code >= 2 * SLOT_EXACT_BELOW)
	{
		exponent = (code >> SLOT_FRACTION_BITS) - 1;
		value = (code & (SLOT_EXACT_BELOW - 1)) | SLOT_EXACT_BELOW;
	}
	return (value + 0.5) * (double) (UINT32_C(1) << exponent) / 4294967296.0;
}

/* Take the slot-wise minima of two signatures.  The loop is auto-vectorized. */
VECTOR_CLONES void
slots_union(uint16_t *a, const uint16_t *b, int num_hashes)
{
	for (int i = 0; i < num_hashes; i++)
		a[i] = a[i] < b[i] ? a[i] : b[i];
}

/*
 * Count the slots of two signatures to compare, and the equal ones.  The loop
 * is auto-vectorized; 4096 fits 16 bits.
 */
VECTOR_CLONES void
slots_compare(const uint16_t *a, const uint16_t *b, int num_hashes,
			  int *equal, int *compared)
{
	uint16_t	same = 0;		/* equal, empty or not */
	uint16_t	empty = 0;		/* empty in both */

	for (int i = 0; i < num_hashes; i++)
	{
		same += (a[i] == b[i]);
		empty += ((a[i] & b[i]) == SLOT_EMPTY);
	}
	*equal = same - empty;
	*compared = num_hashes - empty;
}

/* Return true if at most limit slots of two signatures differ. */
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

/*
 * Return the smallest number of equal slots that reaches a threshold.
 *
 * If no slot is compared, there is no estimate, and the result is 1, which no
 * signature reaches.  Threshold 0, with which a search for the nearest begins,
 * rejects nothing, because slots that seem to be empty in both signatures may
 * not be.
 */
int
slots_least_equal(int compared, double threshold)
{
	int			equal = (int) (threshold * compared);

	if (compared == 0)
		return threshold > 0;
	while (equal > 0 && (double) (equal - 1) / compared >= threshold)
		equal--;
	while ((double) equal / compared < threshold)
		equal++;
	return equal;
}

/* The largest codes of a slot that is not empty. */
static const uint16_t largest_codes[] = {
	[SKETCH_ONE_PERMUTATION] = SLOT_MAX,
	[SKETCH_K_PERMUTATION] = SLOT_MAX,
	[SKETCH_WEIGHTED] = SLOT_MAX_WEIGHTED,
	[SKETCH_IMPORTED] = SLOT_MAX_IMPORTED,
};

/*
 * Return true if untrusted slots are possible for a method.  The loop is
 * auto-vectorized; 4096 fits 16 bits.
 */
VECTOR_CLONES bool
slots_are_valid(const uint16_t *slots, int num_hashes, SketchMethod method)
{
	uint16_t	largest = largest_codes[method];
	uint16_t	above = 0;
	uint16_t	empty = 0;

	for (int i = 0; i < num_hashes; i++)
	{
		above += (slots[i] > largest);
		empty += (slots[i] == SLOT_EMPTY);
	}
	return above == empty &&
		(method == SKETCH_ONE_PERMUTATION || empty == 0 || empty == num_hashes);
}

/* Return true if a signature is that of the empty set. */
bool
slots_are_empty(const uint16_t *slots, int num_hashes)
{
	for (int i = 0; i < num_hashes; i++)
		if (slots[i] != SLOT_EMPTY)
			return false;
	return true;
}

/* The names of the methods. */
static const char *const method_names[] = {
	[SKETCH_ONE_PERMUTATION] = "one-permutation",
	[SKETCH_K_PERMUTATION] = "k-permutation",
	[SKETCH_WEIGHTED] = "weighted",
	[SKETCH_IMPORTED] = "imported",
};

/* Return the name of a method. */
const char *
sketch_method_name(SketchMethod method)
{
	return method_names[method];
}

/* Find the method with a name; return false if there is none. */
bool
sketch_method_parse(const char *name, size_t len, SketchMethod *method)
{
	for (int i = SKETCH_ONE_PERMUTATION; i <= SKETCH_LAST_METHOD; i++)
		if (strlen(method_names[i]) == len &&
			memcmp(method_names[i], name, len) == 0)
		{
			*method = i;
			return true;
		}
	return false;
}
