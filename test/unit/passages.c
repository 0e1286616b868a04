/*-------------------------------------------------------------------------
 *
 * passages.c
 *	  Shared passages, and the units that they consist of, against naive ways.
 *
 * Longest runs are compared with a search from every place, units with those of
 * the whole normalised text, and passages, or whether there is one, with a search
 * that tries every place of both texts, again for every passage, and extends runs
 * by a quadratic program.  Steps are counted for texts that repeat much.
 *
 *-------------------------------------------------------------------------
 */
#include "core/passages/passages.h"
#include "core/passages/seeds.h"
#include "texts.h"

#define STRINGS 3000			/* random strings to be searched for runs */
#define MAX_STRING 300
#define TEXTS 300				/* random texts to be cut */
#define PAIRS 40000				/* random pairs of texts */
#define MAX_UNITS 80
#define MAX_EDITS 5

#define LEVELS 11				/* log2 of the units of a Thue-Morse word */
#define WORDS 24

/*** Longest runs ***/

/* Draw a string of few or many units, with repetitions; its length. */
static int
random_string(uint32_t *string)
{
	int			length = random_below(MAX_STRING);
	int			period = 1 + random_below(MAX_STRING);
	int			noise = random_below(4);
	int			units = 1 + random_below(random_below(4) == 0 ? MAX_STRING : 3);

	for (int i = 0; i < length; i++)
	{
		bool		new = i < period || random_below(100) < noise;

		string[i] = new ? (uint32_t) random_below(units) : string[i - period];
	}
	return length;
}

/* Return the longest run from a place of a that b has, at its first place. */
static CommonRun
longest_run(const Units *a, size_t place, const Units *b)
{
	CommonRun			run = {0, 0};

	for (size_t i = 0; i < b->count; i++)
	{
		size_t		length = 0;

		while (place + length < a->count && i + length < b->count &&
			   a->list[place + length] == b->list[i + length])
			length++;
		if (length > run.length)
			run = (CommonRun) {(uint32_t) length, (uint32_t) i};
	}
	return run;
}

/* Check the longest runs of the two parts of random strings. */
static void
check_longest_runs(void)
{
	int			strings = cases_of(STRINGS);
	int			right = 0;
	HashTable	numbers = {.factor = 1};

	for (int n = 0; n < strings; n++)
	{
		uint32_t	string[MAX_STRING];
		int			length = random_string(string);
		size_t		middle = (size_t) random_below(length + 1);
		Units		a = {.list = string,.count = middle};
		Units		b = {
			.numbers = &numbers,.list = string + middle,
			.count = (size_t) length - middle
		};
		CommonRun		   *runs;
		bool		alike = true;

		if (middle > 0 && random_below(2) == 0)
			string[random_below((int) middle)] = UNKNOWN_UNIT;
		runs = runs_find_longest(&a, &b);
		for (size_t i = 0; i < a.count; i++)
		{
			CommonRun			run = longest_run(&a, i, &b);

			alike &= runs[i].length == run.length &&
				(run.length == 0 || runs[i].at == run.at);
		}
		right += alike;
		free(runs);
	}
	ok(right == strings, "longest runs of two texts (%d of %d strings)", right,
	   strings);
}

/*** Units ***/

/* Cut a text into units, to be freed by free_units(). */
static Units *
cut(const char *shingling, const void *text, size_t len, HashTable *numbers,
	bool only_known, bool positions)
{
	static Span spans[CUTTER_BUFFER];
	Units	   *units = malloc(sizeof(Units));
	Cutter		cutter;

	units_begin(units, numbers, only_known);
	cutter_begin(&cutter, parse(shingling), text, len);
	cutter.spans = positions ? spans : NULL;
	while (!cutter.done)
		units_add(units, &cutter);
	return units;
}

/* Free units; in the server, a memory context does. */
static void
free_units(Units *units)
{
	free(units->list);
	free(units->spans);
	free(units->word);
	free(units);
}

