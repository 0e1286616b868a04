/*-------------------------------------------------------------------------
 *
 * weighted.c
 *	  Fuzz signatures of weighted sets.
 *
 * Weights are any that a number can have.  A signature depends neither on how
 * high the rounds reach, nor on the order of the elements, nor on whether an
 * element comes once or as two halves.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "core/sketch/weighted.h"
#include "fuzz.h"

#define MAX_ELEMENTS 24
#define MAX_HASHES 64

/* Sketch elements; the limit of the first round is multiplied by raise. */
static void
sketch_elements(const WeightedElement *elements, size_t count, int k,
				double raise, uint16_t *slots)
{
	static Darts darts;
	WeightedElement copy[2 * MAX_ELEMENTS];
	WeightedElement scratch[2 * MAX_ELEMENTS];

	memcpy(copy, elements, sizeof(WeightedElement) * count);
	count = weighted_unique(copy, scratch, count);
	darts_begin(&darts, k, copy, count);
	darts.limit *= raise;
	darts_throw(&darts, copy, count, slots);
}

/* Take a weight that is positive and finite, and half of it a number too. */
static double
take_weight(Input *input)
{
	double		weight = fabs(take_double(input));

	if (!isfinite(weight) || weight > 1e300 || ldexp(ldexp(weight, -1), 1) != weight ||
		weight == 0)
		return 1 + (double) take(input, 1);
	return weight;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {data, size};
	int			k = take_between(&input, SKETCH_MIN_HASHES, MAX_HASHES);
	double		raise = ldexp(1, take_between(&input, -2, 2));
	WeightedElement elements[2 * MAX_ELEMENTS];
	uint16_t	slots[MAX_HASHES];
	uint16_t	others[MAX_HASHES];
	size_t		bytes = sizeof(uint16_t) * (size_t) k;
	size_t		count = 0;

	do
	{
		/* Names that differ, since a sum depends on the order otherwise. */
		elements[count].hash = take(&input, 2) << 16 | count;
		elements[count++].weight = take_weight(&input);
	} while (input.left > 0 && count < MAX_ELEMENTS);
	sketch_elements(elements, count, k, 1, slots);
	check(slots_are_valid(slots, k, SKETCH_WEIGHTED) && slots[0] != SLOT_EMPTY);
	sketch_elements(elements, count, k, raise, others);
	check(memcmp(slots, others, bytes) == 0);
	for (size_t i = 0; i < count; i++)
	{
		elements[i].weight /= 2;
		elements[2 * count - 1 - i] = elements[i];
	}
	sketch_elements(elements, 2 * count, k, 1, others);
	check(memcmp(slots, others, bytes) == 0);
	return 0;
}
