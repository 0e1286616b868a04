/*-------------------------------------------------------------------------
 *
 * reader.c
 *	  The normalizer and the shingle reader, compared with simple ones.
 *
 * Every code point is normalized, alone and with marks, and compared with
 * utf8proc.  Random texts made of difficult pieces are read in parts of several
 * sizes; the result must be that of a reader of the whole text.  Bytes that are
 * not UTF-8 must be rejected at any place.
 *
 *-------------------------------------------------------------------------
 */
#include "texts.h"

#define TEXTS 400				/* random texts */
#define STEPS 50				/* between code points, where it is slow */

static const char *const shinglings[] = {
	"char:1", "char:5", "char:255", "char:4 raw",
	"word:1", "word:3", "word:255", "word:2 raw"
};

/* Bytes that are not UTF-8, with anything before and after them. */
static const char *const bad_bytes[] = {
	"\x80", "\xBF", "\xFE", "\xFF",	/* never a first byte */
	"\xC3", "\xE2\x82", "\xE2", "\xF0\x9F\x91", "\xF0\x9F", "\xF0",	/* cut off */
	"\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF",	/* overlong */
	"\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF", "\xF8\x88\x80\x80\x80",
	"\xED\xA0\x80", "\xED\xBF\xBF",	/* surrogates */
	"\xF4\x90\x80\x80", "\xF5\x80\x80\x80"	/* above U+10FFFF */
};

/* Return true if a text is normalized in pieces as it is as a whole. */
static bool
normalizes_alike(Text text)
{
	static uint8_t whole[MAX_TEXT];
	static uint8_t pieces_of[MAX_TEXT];
	static const size_t rooms[] = {NORMALIZE_MIN_ROOM, NORMALIZE_MIN_ROOM + 1,
	CUTTER_BUFFER, MAX_TEXT};
	size_t		len = normalize_simply(text, whole);

	for (int i = 0; i < lengthof(rooms); i++)
		if (normalize(text, false, rooms[i], pieces_of) != (ptrdiff_t) len ||
			memcmp(whole, pieces_of, len) != 0)
			return false;
	return normalize(text, true, rooms[0], pieces_of) == (ptrdiff_t) text.len &&
		memcmp(text.bytes, pieces_of, text.len) == 0;
}

/* Return true if a text has the same shingles in batches as it has as a whole. */
static bool
reads_alike(Text text, uint32_t shingling)
{
	static uint8_t whole[MAX_TEXT];
	static uint64_t expected[MAX_HASHES];
	static uint64_t hashes[MAX_HASHES];
	static const int batches[] = {1, 2, 7, 1024, MAX_HASHES};
	ptrdiff_t	len = normalize(text, shingling_is_raw(shingling), MAX_TEXT,
								whole);
	int			count = hash_simply(whole, (size_t) len, shingling, expected);

	for (int i = 0; i < lengthof(batches); i++)
		if (read_hashes(text, shingling, batches[i], hashes) != count ||
			memcmp(hashes, expected, 8 * (size_t) count) != 0)
			return false;
	return true;
}

/* Check random texts. */
static void
check_texts(void)
{
	int			normalized = 0;
	int			read[lengthof(shinglings)] = {0};
	int			texts = cases_of(TEXTS);
	size_t		bytes = 0;

	for (int i = 0; i < texts; i++)
	{
		Text		text = random_text();

		bytes += text.len;
		normalized += normalizes_alike(text);
		for (int j = 0; j < lengthof(shinglings); j++)
			read[j] += reads_alike(text, parse(shinglings[j]));
		free(text.bytes);
	}
	ok(normalized == texts, "normalized in pieces as a whole "
	   "(%d of %d texts, %zu bytes)", normalized, texts, bytes);
	for (int j = 0; j < lengthof(shinglings); j++)
		ok(read[j] == texts, "%s: shingles in batches as of a whole "
		   "(%d of %d texts)", shinglings[j], read[j], texts);
}

