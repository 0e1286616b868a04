/*-------------------------------------------------------------------------
 *
 * passages.c
 *	  Shared passages, and what they are found by, against naive ways.
 *
 * Suffix arrays are compared with sorted suffixes, units with those of the
 * whole normalised text, and passages with a search that tries every place of
 * both texts, again for every passage.
 *
 *-------------------------------------------------------------------------
 */
#include "passages.h"
#include "texts.h"

#define STRINGS 3000			/* random strings to be sorted */
#define MAX_STRING 300
#define TEXTS 300				/* random texts to be cut */
#define PAIRS 20000				/* random pairs of texts */
#define MAX_UNITS 120

static const Memory memory = {malloc, free};

/*** Suffix arrays ***/

static const int32_t *sorted_string;

/* Compare suffixes for qsort; the last symbol is unique. */
static int
compare_suffixes(const void *a, const void *b)
{
	const int32_t *x = sorted_string + *(const int32_t *) a;
	const int32_t *y = sorted_string + *(const int32_t *) b;

	while (*x == *y && x != y)
	{
		x++;
		y++;
	}
	return (*x > *y) - (*x < *y);
}

/* Draw a string of few or many symbols, with repetitions; its length. */
static int32_t
random_string(int32_t *string, int32_t *symbols)
{
	int32_t		length = 1 + random_below(MAX_STRING);
	int32_t		period = 1 + random_below(MAX_STRING);
	int			noise = random_below(4);

	*symbols = 2 + random_below(random_below(4) == 0 ? MAX_STRING : 3);
	for (int32_t i = 0; i < length - 1; i++)
	{
		bool		new = i < period || random_below(100) < noise;

		string[i] = new ? 1 + random_below(*symbols - 1) : string[i - period];
	}
	string[length - 1] = 0;
	return length;
}

/* Return true if the suffixes of a string and their overlaps are right. */
static bool
sorts_alike(const int32_t *string, int32_t length, int32_t symbols)
{
	int32_t		suffixes[MAX_STRING];
	int32_t		expected[MAX_STRING];
	int32_t		overlaps[MAX_STRING];

	for (int32_t i = 0; i < length; i++)
		expected[i] = i;
	sorted_string = string;
	qsort(expected, (size_t) length, sizeof(int32_t), compare_suffixes);
	suffix_array(string, suffixes, length, symbols, &memory);
	suffix_array_overlaps(string, suffixes, overlaps, length);
	for (int32_t i = 0; i < length; i++)
	{
		int32_t		overlap = 0;

		if (suffixes[i] != expected[i])
			return false;
		while (i > 0 && string[expected[i] + overlap] ==
			   string[expected[i - 1] + overlap])
			overlap++;
		if (overlaps[expected[i]] != overlap)
			return false;
	}
	return true;
}

/* Check random strings. */
static void
check_suffix_arrays(void)
{
	int			strings = cases_of(STRINGS);
	int			right = 0;

	for (int i = 0; i < strings; i++)
	{
		int32_t		string[MAX_STRING];
		int32_t		symbols;
		int32_t		length = random_string(string, &symbols);

		right += sorts_alike(string, length, symbols);
	}
	ok(right == strings, "suffixes in order, with their overlaps "
	   "(%d of %d strings)", right, strings);
}

/*** Units ***/

/* Return true if the units of a text, joined, are its normal form. */
static bool
cuts_alike(Text text, bool raw)
{
	static uint8_t whole[MAX_TEXT];
	ptrdiff_t	len = normalize(text, raw, MAX_TEXT, whole);
	Units		units;
	size_t		pos = 0;
	bool		alike;

	units_begin(&units, 1, MAX_TEXT, 1, &memory);
	alike = units_add_text(&units, parse(raw ? "char:1 raw" : "char:1"),
						   (char *) text.bytes, text.len);
	for (size_t i = 0; alike && i < units.count; i++)
	{
		const size_t *unit = &units.interner.starts[units.list[i].symbol];
		size_t		length = unit[1] - unit[0];

		alike = pos + length <= (size_t) len &&
			memcmp(units.interner.bytes + unit[0], whole + pos, length) == 0 &&
			units.list[i].start < units.list[i].end &&
			(i == 0 || (units.list[i - 1].start <= units.list[i].start &&
						units.list[i - 1].end <= units.list[i].end));
		pos += length;
	}
	units_end(&units);
	return alike && pos == (size_t) len;
}