/* Return true if units have the numbers of their hashes, in the order of these. */
static bool
numbers_match(const Units *units, const uint64_t *hashes)
{
	static uint64_t known[MAX_HASHES];
	uint32_t	count = 0;

	for (size_t i = 0; i < units->count; i++)
	{
		uint32_t	number = 0;

		while (number < count && known[number] != hashes[i])
			number++;
		if (number == count)
			known[count++] = hashes[i];
		if (units->list[i] != number)
			return false;
	}
	return true;
}

/* Return true if units have the same numbers if the text is read again. */
static bool
reads_again(const char *shingling, Text text, const Units *units)
{
	Units	   *again = cut(shingling, text.bytes, text.len, units->numbers, true,
							false);
	bool		alike = again->count == units->count &&
		memcmp(again->list, units->list, sizeof(uint32_t) * units->count) == 0;

	free_units(again);
	return alike;
}

/* Return true if the units of a text, joined, are its normal form. */
static bool
cuts_alike(Text text, bool raw)
{
	static uint8_t whole[MAX_TEXT];
	const char *shingling = raw ? "char:1 raw" : "char:1";
	ptrdiff_t	len = normalize(text, raw, MAX_TEXT, whole);
	HashTable	numbers;
	Units	   *units;
	static uint64_t hashes[MAX_TEXT];
	size_t		pos = 0;
	bool		alike = true;

	hash_table_begin(&numbers, 0, 1);
	units = cut(shingling, text.bytes, text.len, &numbers, false, true);
	for (size_t i = 0; alike && i < units->count; i++)
	{
		size_t		length = utf8_char_length(whole[pos]);

		hashes[i] = shingle_hash(whole + pos, length, 7);
		alike = pos + length <= (size_t) len &&
			units->spans[i].start < units->spans[i].end &&
			(i == 0 || (units->spans[i - 1].start <= units->spans[i].start &&
						units->spans[i - 1].end <= units->spans[i].end));
		pos += length;
	}
	alike &= numbers_match(units, hashes) && reads_again(shingling, text, units);
	free_units(units);
	hash_table_end(&numbers);
	return alike && pos == (size_t) len;
}

/* Return true if the words of a text are those of its shingles. */
static bool
cuts_words_alike(Text text, bool positions)
{
	static uint64_t hashes[MAX_HASHES];
	int			count = read_hashes(text, parse("word:1"), 1024, hashes);
	HashTable	numbers;
	Units	   *units;
	bool		alike;

	hash_table_begin(&numbers, 0, 1);
	units = cut("word:1", text.bytes, text.len, &numbers, false, positions);
	alike = units->count == (size_t) count && numbers_match(units, hashes) &&
		reads_again("word:1", text, units);
	free_units(units);
	hash_table_end(&numbers);
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
		words += cuts_words_alike(text, true) && cuts_words_alike(text, false);
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
	PassageRule rule;
	int			a_len;
	int			b_len;
	char		a[MAX_UNITS + 1];
	char		b[MAX_UNITS + 1];
	size_t		count;
	Passage		passages[MAX_UNITS];
} Case;

/* Copy a part of a to b, changed here and there. */
static void
plant(Case *pair, int letters)
{
	int			from = random_below(pair->a_len + 1);
	int			to = random_below(pair->b_len + 1);
	int			percent = random_below(20);

	for (int left = random_below(40); left > 0; left--)
	{
		int			edit = random_below(100) < percent ? random_below(3) : -1;

		if (from >= pair->a_len || to >= pair->b_len)
			break;
		if (edit == 0)
			from++;
		else
			pair->b[to++] = (char) (edit > 0 ? 'a' + random_below(letters) :
									pair->a[from]);
		if (edit < 2)
			from += edit != 0;
	}
}