/* Check a long run of marks: pieces of any size must agree. */
static void
check_marks(void)
{
	static char buffer[100000];
	static uint8_t small[MAX_TEXT];
	static uint8_t large[MAX_TEXT];
	Text		text;
	ptrdiff_t	len;

	/* Marks of three combining classes, in an order to be changed. */
	for (int i = 0; i < lengthof(buffer); i += 2)
		memcpy(buffer + i, &"\xCC\x81\xCC\xA7\xCD\x9D"[i % 6], 2);
	text = make_text(buffer, sizeof(buffer));
	len = normalize(text, false, NORMALIZE_MIN_ROOM, small);
	ok(len == (ptrdiff_t) text.len &&
	   normalize(text, false, MAX_TEXT, large) == len &&
	   memcmp(small, large, (size_t) len) == 0,
	   "50,000 marks on nothing are normalized alike in pieces of any size");
	free(text.bytes);
}

/* Return true if the reader accepts a text, or rejects it, in every way. */
static bool
verdict_is(Text text, bool good)
{
	static uint64_t hashes[MAX_HASHES];

	for (int i = 0; i < lengthof(shinglings); i++)
		if ((read_hashes(text, parse(shinglings[i]), 1024, hashes) >= 0) != good)
			return false;
	return true;
}

/* Return true if a text with bad bytes at a place is rejected. */
static bool
is_rejected(const char *bad, size_t place, const char *filler, size_t len)
{
	static char buffer[20000];
	size_t		bad_len = strlen(bad);
	Text		text;
	bool		rejected;

	for (size_t i = 0; i < len; i++)
		buffer[i] = filler[i % strlen(filler)];
	memmove(buffer + place + bad_len, buffer + place, len - place);
	memcpy(buffer + place, bad, bad_len);
	text = make_text(buffer, len + bad_len);
	rejected = verdict_is(text, false);
	free(text.bytes);
	return rejected;
}

/* Check that bad bytes are rejected at several places of several texts. */
static void
check_bad_bytes(void)
{
	static const char *const fillers[] = {"word word, ", "\xC3\xA9", "\xE6\x97\xA5", " "};
	static const size_t places[] = {0, 6, 12, 126, 252, 8190, 8196, 16380, 16386,
	18000};
	int			step = lengthof(places) / cases_of(lengthof(places));

	for (int i = 0; i < lengthof(bad_bytes); i++)
	{
		int			cases = 0;
		int			rejected = 0;
		char		hex[16] = "";

		for (size_t j = 0; bad_bytes[i][j] != '\0'; j++)
			sprintf(hex + 3 * j, "%02X ", (uint8_t) bad_bytes[i][j]);
		for (int filler = 0; filler < cases_of(lengthof(fillers)); filler++)
			for (int place = 0; place < lengthof(places); place += step)
			{
				cases += 2;
				rejected += is_rejected(bad_bytes[i], places[place],
									  fillers[filler], places[place]);
				rejected += is_rejected(bad_bytes[i], places[place],
									  fillers[filler], 18000);
			}
		ok(rejected == cases, "rejected: %s(%d of %d cases)", hex, rejected, cases);
	}
}

/* Check short random strings of bytes that are nearly UTF-8. */
static void
check_random_bytes(void)
{
	static const uint8_t choice[] = {
		'a', ' ', 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2,
		0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5,
	0xFF};
	int			right = 0;
	int			good = 0;
	int			total = cases_of(100000);

	for (int i = 0; i < total; i++)
	{
		char		buffer[8];
		size_t		len = (size_t) random_below(lengthof(buffer)) + 1;
		Text		text;
		bool		expected;

		for (size_t j = 0; j < len; j++)
			buffer[j] = (char) choice[random_below(lengthof(choice))];
		text = make_text(buffer, len);
		expected = is_utf8((uint8_t *) buffer, len);
		good += expected;
		right += verdict_is(text, expected);
		free(text.bytes);
	}
	ok(right == total, "random bytes: right %d times of %d (%d are UTF-8)",
	   right, total, good);
}

/* Append a code point to a text in UTF-8; return its new length. */
static size_t
put_char(uint8_t *text, size_t len, int32_t c)
{
	return len + (size_t) utf8proc_encode_char(c, text + len);
}

