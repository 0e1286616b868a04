/*-------------------------------------------------------------------------
 *
 * signing.c
 *	  Speed of making signatures of texts outside of a server, for
 *	  test/bench/signing.
 *
 * Usage: signing FILE SHINGLING METHOD
 *
 * FILE has a text on each line.  METHOD is 0 for one-permutation, 1 for
 * k-permutation.  Prints MB/s of CPU time, and a digest of all signatures.
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "interrupt_stub.h"
#include "shingle.h"
#include "sketch.h"

#define HASHES 128
#define AT_ONCE 512
#define LEAST_SECONDS 0.4		/* of a measurement */

/* Give up. */
static void
die(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

/* Read a whole file. */
static char *
read_file(const char *path, size_t *len)
{
	FILE	   *file = fopen(path, "rb");
	char	   *text;

	if (file == NULL || fseek(file, 0, SEEK_END) != 0)
		die("cannot open the file");
	*len = (size_t) ftell(file);
	text = malloc(*len + 1);
	rewind(file);
	if (text == NULL || fread(text, 1, *len, file) != *len)
		die("cannot read the file");
	fclose(file);
	return text;
}

/* Sign a text; return a digest of its signature. */
static uint64_t
sign(const char *text, size_t len, uint32_t shingling, SketchMethod method)
{
	ShingleReader reader;
	Sketch		sketch;
	uint64_t	hashes[AT_ONCE];
	uint16_t	slots[HASHES];

	sketch_begin(&sketch, method, HASHES, 0);
	shingle_begin(&reader, shingling, 0, text, len);
	while (!reader.done)
	{
		int			count = shingle_next(&reader, hashes, AT_ONCE);

		if (count < 0)
			die("a text is not UTF-8");
		sketch_add(&sketch, hashes, (size_t) count);
	}
	sketch_end(&sketch, slots);
	return shingle_hash(slots, sizeof(slots), 0);
}

/* Sign every line; return a digest of all. */
static uint64_t
sign_lines(const char *text, size_t len, uint32_t shingling,
		   SketchMethod method)
{
	const char *end = text + len;
	uint64_t	digest = 0;

	while (text < end)
	{
		const char *newline = memchr(text, '\n', (size_t) (end - text));
		const char *line_end = newline ? newline : end;

		digest ^= sign(text, (size_t) (line_end - text), shingling, method);
		text = line_end + 1;
	}
	return digest;
}

/* Return the CPU time of this process in seconds. */
static double
cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

int
main(int argc, char **argv)
{
	size_t		len;
	char	   *text;
	uint32_t	shingling;
	SketchMethod method;
	uint64_t	digest;
	double		begin;
	int			rounds = 0;

	if (argc != 4 ||
		shingling_parse(argv[2], strlen(argv[2]), &shingling) != SHINGLING_OK)
		die("usage: signing FILE SHINGLING METHOD");
	text = read_file(argv[1], &len);
	method = atoi(argv[3]) == 0 ? SKETCH_ONE_PERMUTATION : SKETCH_K_PERMUTATION;
	begin = cpu_seconds();
	do
	{
		digest = sign_lines(text, len, shingling, method);
		rounds++;
	} while (cpu_seconds() < begin + LEAST_SECONDS);
	printf("%.1f\t%016llx\n", (double) len * rounds / 1e6 / (cpu_seconds() - begin),
		   (unsigned long long) digest);
	return 0;
}
