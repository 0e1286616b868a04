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
#include "winnow_keys.h"

#define MAX_BYTES 2000			/* of a text */

static uint64_t hashes_a[MAX_HASHES];
static uint64_t hashes_b[MAX_HASHES];
static int32_t keys_a[MAX_HASHES];
static int32_t keys_b[MAX_HASHES];

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
	list_grams(a, run, kind & 4 ? 2 : 0);
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