/* Draw a text, which repeats itself half of the time; its length. */
static int
random_letters(char *text, int letters)
{
	int			length = random_below(MAX_UNITS);
	int			period = random_below(2) == 0 ? MAX_UNITS : 1 + random_below(10);

	for (int i = 0; i < length; i++)
		text[i] = i < period || random_below(20) == 0 ?
			(char) ('a' + random_below(letters)) : text[i - period];
	return length;
}

/*
 * Draw two texts that have something in common.  Short rules are for places with
 * equal surroundings.
 */
static void
random_case(Case *pair)
{
	int			letters = 1 + random_below(random_below(4) == 0 ? 20 : 3);
	bool		is_short = random_below(3) == 0;

	pair->rule.run = 1 + (uint32_t) random_below(is_short ? 2 : 6);
	pair->rule.length = pair->rule.run;
	pair->rule.edits = 0;
	if (random_below(3) > 0)
	{
		pair->rule.length += (uint32_t) random_below(is_short ? 5 : 10);
		pair->rule.edits = (uint32_t) random_below(is_short ? 3 : MAX_EDITS + 1);
	}
	pair->a_len = random_letters(pair->a, letters);
	pair->b_len = random_letters(pair->b, letters);
	for (int i = random_below(4); i > 0; i--)
		plant(pair, letters);
	pair->a[pair->a_len] = pair->b[pair->b_len] = '\0';
}

/* An alignment on one side of a run. */
typedef struct Side
{
	int			equal;
	int			edits;
	int			len_a;
	int			len_b;
} Side;

/* Return true if the first is better. */
static bool
is_better_side(Side a, Side b)
{
	if (a.equal != b.equal)
		return a.equal > b.equal;
	if (a.edits != b.edits)
		return a.edits < b.edits;
	return a.len_a != b.len_a ? a.len_a < b.len_a : a.len_b < b.len_b;
}

/*
 * Find the best alignments from two places, with at most 0, 1, ... edits, by a
 * program over all pairs of places; step is the direction.
 */
static void
align_simply(const char *a, int a_len, const char *b, int b_len, int step,
			 Side *sides)
{
	static int	most[MAX_EDITS + 1][MAX_UNITS + 1][MAX_UNITS + 1];

#define RAISE(place, value) ((place) = (place) < (value) ? (value) : (place))
	memset(most, -1, sizeof(most));
	most[0][0][0] = 0;
	memset(sides, 0, sizeof(Side) * (MAX_EDITS + 1));
	for (int e = 0; e <= MAX_EDITS; e++)
	{
		if (e > 0)
			sides[e] = sides[e - 1];
		for (int i = 0; i <= a_len; i++)
			for (int j = 0; j <= b_len; j++)
			{
				int			equal = most[e][i][j];
				Side		side = {equal, e, i, j};

				if (equal < 0)
					continue;
				if (is_better_side(side, sides[e]))
					sides[e] = side;
				if (i < a_len && j < b_len && a[i * step] == b[j * step])
					RAISE(most[e][i + 1][j + 1], equal + 1);
				if (e == MAX_EDITS)
					continue;
				if (i < a_len && j < b_len)
					RAISE(most[e + 1][i + 1][j + 1], equal);
				if (i < a_len)
					RAISE(most[e + 1][i + 1][j], equal);
				if (j < b_len)
					RAISE(most[e + 1][i][j + 1], equal);
			}
	}
}