/* Return true if the words of a text are those of its shingles. */
static bool
cuts_words_alike(Text text)
{
	static uint64_t hashes[MAX_HASHES];
	uint32_t	shingling = parse("word:1");
	int			count = read_hashes(text, shingling, 1024, hashes);
	Units		units;
	bool		alike;

	units_begin(&units, 1, MAX_TEXT, 1, &memory);
	alike = units_add_text(&units, shingling, (char *) text.bytes, text.len) &&
		units.count == (size_t) count;
	for (int i = 0; alike && i < count; i++)
	{
		const size_t *unit = &units.interner.starts[units.list[i].symbol];
		uint64_t	word = little_endian(shingle_hash(units.interner.bytes + unit[0],
													  unit[1] - unit[0], 7));

		alike = hashes[i] == shingle_hash(&word, 8, 7);
	}
	units_end(&units);
	return alike;
}

/* Check the units of random texts. */
static void
check_units(void)
{
	int			texts = cases_of(TEXTS);
	int			normal = 0;
	int			raw = 0;
	int			words = 0;

	for (int i = 0; i < texts; i++)
	{
		Text		text = random_text();

		normal += cuts_alike(text, false);
		raw += cuts_alike(text, true);
		words += cuts_words_alike(text);
		free(text.bytes);
	}
	ok(normal == texts, "units make the normalised text (%d of %d texts)",
	   normal, texts);
	ok(raw == texts, "raw units make the text (%d of %d texts)", raw, texts);
	ok(words == texts, "words are those of shingles (%d of %d texts)", words,
	   texts);
}

/*** Passages ***/

/* Two texts of units that are one letter each, and what they share. */
typedef struct Case
{
	int			size;
	int			a_len;
	int			b_len;
	char		a[MAX_UNITS + 1];
	char		b[MAX_UNITS + 1];
	size_t		count;
	Passage		passages[MAX_UNITS];
} Case;

/* Draw two texts that have something in common. */
static void
random_case(Case *pair)
{
	int			letters = 1 + random_below(random_below(4) == 0 ? 20 : 3);

	pair->size = 1 + random_below(6);
	pair->a_len = random_below(MAX_UNITS);
	pair->b_len = random_below(MAX_UNITS);
	for (int i = 0; i < pair->a_len; i++)
		pair->a[i] = (char) ('a' + random_below(letters));
	for (int i = 0; i < pair->b_len; i++)
		pair->b[i] = (char) ('a' + random_below(letters));
	for (int i = random_below(4); i > 0; i--)
	{
		int			from = random_below(pair->a_len + 1);
		int			to = random_below(pair->b_len + 1);
		int			len = random_below(40);

		while (len > pair->a_len - from || len > pair->b_len - to)
			len--;
		memcpy(pair->b + to, pair->a + from, (size_t) len);
	}
	pair->a[pair->a_len] = pair->b[pair->b_len] = '\0';
}

/* Find the longest run from a place of the first text, and its first place. */
static int
longest_run(const Case *pair, int from, int *at)
{
	int			longest = 0;

	for (int b = 0; b < pair->b_len; b++)
	{
		int			len = 0;

		while (from + len < pair->a_len && b + len < pair->b_len &&
			   pair->a[from + len] == pair->b[b + len])
			len++;
		if (len > longest)
		{
			longest = len;
			*at = b;
		}
	}
	return longest;
}

/* Count the units from a place that no passage covers, up to a number. */
static int
uncovered(const bool *covered, int from, int most)
{
	int			len = 0;

	while (len < most && !covered[from + len])
		len++;
	return len;
}

