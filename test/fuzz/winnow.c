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

static uint64_t hashes[MAX_HASHES];
static int32_t keys[MAX_HASHES];

/* Check that a text has keys if it has shingles; return false if it is not UTF-8. */
static bool
check_text(Text text, uint32_t run)
{
	int			count = read_hashes(text, run, 1024, hashes);
	int			key_count = read_keys(text, run, keys);

	check((count > 0) == (key_count > 0) && (count < 0) == (key_count < 0));
	return count >= 0;
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
	bool		good;

	/* The second text begins in the first, so that they often share a run. */
	first = first < len ? first : len;
	overlap = overlap < first ? overlap : first;
	a = make_text(input.next, first);
	b = make_text(input.next + first - overlap, len - first + overlap);
	list_grams(a, run, kind & 4 ? 2 : 0);
	good = check_text(a, run) && check_text(b, run);
	check(!good || !share_run(a, b, run) || share_key(a, b, run));
	free(a.bytes);
	free(b.bytes);
	return 0;
}