/* Extend a run within a part of the first text; false if it is too short. */
static bool
extend_simply(const Case *pair, Seed run, Span gap, Passage *best)
{
	Side		before[MAX_EDITS + 1];
	Side		after[MAX_EDITS + 1];
	uint32_t	a = run.at;
	uint32_t	b = run.at_kept;

	align_simply(pair->a + a - 1, (int) (a - gap.start), pair->b + b - 1, (int) b,
				 -1, before);
	a += run.length;
	b += run.length;
	align_simply(pair->a + a, (int) (gap.end - a), pair->b + b,
				 pair->b_len - (int) b, 1, after);
	*best = (Passage) {0};
	for (int e = 0; e <= (int) pair->rule.edits; e++)
	{
		Side		l = before[e];
		Side		r = after[(int) pair->rule.edits - e];
		Passage		p = {
			{run.at - (uint32_t) l.len_a, a + (uint32_t) r.len_a},
			{run.at_kept - (uint32_t) l.len_b, b + (uint32_t) r.len_b},
			(uint32_t) l.equal + (uint32_t) r.equal + run.length,
			(uint32_t) l.edits + (uint32_t) r.edits
		};
		Side		side = {(int) p.equal, (int) p.edits, (int) (p.a.end - p.a.start), (int) (p.b.end - p.b.start)};
		Side		old = {(int) best->equal, (int) best->edits, (int) (best->a.end - best->a.start), (int) (best->b.end - best->b.start)};

		if (is_better_side(side, old) ||
			(!is_better_side(old, side) &&
			 (p.a.start < best->a.start ||
			  (p.a.start == best->a.start && p.b.start < best->b.start))))
			*best = p;
	}
	return best->equal >= pair->rule.length;
}

/* Return the length of the common run from two places, 0 if it began before. */
static uint32_t
run_from(const Case *pair, int i, int j)
{
	uint32_t	len = 0;

	if (i > 0 && j > 0 && pair->a[i - 1] == pair->b[j - 1])
		return 0;
	while (i < pair->a_len && j < pair->b_len && pair->a[i] == pair->b[j])
	{
		i++;
		j++;
		len++;
	}
	return len;
}

/* List the runs that are in a passage and end after all from before them. */
static int
list_runs(const Case *pair, uint32_t least, Seed *runs)
{
	Span		all = {0, (uint32_t) pair->a_len};
	uint32_t	end = 0;
	int			count = 0;
	Passage		passage;

	for (int i = 0; i < pair->a_len; i++)
		for (int j = 0; j < pair->b_len; j++)
		{
			Seed		run = {(uint32_t) i, (uint32_t) j, run_from(pair, i, j)};

			if (run.length < least || run.at + run.length <= end ||
				!extend_simply(pair, run, all, &passage))
				continue;
			end = run.at + run.length;
			if (count > 0 && runs[count - 1].at == run.at)
				count--;
			runs[count++] = run;
		}
	return count;
}

/* Cut a run at its covered ends, and find the part that is not covered. */
static Seed
cut_run(const Case *pair, Seed run, const bool *covered, Span *gap)
{
	uint32_t	end = run.at + run.length;

	while (run.at < end && covered[run.at])
	{
		run.at++;
		run.at_kept++;
	}
	run.length = 0;
	while (run.at + run.length < end && !covered[run.at + run.length])
		run.length++;
	*gap = (Span) {run.at, run.at};
	while (gap->start > 0 && !covered[gap->start - 1])
		gap->start--;
	while (gap->end < (uint32_t) pair->a_len && !covered[gap->end])
		gap->end++;
	return run;
}

/* Take the passages, again and again the longest run that is left. */
static void
find_simply(Case *pair)
{
	bool		covered[MAX_UNITS + 1] = {false};
	Seed		runs[MAX_UNITS];
	uint32_t	least;
	int			count;

	if (pair->a_len < (int) pair->rule.run && pair->b_len > 0 &&
		pair->a_len == pair->b_len)
		pair->rule = (PassageRule) {(uint32_t) pair->a_len, (uint32_t) pair->a_len, 0};
	least = (pair->rule.length + pair->rule.edits) / (pair->rule.edits + 1);
	if (least < pair->rule.run)
		least = pair->rule.run;
	count = list_runs(pair, least, runs);
	pair->count = 0;
	for (;;)
	{
		int			best = -1;
		Seed		longest = {0};
		Span		gap = {0};
		Passage		passage;

		for (int i = 0; i < count; i++)
		{
			Span		around;
			Seed		run = cut_run(pair, runs[i], covered, &around);

			if (run.length < least || run.length < longest.length ||
				(run.length == longest.length &&
				 (run.at > longest.at ||
				  (run.at == longest.at && run.at_kept > longest.at_kept))))
				continue;
			best = i;
			longest = run;
			gap = around;
		}
		if (best < 0)
			break;
		runs[best].length = 0;
		if (!extend_simply(pair, longest, gap, &passage))
			continue;
		for (uint32_t i = passage.a.start; i < passage.a.end; i++)
			covered[i] = true;
		pair->passages[pair->count++] = passage;
	}
}

