/*-------------------------------------------------------------------------
 *
 * winnow_keys.h
 *	  Read the keys of whole texts, with a list of common k-grams.
 *
 *-------------------------------------------------------------------------
 */
#ifndef WINNOW_KEYS_H
#define WINNOW_KEYS_H

#include <stdlib.h>

#include "naive.h"
#include "core/passages/winnow.h"

/* The list of common k-grams that all texts are read with; empty at first. */
static CommonGrams common;
static uint64_t listed[COMMON_GRAMS_MAX];
static size_t listed_count;

/*
 * List some k-grams of a text for a run as common: all but one in of, or none
 * if of is 0 or the text is not UTF-8.
 */
static void
list_grams(Text text, uint32_t run, int of)
{
	static uint64_t hashes[MAX_HASHES];
	static ShingleReader reader;
	volatile int total = 0;

	shingle_begin(&reader, winnow_grams(run), 0, (char *) text.bytes, text.len);
	if (setjmp(invalid_text) != 0)
		total = 0;
	else
		while (of > 0 && !reader.done)
			total += shingle_next(&reader, hashes + total, 1024);
	for (int i = 0; i < total; i++)
		hashes[i] = winnow_gram(hashes[i]);
	qsort(hashes, (size_t) total, sizeof(uint64_t), compare_hashes);
	listed_count = 0;
	for (int i = 0; i < total && listed_count < COMMON_GRAMS_MAX; i++)
		if ((i == 0 || hashes[i] != hashes[i - 1]) && hashes[i] / 7 % (uint64_t) of != 0)
			listed[listed_count++] = hashes[i];
	common_grams_init(&common, listed, listed_count,
					  UINT64_C(0x5851F42D4C957F2D));
}

/*
 * Read the keys of a text; return their number, or -1 if it is not UTF-8.  A
 * batch that is too large, or repeats a key, ends the program.
 */
static int
read_keys(Text text, uint32_t run, int32_t *keys)
{
	static Winnower winnower;
	volatile int total = 0;

	if (setjmp(invalid_text) != 0)
		return -1;
	winnow_begin(&winnower, run, &common, (char *) text.bytes, text.len);
	while (!winnower.reader.done)
	{
		int			count = winnow_next(&winnower, keys + total);

		if (count > WINNOW_BATCH)
			abort();
		for (int i = 1; i < count; i++)
			if (keys[total + i] == keys[total + i - 1])
				abort();
		total += count;
	}
	return total;
}

/* Return true if two lists have a number in common; both get sorted. */
static bool
have_common(uint64_t *a, int count_a, uint64_t *b, int count_b)
{
	int			i = 0;
	int			j = 0;

	qsort(a, (size_t) count_a, sizeof(uint64_t), compare_hashes);
	qsort(b, (size_t) count_b, sizeof(uint64_t), compare_hashes);
	while (i < count_a && j < count_b)
	{
		if (a[i] == b[j])
			return true;
		if (a[i] < b[j])
			i++;
		else
			j++;
	}
	return false;
}

/* Return true if two texts have a shingle of a run in common. */
static bool
share_run(Text a, Text b, uint32_t run)
{
	static uint64_t hashes_a[MAX_HASHES];
	static uint64_t hashes_b[MAX_HASHES];
	int			count_a = read_hashes(a, run, 1024, hashes_a);
	int			count_b = read_hashes(b, run, 1024, hashes_b);

	return have_common(hashes_a, count_a, hashes_b, count_b);
}

/* Read the keys of a text as 64-bit numbers. */
static int
read_wide_keys(Text text, uint32_t run, uint64_t *wide)
{
	static int32_t keys[MAX_HASHES];
	int			count = read_keys(text, run, keys);

	for (int i = 0; i < count; i++)
		wide[i] = (uint32_t) keys[i];
	return count;
}

/* Return true if two texts have a key in common. */
static bool
share_key(Text a, Text b, uint32_t run)
{
	static uint64_t keys_a[MAX_HASHES];
	static uint64_t keys_b[MAX_HASHES];
	int			count_a = read_wide_keys(a, run, keys_a);
	int			count_b = read_wide_keys(b, run, keys_b);

	return have_common(keys_a, count_a, keys_b, count_b);
}

#endif							/* WINNOW_KEYS_H */
