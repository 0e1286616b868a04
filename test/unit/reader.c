/*-------------------------------------------------------------------------
 *
 * reader.c
 *	  The normaliser and the shingle reader, against simple ones.
 *
 * Random texts are put together from pieces that are hard in one way or
 * another, and read in pieces of every size; the result must be that of a
 * reader that has the whole text at hand.  Bytes that are not UTF-8 must be
 * refused wherever they are.
 *
 *-------------------------------------------------------------------------
 */
#include "texts.h"


#define TEXTS 400				/* random texts */

static const char *const shinglings[] = {
	"char:1", "char:5", "char:255", "char:4 raw",
	"word:1", "word:3", "word:255", "word:2 raw"
};

/* Bytes that are not UTF-8, whatever stands before or behind them. */
static const char *const bad_bytes[] = {
	"\x80", "\xBF", "\xFE", "\xFF",	/* never a first byte */
	"\xC3", "\xE2\x82", "\xE2", "\xF0\x9F\x91", "\xF0\x9F", "\xF0",	/* cut off */
	"\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF",	/* overlong */
	"\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF", "\xF8\x88\x80\x80\x80",
	"\xED\xA0\x80", "\xED\xBF\xBF",	/* surrogates */
	"\xF4\x90\x80\x80", "\xF5\x80\x80\x80"	/* above U+10FFFF */
};

/* Tell whether a text is normalised the same in pieces and as a whole. */
static bool
normalizes_alike(Text text)
{
	static uint8_t whole[MAX_TEXT];
	static uint8_t pieces_of[MAX_TEXT];
	static const size_t rooms[] = {NORMALIZE_MIN_ROOM, NORMALIZE_MIN_ROOM + 1,
	SHINGLE_BUFFER_SIZE, MAX_TEXT};
	size_t		len = normalize_simply(text, whole);

	for (int i = 0; i < lengthof(rooms); i++)
		if (normalize(text, false, rooms[i], pieces_of) != (ptrdiff_t) len ||
			memcmp(whole, pieces_of, len) != 0)
			return false;
	return normalize(text, true, rooms[0], pieces_of) == (ptrdiff_t) text.len &&
		memcmp(text.bytes, pieces_of, text.len) == 0;
}

/* Tell whether a text has the same shingles in batches and as a whole. */
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
	ok(normalized == texts, "normalised in pieces as a whole "
	   "(%d of %d texts, %zu bytes)", normalized, texts, bytes);
	for (int j = 0; j < lengthof(shinglings); j++)
		ok(read[j] == texts, "%s: shingles in batches as of a whole "
		   "(%d of %d texts)", shinglings[j], read[j], texts);
}

/* Check endless marks: pieces of any size must still agree. */
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
	   "50,000 marks on nothing are normalised alike in pieces of any size");
	free(text.bytes);
}

/* Tell whether the reader takes a text, or refuses it, in every way. */
static bool
verdict_is(Text text, bool good)
{
	static uint64_t hashes[MAX_HASHES];

	for (int i = 0; i < lengthof(shinglings); i++)
		if ((read_hashes(text, parse(shinglings[i]), 1024, hashes) >= 0) != good)
			return false;
	return true;
}

/* Put bad bytes into a text and check that it is refused. */
static bool
is_refused(const char *bad, size_t place, const char *filler, size_t len)
{
	static char buffer[20000];
	size_t		bad_len = strlen(bad);
	Text		text;
	bool		refused;

	for (size_t i = 0; i < len; i++)
		buffer[i] = filler[i % strlen(filler)];
	memmove(buffer + place + bad_len, buffer + place, len - place);
	memcpy(buffer + place, bad, bad_len);
	text = make_text(buffer, len + bad_len);
	refused = verdict_is(text, false);
	free(text.bytes);
	return refused;
}

/* Check that bad bytes are refused at any place of texts of any kind. */
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
		int			refused = 0;
		char		hex[16] = "";

		for (size_t j = 0; bad_bytes[i][j] != '\0'; j++)
			sprintf(hex + 3 * j, "%02X ", (uint8_t) bad_bytes[i][j]);
		for (int filler = 0; filler < cases_of(lengthof(fillers)); filler++)
			for (int place = 0; place < lengthof(places); place += step)
			{
				cases += 2;
				refused += is_refused(bad_bytes[i], places[place],
									  fillers[filler], places[place]);
				refused += is_refused(bad_bytes[i], places[place],
									  fillers[filler], 18000);
			}
		ok(refused == cases, "refused: %s(%d of %d cases)", hex, refused, cases);
	}
}

/* Check short strings of bytes that are likely to be almost UTF-8. */
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

int
main(void)
{
	check_texts();
	check_marks();
	check_bad_bytes();
	check_random_bytes();
	return done_testing();
}