/* Order passages by their places in the first text. */
static int
compare_passages(const void *a, const void *b)
{
	return (int) ((const Passage *) a)->a.start - (int) ((const Passage *) b)->a.start;
}

/* Find the passages of two texts as the product does. */
static size_t
find_passages(const char *shingling, const PassageRule *rule, const void *a,
			  size_t a_len, const void *b, size_t b_len, Passage **passages)
{
	HashTable	numbers;
	Units	   *units_a;
	Units	   *units_b;
	size_t		count;

	hash_table_begin(&numbers, 0, random64());
	units_b = cut(shingling, b, b_len, &numbers, false, true);
	units_a = cut(shingling, a, a_len, &numbers, true, true);
	count = passages_find(units_a, units_b, rule, random64(), passages);
	free_units(units_a);
	free_units(units_b);
	hash_table_end(&numbers);
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

/* Return true if a span of letters is one of a text in which each has width. */
static bool
same_span(Span letters, Span span, uint32_t width)
{
	return span.start == width * letters.start &&
		span.end == width * letters.end - (width - 1);
}

/* Return true if passages by characters, or by words, are as expected. */
static bool
finds_alike(const Case *pair, bool words, const PassageRule *rule)
{
	char		a[2 * MAX_UNITS];
	char		b[2 * MAX_UNITS];
	size_t		a_len = to_words(pair->a, a);
	size_t		b_len = to_words(pair->b, b);
	uint32_t	width = words ? 2 : 1;
	Passage    *passages;
	size_t		count;
	bool		alike;

	count = words ?
		find_passages("word:1", rule, a, a_len, b, b_len, &passages) :
		find_passages("char:1", rule, pair->a, (size_t) pair->a_len, pair->b,
					  (size_t) pair->b_len, &passages);
	alike = count == pair->count;
	for (size_t i = 0; alike && i < count; i++)
	{
		const Passage *want = &pair->passages[i];

		alike = same_span(want->a, passages[i].a, width) &&
			same_span(want->b, passages[i].b, width) &&
			passages[i].equal == want->equal && passages[i].edits == want->edits;
	}
	free(passages);
	return alike;
}

/*
 * Return true if the search for one passage, which is all that shares_passage()
 * needs, finds a seed, reading step units at a time.
 */
static bool
finds_seed(const Case *pair, const PassageRule *rule, int step)
{
	SeedTable	table;
	SeedScan	scan = {.table = &table};
	Seed		seed;
	uint32_t	kept[MAX_UNITS];
	uint32_t	text[MAX_UNITS];
	bool		found = false;

	for (int i = 0; i < pair->a_len; i++)
		kept[i] = (uint32_t) pair->a[i];
	for (int i = 0; i < pair->b_len; i++)
		text[i] = strchr(pair->a, pair->b[i]) ? (uint32_t) pair->b[i] : UNKNOWN_UNIT;
	seed_table_make(&table, rule, kept, (uint32_t) pair->a_len, random64());
	scan.units = text;
	while (!found && !scan.whole)
	{
		scan.count += (uint32_t) step;
		scan.whole = scan.count >= (uint32_t) pair->b_len;
		if (scan.whole)
			scan.count = (uint32_t) pair->b_len;
		found = seeds_next(&scan, &seed);
	}
	seed_table_end(&table);
	return found;
}

/* Check random pairs of texts. */
static void
check_passages(void)
{
	int			pairs = cases_of(PAIRS);
	int			right[4] = {0};
	size_t		found = 0;
	size_t		edited = 0;

	for (int i = 0; i < pairs; i++)
	{
		Case		pair;
		PassageRule rule;

		random_case(&pair);
		rule = pair.rule;
		find_simply(&pair);
		qsort(pair.passages, pair.count, sizeof(Passage), compare_passages);
		found += pair.count;
		for (size_t j = 0; j < pair.count; j++)
			edited += pair.passages[j].edits > 0;
		for (int words = 0; words < 2; words++)
			right[words] += finds_alike(&pair, words, &rule);
		right[2] += finds_seed(&pair, &rule, MAX_UNITS) == (pair.count > 0);
		right[3] += finds_seed(&pair, &rule, 1 + random_below(9)) == (pair.count > 0);
	}
	ok(right[0] == pairs, "passages of characters as by trying everything "
	   "(%d of %d pairs, %zu passages, %zu edited)", right[0], pairs, found,
	   edited);
	ok(right[1] == pairs, "passages of words as by trying everything "
	   "(%d of %d pairs)", right[1], pairs);
	ok(right[2] == pairs && right[3] == pairs, "texts share a passage as by trying everything "
	   "(%d of %d pairs; in pieces %d)", right[2], pairs, right[3]);
}

/* Return true if two pieces of texts, in characters, have one normal form. */
static bool
same_normalized(Text a, Span span_a, Text b, Span span_b)
{
	static uint8_t normal[2][MAX_TEXT];
	Text		texts[2] = {a, b};
	uint32_t	bounds[2][2] = {{span_a.start, span_a.end},
	{span_b.start, span_b.end}};
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
	PassageRule rule = {2, 2, 0};
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
		count = find_passages("char:2", &rule, a.bytes, a.len, b.bytes, b.len,
							  &passages);
		for (size_t j = 0; j < count; j++)
			alike &= same_normalized(a, passages[j].a, b, passages[j].b);
		found += count;
		right += alike;
		free(passages);
		free(a.bytes);
		free(b.bytes);
	}
	ok(right == pairs && found > 0, "passages are the same in both texts "
	   "(%d of %d pairs, %zu passages)", right, pairs, found);
}

