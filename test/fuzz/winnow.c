/*-------------------------------------------------------------------------
 *
 * winnow.c
 *	  Fuzz winnowing with two texts of any bytes.
 *
 * A text that is UTF-8 has keys unless it is empty, and two texts with a common
 * shingle of a run have a common key, whichever k-grams are listed as common.
 *
 *-------------------------------------------------------------------------
 */
#define MAX_TEXT 65536

#include "fuzz.h"
#include "winnow.h"
#include "naive.h"

#define MAX_BYTES 2000			/* of a text */

/* Order two k-grams for qsort. */
static int
compare_grams(const void *a, const void *b)
{
	uint64_t	x = *(const uint64_t *) a;
	uint64_t	y = *(const uint64_t *) b;

	return x < y ? -1 : x > y;
}

static uint64_t hashes_a[MAX_HASHES];
static uint64_t hashes_b[MAX_HASHES];
static int32_t keys_a[MAX_HASHES];
static int32_t keys_b[MAX_HASHES];

static CommonGrams common;		/* k-grams that rank last; some of text a */
static uint64_t listed[COMMON_GRAMS_MAX];

/* List about half of the k-grams of a text with some hashes, or none. */
static void
list_grams(Text text, uint32_t run, uint64_t kind)
{
	ShingleReader reader;
	int			read = 0;
	int			total = 0;
	size_t		count = 0;

	shingle_begin(&reader, winnow_grams(run), 0, (char *) text.bytes, text.len);
	while ((kind & 4) && read >= 0 && !reader.done)
	{
		read = shingle_next(&reader, hashes_a + total, 1024);
		total = read < 0 ? 0 : total + read;
	}
	for (int i = 0; i < total; i++)
		if (hashes_a[i] & 64)
			listed[count++] = winnow_gram(hashes_a[i]);
	qsort(listed, count, sizeof(uint64_t), compare_grams);
	common_grams_init(&common, listed, count);
}

/* Read the keys of a text; return their number, or -1. */
static int
read_keys(Text text, uint32_t run, int32_t *keys)
{
	static Winnower winnower;
	int			total = 0;

	winnow_begin(&winnower, run, &common, (char *) text.bytes, text.len);
	while (!winnower.reader.done)
	{
		int			count = winnow_next(&winnower, keys + total);

		if (count < 0)
			return -1;
		check(count <= WINNOW_BATCH);
		for (int i = 1; i < count; i++)
			check(keys[total + i] != keys[total + i - 1]);
		total += count;
	}
	return total;
}

/* Return true if two lists of hashes have one in common. */
static bool
have_common_hash(int count_a, int count_b)
{
	for (int i = 0; i < count_a; i++)
		for (int j = 0; j < count_b; j++)
			if (hashes_a[i] == hashes_b[j])
				return true;
	return false;
}

/* Return true if two lists of keys have one in common. */
static bool
have_common_key(int count_a, int count_b)
{
	for (int i = 0; i < count_a; i++)
		for (int j = 0; j < count_b; j++)
			if (keys_a[i] == keys_b[j])
				return true;
	return false;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {data, size};
	uint64_t	kind = take(&input, 1);
	uint32_t	run = SHINGLING(kind & 1 ? SHINGLE_WORD : SHINGLE_CHAR,
								1 + take(&input, 1) % SHINGLE_MAX_SIZE,
								kind & 2 ? SHINGLE_RAW : 0);
	size_t		first = (size_t) take_between(&input, 0, MAX_BYTES);
	size_t		overlap = (size_t) take_between(&input, 0, MAX_BYTES);
	size_t		len = input.left < MAX_BYTES ? input.left : MAX_BYTES;
	Text		a;
	Text		b;
	int			counts[4];

	/* The second text begins in the first, so that they often share a run. */
	first = first < len ? first : len;
	overlap = overlap < first ? overlap : first;
	a = make_text(input.next, first);
	b = make_text(input.next + first - overlap, len - first + overlap);
	list_grams(a, run, kind);
	counts[0] = read_hashes(a, run, 1024, hashes_a);
	counts[1] = read_hashes(b, run, 1024, hashes_b);
	counts[2] = read_keys(a, run, keys_a);
	counts[3] = read_keys(b, run, keys_b);
	check((counts[0] > 0) == (counts[2] > 0) && (counts[0] < 0) == (counts[2] < 0));
	check((counts[1] > 0) == (counts[3] > 0) && (counts[1] < 0) == (counts[3] < 0));
	check(!have_common_hash(counts[0], counts[1]) ||
		  have_common_key(counts[2], counts[3]));
	free(a.bytes);
	free(b.bytes);
	return 0;
}