/* Find the passages by trying everything; covered tells where they are. */
static void
find_simply(Case *pair)
{
	bool		covered[MAX_UNITS] = {false};
	Passage		at_unit[MAX_UNITS];
	int			best;

	if (pair->a_len < pair->size && pair->a_len == pair->b_len)
		pair->size = pair->a_len;
	if (pair->a_len < pair->size || pair->b_len < pair->size)
		pair->size = MAX_UNITS;
	memset(at_unit, 0, sizeof(at_unit));
	do
	{
		Passage		taken = {0};

		best = 0;
		for (int i = 0; i < pair->a_len; i++)
		{
			int			at = 0;
			int			len = uncovered(covered, i, longest_run(pair, i, &at));

			if (len < pair->size || len <= best || len == 0)
				continue;
			best = len;
			taken = (Passage) {(uint32_t) i, (uint32_t) len, (uint32_t) at,
			(uint32_t) len};
		}
		if (best > 0)
			at_unit[taken.start_a] = taken;
		for (int i = 0; i < best; i++)
			covered[(int) taken.start_a + i] = true;
	} while (best > 0);
	pair->count = 0;
	for (int i = 0; i < pair->a_len; i++)
		if (at_unit[i].length_a > 0)
			pair->passages[pair->count++] = at_unit[i];
}

/* Find the passages of two texts as the product does. */
static size_t
find_passages(const char *shingling_text, const char *a, size_t a_len,
			  const char *b, size_t b_len, Passage **passages)
{
	uint32_t	shingling = parse(shingling_text);
	Units		units;
	size_t		count_a;
	size_t		count;

	units_begin(&units, 1, MAX_TEXT, random64(), &memory);
	if (!units_add_text(&units, shingling, a, a_len))
		abort();
	passages_end_text(&units);
	count_a = units.count - 1;
	if (!units_add_text(&units, shingling, b, b_len))
		abort();
	passages_end_text(&units);
	count = passages_find(&units, count_a, (size_t) shingling_size(shingling),
						  passages);
	units_end(&units);
	return count;
}

/* Put blanks between letters, so that they are words. */
static size_t
to_words(const char *letters, char *words)
{
	size_t		len = 0;

	for (; *letters != '\0'; letters++)
	{
		words[len++] = *letters;
		words[len++] = '.';
	}
	return len;
}

/* Return true if passages by characters, or by words, are as expected. */
static bool
finds_alike(const Case *pair, bool words, int size)
{
	char		shingling[SHINGLING_TEXT_SIZE];
	char		a[2 * MAX_UNITS];
	char		b[2 * MAX_UNITS];
	size_t		a_len = to_words(pair->a, a);
	size_t		b_len = to_words(pair->b, b);
	uint32_t	width = words ? 2 : 1;
	Passage    *passages;
	size_t		count;
	bool		alike;

	snprintf(shingling, sizeof(shingling), "%s:%d", words ? "word" : "char",
			 size);
	count = words ? find_passages(shingling, a, a_len, b, b_len, &passages) :
		find_passages(shingling, pair->a, (size_t) pair->a_len, pair->b,
					  (size_t) pair->b_len, &passages);
	alike = count == pair->count;
	for (size_t i = 0; alike && i < count; i++)
	{
		const Passage *want = &pair->passages[i];

		alike = passages[i].start_a == width * want->start_a &&
			passages[i].start_b == width * want->start_b &&
			passages[i].length_a == width * want->length_a - (width - 1) &&
			passages[i].length_b == width * want->length_b - (width - 1);
	}
	free(passages);
	return alike;
}

