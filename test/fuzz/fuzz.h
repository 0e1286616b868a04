/*-------------------------------------------------------------------------
 *
 * fuzz.h
 *	  Functions that the fuzz targets share.
 *
 * A target is one file with a function that libFuzzer calls with bytes.  It
 * reads its arguments from them and checks conditions that hold for all
 * arguments.  test/README.md describes how to run one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_stub.h"

/* Abort unless a condition holds, so that libFuzzer keeps the bytes. */
#define check(condition) \
	do { \
		if (!(condition)) \
		{ \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

/* Bytes that have not been used yet. */
typedef struct Input
{
	const uint8_t *next;
	size_t		left;
} Input;

extern int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Take a number of some bytes; zeros follow the end of the input. */
static inline uint64_t
take(Input *input, int bytes)
{
	uint64_t	number = 0;

	for (; bytes > 0; bytes--)
	{
		number <<= 8;
		if (input->left > 0)
		{
			number |= *input->next++;
			input->left--;
		}
	}
	return number;
}

/* Take a number from low to high. */
static inline int
take_between(Input *input, int low, int high)
{
	return low + (int) (take(input, 2) % (uint64_t) (high - low + 1));
}

/* Take any double, also infinity, NaN or a denormal number. */
static inline double
take_double(Input *input)
{
	uint64_t	bits = take(input, 8);
	double		number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

/* Take a number between 0 and 1, of few digits or of many. */
static inline double
take_share(Input *input)
{
	uint64_t	bits = take(input, 2);

	if (bits % 2 == 0)
		return (double) (bits / 2 % 101) / 100;
	return (double) take(input, 4) / 4294967295.0;
}

#endif							/* FUZZ_H */
