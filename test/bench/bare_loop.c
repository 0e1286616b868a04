/*-------------------------------------------------------------------------
 *
 * bare_loop.c
 *	  The minimum work of MinHash on five-byte shingles: hash every window of
 *	  five bytes with XXH3, and update the minima of one permutation.
 *
 * Usage: bare_loop FILE [no-branch]
 *
 * FILE is a normalized text, each line a document.  Prints the median speed of
 * five runs in MB/s of CPU time.  With no-branch the minimum is updated without
 * a branch, because no processor can predict that branch.
 *
 *-------------------------------------------------------------------------
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define HASHES 128
#define WINDOW 5
#define RUNS 5

/* Read a whole file. */
static char *
read_file(const char *path, size_t *len)
{
	FILE	   *file = fopen(path, "rb");
	char	   *text;

	if (file == NULL || fseek(file, 0, SEEK_END) != 0)
	{
		perror(path);
		exit(1);
	}
	*len = (size_t) ftell(file);
	text = malloc(*len + 1);
	rewind(file);
	if (fread(text, 1, *len, file) != *len)
		exit(1);
	fclose(file);
	return text;
}

/* Sketch a document; return a digest, so that no work is optimized away. */
static inline uint32_t
sketch(const char *text, size_t len, bool branch)
{
	uint32_t	minima[HASHES];
	uint32_t	digest = 0;

	memset(minima, 0xFF, sizeof(minima));
	for (size_t i = 0; i + WINDOW <= len; i++)
	{
		uint64_t	hash = XXH3_64bits_withSeed(text + i, WINDOW, 0);
		uint32_t	slot = (uint32_t) ((hash >> 32) * HASHES >> 32);
		uint32_t	value = (uint32_t) hash;

		uint32_t	minimum = minima[slot];

		if (!branch)
			minima[slot] = value < minimum ? value : minimum;
		else if (value < minimum)
			minima[slot] = value;
	}
	for (int i = 0; i < HASHES; i++)
		digest ^= minima[i] + (uint32_t) i;
	return digest;
}

/* Sketch every line of a text; return a digest of all. */
static uint32_t
sketch_lines(const char *text, size_t len, bool branch)
{
	const char *end = text + len;
	uint32_t	digest = 0;

	while (text < end)
	{
		const char *newline = memchr(text, '\n', (size_t) (end - text));
		const char *line_end = newline ? newline : end;

		digest ^= branch ? sketch(text, (size_t) (line_end - text), true) :
			sketch(text, (size_t) (line_end - text), false);
		text = line_end + 1;
	}
	return digest;
}

/* Compare numbers for qsort. */
static int
compare(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return x < y ? -1 : x > y;
}

int
main(int argc, char **argv)
{
	size_t		len;
	char	   *text = argc >= 2 ? read_file(argv[1], &len) : NULL;
	double		speeds[RUNS];
	volatile uint32_t digest;

	if (text == NULL)
	{
		fprintf(stderr, "usage: %s FILE [no-branch]\n", argv[0]);
		return 1;
	}
	for (int run = 0; run < RUNS; run++)
	{
		struct timespec begin;
		struct timespec end;

		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
		digest = sketch_lines(text, len, argc == 2);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
		speeds[run] = (double) len / 1e6 / ((double) (end.tv_sec - begin.tv_sec) +
											(double) (end.tv_nsec - begin.tv_nsec) / 1e9);
	}
	(void) digest;
	qsort(speeds, RUNS, sizeof(double), compare);
	printf("%.1f\n", speeds[RUNS / 2]);
	return 0;
}