/* Check random pairs of texts. */
static void
check_passages(void)
{
	int			pairs = cases_of(PAIRS);
	int			right[2] = {0};
	size_t		found = 0;

	for (int i = 0; i < pairs; i++)
	{
		Case		pair;
		int			size;

		random_case(&pair);
		size = pair.size;
		find_simply(&pair);
		found += pair.count;
		for (int words = 0; words < 2; words++)
			right[words] += finds_alike(&pair, words, size);
	}
	ok(right[0] == pairs, "passages of characters as by trying everything "
	   "(%d of %d pairs, %zu passages)", right[0], pairs, found);
	ok(right[1] == pairs, "passages of words as by trying everything "
	   "(%d of %d pairs)", right[1], pairs);
}

/* Return true if two pieces of texts, in characters, have one normal form. */
static bool
same_normalized(Text a, uint32_t start_a, uint32_t len_a, Text b,
				uint32_t start_b, uint32_t len_b)
{
	static uint8_t normal[2][MAX_TEXT];
	Text		texts[2] = {a, b};
	uint32_t	bounds[2][2] = {{start_a, start_a + len_a},
	{start_b, start_b + len_b}};
	ptrdiff_t	lens[2];

	for (int i = 0; i < 2; i++)
	{
		size_t		bytes[2] = {0};

		for (int j = 0; j < 2; j++)
			for (uint32_t c = 0; c < bounds[i][j]; c++)
				bytes[j] += utf8_char_length(texts[i].bytes[bytes[j]]);
		texts[i] = make_text(texts[i].bytes + bytes[0], bytes[1] - bytes[0]);
		lens[i] = normalize(texts[i], false, MAX_TEXT, normal[i]);
		free(texts[i].bytes);
	}
	return lens[0] == lens[1] &&
		memcmp(normal[0], normal[1], (size_t) lens[0]) == 0;
}

/* Write a text of letters in one of many ways that are normalised alike. */
static Text
write_somehow(const char *letters)
{
	static const char *const ways[][4] = {
		{"a", "A", "\xEF\xBD\x81", "\xF0\x9D\x90\x80"},
		{"\xC3\xA9", "e\xCC\x81", "E\xCC\x81", "\xC3\x89"},
		{" ", " \n\t", "\xC2\xA0", " \xE3\x80\x80 "},
		{"\xEA\xB0\x81", "\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8",
		"\xEA\xB0\x80\xE1\x86\xA8", "\xEA\xB0\x81"},
		{"\xE6\xA2\x81", "\xEF\xA4\x99", "\xE6\xA2\x81", "\xE6\xA2\x81"},
	};
	char		buffer[MAX_UNITS * 16];
	size_t		len = 0;

	for (; *letters != '\0'; letters++)
	{
		const char *way = ways[(*letters - 'a') % lengthof(ways)][random_below(4)];

		memcpy(buffer + len, way, strlen(way));
		len += strlen(way);
	}
	return make_text(buffer, len);
}

/* Check that positions are those of the texts as they came. */
static void
check_positions(void)
{
	int			pairs = cases_of(PAIRS) / 10;
	int			right = 0;
	size_t		found = 0;

	for (int i = 0; i < pairs; i++)
	{
		Case		pair;
		Text		a;
		Text		b;
		Passage    *passages;
		size_t		count;
		bool		alike = true;

		random_case(&pair);
		a = write_somehow(pair.a);
		b = write_somehow(pair.b);
		count = find_passages("char:2", (char *) a.bytes, a.len,
							  (char *) b.bytes, b.len, &passages);
		for (size_t j = 0; j < count; j++)
			alike &= same_normalized(a, passages[j].start_a,
									 passages[j].length_a, b,
									 passages[j].start_b, passages[j].length_b);
		found += count;
		right += alike;
		free(passages);
		free(a.bytes);
		free(b.bytes);
	}
	ok(right == pairs && found > 0, "passages are the same in both texts "
	   "(%d of %d pairs, %zu passages)", right, pairs, found);
}

int
main(void)
{
	check_suffix_arrays();
	check_units();
	check_passages();
	check_positions();
	ok(interrupt_checks > 0, "can be cancelled (%ld looks)", interrupt_checks);
	return done_testing();
}