/*** Steps ***/

/*
 * Write the Thue-Morse word of 2^LEVELS units, or its complement.  As polynomials
 * they have the same value modulo 2^64 at every odd number.
 */
static uint32_t *
write_word(uint32_t *text, uint32_t complement)
{
	for (int i = 0; i < 1 << LEVELS; i++)
		*text++ = count_bits((uint64_t) i) % 2 ^ complement;
	return text;
}

/*
 * Texts of the words tutu... and ttuutt..., where u is the complement of t, have
 * no run of 5 words in common.  If t and u had one hash, each place of one text
 * would be compared with many of the other.
 */
static void
check_collisions(void)
{
	static uint32_t texts[2][(1 << LEVELS) * WORDS];
	PassageRule rule = {255, 5 << LEVELS, 0};
	SeedTable	table;
	SeedScan	scan;
	Seed		seed;

	for (int i = 0; i < 2; i++)
	{
		uint32_t   *end = texts[i];

		for (uint32_t word = 0; word < WORDS; word++)
			end = write_word(end, (i == 0 ? word : word / 2) % 2);
	}
	seed_table_make(&table, &rule, texts[0], lengthof(texts[0]), random64());
	seeds_begin(&scan, &table);
	scan.units = texts[1];
	scan.count = lengthof(texts[1]);
	scan.whole = true;
	ok(!seeds_next(&scan, &seed), "Thue-Morse words in another order share no passage");
	ok(scan.steps < scan.count / 10, "and are not compared (%zu places)", scan.steps);
	seed_table_end(&table);
}