/* Return true if a few code points are normalized as utf8proc does. */
static bool
folds_alike(const int32_t *chars, int count)
{
	uint8_t		bytes[64];
	uint8_t		expected[1024];
	uint8_t		out[1024];
	size_t		len = 0;
	Text		text;
	size_t		expected_len;
	bool		same;

	for (int i = 0; i < count; i++)
		len = put_char(bytes, len, chars[i]);
	text = make_text(bytes, len);
	expected_len = normalize_simply(text, expected);
	same = normalize(text, false, NORMALIZE_MIN_ROOM, out) == (ptrdiff_t) expected_len &&
		memcmp(out, expected, expected_len) == 0;
	free(text.bytes);
	return same;
}

/* Check every code point alone, and before marks that have FORM_MARK. */
static void
check_forms(void)
{
	static int32_t marks[0x10000];
	int			num_marks = 0;
	int			alone = 0;
	int			marked = 0;
	int			total = 0;
	int			step = STEPS / cases_of(STEPS);

	for (int32_t c = 1; c < 0x10000; c++)
		if (simple_form((uint16_t) c) == FORM_MARK)
			marks[num_marks++] = c;
	for (int32_t c = 1; c < 0x110000; c += step)
	{
		int32_t		chars[] = {c, 0, 0, 'x'};

		if (!utf8proc_codepoint_valid(c))
			continue;
		total++;
		alone += folds_alike(chars, 1);
		for (int i = 1; i < 3; i++)
			chars[i] = marks[random_below(num_marks)];
		marked += folds_alike(chars, lengthof(chars));
	}
	ok(alone == total, "every code point is normalized as by utf8proc "
	   "(%d of %d)", alone, total);
	ok(marked == total && num_marks > 500, "and before two of %d marks "
	   "(%d of %d)", num_marks, marked, total);
}

/* Check that no mark with FORM_MARK is part of a composition. */
static void
check_marks_alone(void)
{
	int			compositions = 0;
	int			wrong = 0;

	for (int32_t c = 0xC0; c < 0x110000; c++)
	{
		int32_t		parts[64];
		int32_t		composed[64];
		int			boundclass = 0;
		ptrdiff_t	len;

		if (!utf8proc_codepoint_valid(c))
			continue;
		len = utf8proc_decompose_char(c, parts, lengthof(parts),
									  UTF8PROC_STABLE | UTF8PROC_DECOMPOSE,
									  &boundclass);
		memcpy(composed, parts, sizeof(int32_t) * (size_t) len);
		if (len < 2 || utf8proc_normalize_utf32(composed, len, UTF8PROC_STABLE |
												UTF8PROC_COMPOSE) != 1)
			continue;
		compositions++;
		for (int i = 1; i < len; i++)
			wrong += parts[i] < 0x10000 &&
				simple_form((uint16_t) parts[i]) == FORM_MARK;
	}
	ok(wrong == 0 && compositions > 10000, "the marks that are only moved are "
	   "in none of %d compositions", compositions);
}

/* Check the hashes of windows of any size, against one at a time. */
static void
check_windows(void)
{
	static uint64_t hashes[300];
	int			right = 0;
	int			total = 0;

	for (size_t size = 1; size <= 20; size++)
		for (size_t count = 0; count < lengthof(hashes); count++, total++)
		{
			uint64_t	seed = count % 2 ? random64() >> 32 : 0;
			size_t		len = count + size - 1 + WINDOWS_TAIL;
			uint8_t    *text = malloc(len);
			size_t		i = 0;

			for (size_t j = 0; j < len; j++)
				text[j] = (uint8_t) random64();
			hash_windows(text, size, seed, hashes, count);
			while (i < count && hashes[i] == shingle_hash(text + i, size, seed))
				i++;
			right += i == count;
			free(text);
		}
	ok(right == total, "windows hashed together as one by one (%d of %d texts)",
	   right, total);
}

int
main(void)
{
	check_forms();
	check_marks_alone();
	check_windows();
	check_texts();
	check_marks();
	check_bad_bytes();
	check_random_bytes();
	return done_testing();
}
