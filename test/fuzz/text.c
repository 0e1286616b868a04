/*-------------------------------------------------------------------------
 *
 * text.c
 *	  Fuzz the normalizer and the shingle reader with any bytes.
 *
 * Bytes are rejected if, and only if, they are not UTF-8.  The size of the
 * pieces does not change the result; a normal form is its own normal form; and
 * up to the length of a segment it is that of utf8proc.
 *
 *-------------------------------------------------------------------------
 */
#define MAX_TEXT 65536			/* a few thousand bytes, and what they become */

#include "fuzz.h"
#include "naive.h"

static uint8_t expected[MAX_TEXT];
static uint8_t normalized[MAX_TEXT];
static uint64_t expected_hashes[MAX_HASHES];
static uint64_t hashes[MAX_HASHES];

/* Count the code points of a text. */
static size_t
count_code_points(Text text)
{
	size_t		count = 0;

	for (size_t i = 0; i < text.len; i++)
		count += (text.bytes[i] & 0xC0) != 0x80;
	return count;
}

/* Check the normal form of a text, which is in expected. */
static void
check_normal_form(Text text, ptrdiff_t len, size_t room)
{
	Text		once;

	check(normalize(text, false, room, normalized) == len);
	check(memcmp(normalized, expected, (size_t) len) == 0);
	check(is_utf8(expected, (size_t) len));
	if (count_code_points(text) > SEGMENT_LIMIT)
		return;
	check(normalize_simply(text, normalized) == (size_t) len);
	check(memcmp(normalized, expected, (size_t) len) == 0);
	once = make_text(expected, (size_t) len);
	if (count_code_points(once) <= SEGMENT_LIMIT)
	{
		check(normalize(once, false, room, normalized) == len);
		check(memcmp(normalized, expected, (size_t) len) == 0);
	}
	free(once.bytes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {data, size};
	uint64_t	kind = take(&input, 1);
	uint32_t	shingling = SHINGLING(kind & 1 ? SHINGLE_WORD : SHINGLE_CHAR,
									  1 + take(&input, 1) % SHINGLE_MAX_SIZE,
									  kind & 2 ? SHINGLE_RAW : 0);
	int			batch = take_between(&input, 1, 1024);
	size_t		room = NORMALIZE_MIN_ROOM + take(&input, 1);
	Text		text = make_text(input.next, input.left < MAX_TEXT / 16 ?
								 input.left : MAX_TEXT / 16);
	int			count = read_hashes(text, shingling, batch, hashes);
	ptrdiff_t	len;

	check((count >= 0) == is_utf8(text.bytes, text.len));
	if (count >= 0)
	{
		len = normalize(text, shingling_is_raw(shingling), MAX_TEXT, expected);
		check(hash_simply(expected, (size_t) len, shingling, expected_hashes) == count);
		check(memcmp(hashes, expected_hashes, 8 * (size_t) count) == 0);
		len = normalize(text, false, MAX_TEXT, expected);
		check_normal_form(text, len, room);
	}
	free(text.bytes);
	return 0;
}