/* Texts with many short runs take as long as their extensions. */
static void
check_interrupts(void)
{
	uint32_t	units[2] = {1, 2};
	Reach		reaches[PASSAGE_MAX_EDITS + 1];

	interrupt_checks = 0;
	alignment_extend((Ray) {units, 1}, (Ray) {units + 1, 1}, 1,
					 PASSAGE_MAX_EDITS, UINT32_MAX, reaches);
	ok(interrupt_checks > 0, "every extension checks for interrupts");
}

/* Two texts that repeat much. */
typedef struct Repeating
{
	const char *name;
	void		(*write) (char *text, size_t length);	/* the first */
	uint32_t	run;
	size_t		b_len;			/* the second: letters a, */
	char		b_end;			/* and the last letter */
} Repeating;

/* A text that is covered by passages one after the other. */
static void
write_one_letter(char *text, size_t length)
{
	memset(text, 'a', length);
}

/* One with short passages between longer ones, which come first. */
static void
write_two_lengths(char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
	{
		if (i == 0 || text[i - 1] == '#')
			text[i] = 'a';
		else
			text[i] = text[i - 1] == 'a' && random_below(2) == 0 ? 'b' : '#';
	}
}

/* One whose passages come from right to left, because they get longer. */
static void
write_growing(char *text, size_t length)
{
	size_t		left = 1;
	size_t		letters = 1;

	for (size_t i = 0; i < length; i++)
	{
		bool		ends = left == 0;

		text[i] = ends ? '#' : 'a';
		left = ends ? ++letters : left - 1;
	}
}

/*
 * Return the steps that the passages of such a text take, in CHECK_EVERY.  The
 * extension of a passage to either side looks for an interrupt in any case.
 */
static long
count_steps(const Repeating *kind, size_t length)
{
	PassageRule rule = {kind->run, kind->run, 0};
	char	   *a = malloc(length);
	char	   *b = malloc(kind->b_len);
	HashTable	numbers;
	Units	   *units_a;
	Units	   *units_b;
	Passage    *passages;
	long		steps;

	kind->write(a, length);
	memset(b, 'a', kind->b_len);
	b[kind->b_len - 1] = kind->b_end;
	hash_table_begin(&numbers, 0, random64());
	units_b = cut("char:1", b, kind->b_len, &numbers, false, true);
	units_a = cut("char:1", a, length, &numbers, true, true);
	steps = interrupt_checks;
	steps += 2 * (long) passages_find(units_a, units_b, &rule, random64(), &passages);
	steps = interrupt_checks - steps;
	free_units(units_a);
	free_units(units_b);
	hash_table_end(&numbers);
	free(passages);
	free(a);
	free(b);
	return steps;
}

/* Check that a text of twice the length takes twice the steps. */
static void
check_steps(void)
{
	static const Repeating kinds[] = {
		{"one letter", write_one_letter, 20, 36, 'a'},
		{"passages of two lengths", write_two_lengths, 1, 2, 'b'},
		{"passages that get longer", write_growing, 1, 2000, 'a'},
	};

	for (int i = 0; i < lengthof(kinds); i++)
	{
		long		once = count_steps(&kinds[i], (size_t) 1 << 19);
		long		twice = count_steps(&kinds[i], (size_t) 1 << 20);

		ok(once > 0 && 10 * twice <= 24 * once, "twice the text, at most 2.4 times the steps: %s "
		   "(%ld and %ld)", kinds[i].name, once, twice);
	}
}

int
main(void)
{
	check_longest_runs();
	check_units();
	check_passages();
	check_positions();
	check_collisions();
	check_interrupts();
	check_steps();
	ok(interrupt_checks > 0, "can be cancelled (%ld looks)", interrupt_checks);
	return done_testing();
}
