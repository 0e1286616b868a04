/*-------------------------------------------------------------------------
 *
 * slots.h
 *	  The slots of a signature, 16-bit codes of minima, and the methods of
 *	  making them.
 *
 * See slots.c for the codes, and sizes.c for the estimates of sizes.  num_hashes is
 * 1 to 4096 here, although a signature has at least SKETCH_MIN_HASHES.  Signatures
 * that are compared or united must be of one kind (method, num_hashes, seed and
 * shingling), which the caller checks.  No function fails.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* How a signature was made; the numbers are part of the signature format. */
typedef enum SketchMethod
{
	SKETCH_ONE_PERMUTATION = 1,
	SKETCH_K_PERMUTATION = 2,
	SKETCH_WEIGHTED = 3,		/* see weighted.c */
	SKETCH_IMPORTED = 4			/* made by another program */
} SketchMethod;

#define SKETCH_LAST_METHOD SKETCH_IMPORTED

#define SLOT_MAX 45055			/* code of the largest 32-bit value */
#define SLOT_MAX_WEIGHTED 0xFFFE	/* largest code of a weighted set */
#define SLOT_MAX_IMPORTED 56319 /* code of the largest 64-bit value */
#define SLOT_EMPTY 0xFFFF		/* no element fell into the slot */

#define SLOT_FRACTION_BITS 11
#define SLOT_EXACT_BELOW (UINT32_C(1) << SLOT_FRACTION_BITS)

/*
 * Round a 32-bit value down to its 16-bit code.
 *
 * Like the code, a 32-bit float holds its exponent next to its fraction; so the
 * value, converted to float (rounding down) and shifted right, is the code.
 * There is no branch, so that loops over slots can be vectorized.
 */
static inline uint16_t
slot_encode(uint32_t value)
{
	uint32_t	half = value >> 1;	/* fits a signed number; loses no code */
	float		number = (float) (int32_t) (half & ~(half >> 24));
	uint32_t	is_exact = -(uint32_t) (value < 2 * SLOT_EXACT_BELOW);
	uint32_t	code;

	memcpy(&code, &number, sizeof(code));
	code = (code >> (23 - SLOT_FRACTION_BITS)) -
		((127 + SLOT_FRACTION_BITS - 2) << SLOT_FRACTION_BITS);
	return (uint16_t) ((value & is_exact) | (code & ~is_exact));
}

/* Round a 64-bit minimum from another program down to its 16-bit code. */
extern uint16_t slot_encode_imported(uint64_t value);

/*
 * Return the midpoint of the values that a code, 0 to SLOT_MAX, stands for,
 * divided by 2^32.
 */
extern double slot_decode(uint16_t code);

/* Replace signature a by that of its union with b, which may be a itself. */
extern void slots_union(uint16_t *a, const uint16_t *b, int num_hashes);

/*
 * Count the slots that are not empty in at least one signature (compared), and
 * those of them that are equal.  The estimated similarity is equal / compared.
 */
extern void slots_compare(const uint16_t *a, const uint16_t *b, int num_hashes,
						  int *equal, int *compared);

/*
 * Return true if at most limit slots differ; two empty slots are equal.  Stops
 * reading once more than limit differ.
 */
extern bool slots_differ_at_most(const uint16_t *a, const uint16_t *b,
								 int num_hashes, int limit);

/*
 * Return the smallest number of equal slots, of those compared, with which the
 * estimate reaches a threshold.
 */
extern int	slots_least_equal(int compared, double threshold);

/*
 * Estimate the number of elements of a set; 0 for the empty set.  The method is
 * one-permutation or k-permutation.
 */
extern double slots_cardinality(const uint16_t *slots, int num_hashes,
								SketchMethod method);

/*
 * Estimate the fraction of the elements of A that are in B, 0 to 1; return
 * false if A is empty.  The method is not weighted.
 */
extern bool slots_containment(const uint16_t *a, const uint16_t *b,
							  int num_hashes, SketchMethod method,
							  double *containment);

/* Return true if a method can make these slots, which need not be trusted. */
extern bool slots_are_valid(const uint16_t *slots, int num_hashes,
							SketchMethod method);

/* Return true if a signature is that of the empty set: all slots are empty. */
extern bool slots_are_empty(const uint16_t *slots, int num_hashes);

/* Return the name of a method, as in SQL. */
extern const char *sketch_method_name(SketchMethod method);

/* Find the method with a name of len bytes; return false if there is none. */
extern bool sketch_method_parse(const char *name, size_t len, SketchMethod *method);

#endif							/* SLOTS_H */
