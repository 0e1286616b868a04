/*-------------------------------------------------------------------------
 *
 * sketch.h
 *	  From element hashes to the slots of a signature.  Pure: no PostgreSQL.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SKETCH_H
#define SKETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SKETCH_MIN_HASHES 16	/* fewer have a standard error above 0.1 */
#define SKETCH_MAX_HASHES 4096	/* 8 kB: a signature still fits into a page */
#define SKETCH_DEFAULT_HASHES 128

#define SLOT_MAX 45055			/* code of the largest 32-bit value */
#define SLOT_MAX_WEIGHTED 0xFFFE	/* largest code of a weighted set */
#define SLOT_MAX_IMPORTED 56319 /* code of the largest 64-bit value */
#define SLOT_EMPTY 0xFFFF		/* no element fell into the slot */

typedef enum SketchMethod
{
	SKETCH_ONE_PERMUTATION = 1,
	SKETCH_K_PERMUTATION = 2,
	SKETCH_WEIGHTED = 3,		/* see darts.c */
	SKETCH_IMPORTED = 4			/* made elsewhere */
} SketchMethod;

#define SKETCH_LAST_METHOD SKETCH_IMPORTED

/*
 * The minima of a set that is still being read.
 *
 * Of the numbers only the first k are in use, with k-permutation 3 * k, so
 * that a sketch can be allocated with sketch_size() bytes.
 */
typedef struct Sketch
{
	SketchMethod method;		/* one-permutation or k-permutation */
	int			num_hashes;
	int32_t		seed;
	bool		empty;			/* no element yet */
	uint32_t	numbers[3 * SKETCH_MAX_HASHES]; /* minima, factors, addends */
} Sketch;

/* Find the highest set bit of a number that is not zero. */
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

/* Find the lowest set bit of a number that is not zero. */
static inline int
lowest_bit(uint64_t value)
{
#if defined(__GNUC__)
	return __builtin_ctzll(value);
#else
	return highest_bit(value & (~value + 1));
#endif
}

/* Return the number whose bytes here are those of another, little-endian. */
static inline uint64_t
little_endian(uint64_t number)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return __builtin_bswap64(number);
#else
	return number;
#endif
}

extern uint64_t mix64(uint64_t x);
extern uint64_t splitmix64(uint64_t *state);
extern uint16_t slot_encode(uint32_t value);
extern uint16_t slot_encode_imported(uint64_t value);
extern double slot_decode(uint16_t code);
extern size_t sketch_size(SketchMethod method, int num_hashes);
extern void sketch_begin(Sketch *sketch, SketchMethod method, int num_hashes,
						 int32_t seed);
extern void sketch_add(Sketch *sketch, const uint64_t *hashes, size_t count);
extern void sketch_merge(Sketch *sketch, const Sketch *other);
extern void sketch_end(const Sketch *sketch, uint16_t *slots);
extern void slots_unite(uint16_t *a, const uint16_t *b, int num_hashes);
extern void slots_compare(const uint16_t *a, const uint16_t *b, int num_hashes,
						  int *equal, int *compared);
extern bool slots_differ_at_most(const uint16_t *a, const uint16_t *b,
								 int num_hashes, int limit);
extern bool slots_are_valid(const uint16_t *slots, int num_hashes,
							SketchMethod method);

#endif							/* SKETCH_H */
