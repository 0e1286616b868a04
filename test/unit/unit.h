/*-------------------------------------------------------------------------
 *
 * unit.h
 *	  TAP output, random numbers and random pairs for the unit tests.
 *
 * All random numbers come from a fixed seed, so that a test has the same
 * figures in every run and on every machine.
 *
 *-------------------------------------------------------------------------
 */
#ifndef UNIT_H
#define UNIT_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "host_stub.h"
#include "core/text/shingle.h"
#include "core/sketch/sketch.h"

#define MAX_UNION 5000
#define lengthof(array) ((int) (sizeof(array) / sizeof((array)[0])))

static int	tap_count = 0;
static int	tap_failed = 0;

/* Report a check, with its figures. */
__attribute__((format(printf, 2, 3))) static bool
ok(bool passed, const char *format,...)
{
	va_list		args;

	tap_failed += !passed;
	printf("%sok %d - ", passed ? "" : "not ", ++tap_count);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	return passed;
}

/* Print figures that are not checked. */
__attribute__((format(printf, 1, 2), unused)) static void
note(const char *format,...)
{
	va_list		args;

	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

/* Print the plan; return the exit status. */
static int
done_testing(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed > 0;
}

/* Return a number of cases, divided by the variable UNIT_FEWER if it is set. */
__attribute__((unused)) static int
cases_of(int number)
{
	const char *fewer = getenv("UNIT_FEWER");

	number /= fewer ? atoi(fewer) : 1;
	return number > 0 ? number : 1;
}

/* Compare two 64-bit numbers for qsort. */
__attribute__((unused)) static int
compare_hashes(const void *a, const void *b)
{
	uint64_t	x = *(const uint64_t *) a;
	uint64_t	y = *(const uint64_t *) b;

	return (x > y) - (x < y);
}

static uint64_t random_state = UINT64_C(88172645463325252);

/* Return the next number of xorshift64* (Vigna 2016). */
static uint64_t
random64(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * UINT64_C(2685821657736338717);
}

/* Return a random number from 0 to limit - 1. */
static int
random_below(int limit)
{
	return (int) (((random64() >> 32) * (uint64_t) limit) >> 32);
}

/* Sketch the set of some hashes. */
__attribute__((unused)) static void
sketch_hashes(SketchMethod method, int num_hashes, int32_t seed,
			  const uint64_t *hashes, int count, uint16_t *slots)
{
	static Sketch sketch;

	sketch_begin(&sketch, method, num_hashes, seed);
	sketch_add(&sketch, hashes, (size_t) count);
	sketch_end(&sketch, slots);
}

/* The signatures of two random sets. */
typedef struct Pair
{
	uint16_t	a[SKETCH_MAX_HASHES];
	uint16_t	b[SKETCH_MAX_HASHES];
} Pair;

/*
 * Draw two sets of union_size elements together, common of them in both,
 * and sketch them with a random seed.  The rest is split at random.
 */
__attribute__((unused)) static void
random_pair(SketchMethod method, int num_hashes, int union_size, int common,
			Pair *pair)
{
	uint64_t	hashes[MAX_UNION];
	int32_t		seed = (int32_t) random64();
	int			only_a = random_below(union_size - common + 1);

	for (int i = 0; i < union_size; i++)
		hashes[i] = shingle_hash_integer((int64_t) random64(), (uint32_t) seed);
	sketch_hashes(method, num_hashes, seed, hashes, only_a + common, pair->a);
	sketch_hashes(method, num_hashes, seed, hashes + only_a, union_size - only_a,
				  pair->b);
}

#endif							/* UNIT_H */
