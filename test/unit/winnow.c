/*-------------------------------------------------------------------------
 *
 * winnow.c
 *	  Winnowing: the keys are those of all windows, and texts that share a run
 *	  share a key.
 *
 * Which texts share a run is found out with the shingles of the run itself,
 * whose hashes have another seed than those of the k-grams.
 *
 *-------------------------------------------------------------------------
 */
#include "core/passages/winnow.h"

#include "texts.h"
#include "winnow_keys.h"

#define TEXTS 300				/* random texts of all kinds */
#define PAIRS 4000				/* pairs of texts for every run and alphabet */

static const char *const runs[] = {
	"char:1", "char:5", "char:16", "char:17", "char:50", "char:100", "char:255",
	"char:50 raw", "word:1", "word:4", "word:5", "word:8", "word:12",
	"word:255", "word:12 raw"
};

/* The alphabet of generated texts. */
typedef struct Alphabet
{
	const char *name;
	int			count;
	const char *units[8];
} Alphabet;

static const Alphabet alphabets[] = {
	{"letters", 8, {"a", "b", "c", "d", "e", "f", "g", "h"}},
	{"two letters", 2, {"a", "b"}},
	{"one letter", 1, {"a"}},
	{"words", 8, {"it ", "was ", "the ", "best ", "of ", "times, ", "worst\n", "age "}},
	{"two words", 2, {"to ", "be, "}},
	{"one word", 1, {"no! "}},
	{"marks", 6, {"e\xCC\x81", "a\xCC\x8A", "o", "\xCC\xA7", "\xCD\x8F", "u\xCC\xA3\xCC\x81"}},
	{"white space", 5, {" ", "\t\n", "\xC2\xA0", "x", "y"}},
	{"Han", 6, {"\xE6\x97\xA5", "\xE6\x9C\xAC", "\xE8\xAA\x9E", "\xE3\x81\xAE", "\xE3\x80\x82", "a"}}
};

/* Return the order of a k-gram with a hash, found without the table. */
static uint64_t
order_of(uint64_t hash)
{
	uint64_t	gram = hash & INT64_MAX;

	return bsearch(&gram, listed, listed_count, sizeof(uint64_t),
				   compare_hashes) == NULL ? gram : gram | UINT64_C(1) << 63;
}

/* Find the keys of a text window by window; return their number. */
static int
find_keys(Text text, uint32_t run, int32_t *keys)
{
	static uint64_t hashes[MAX_HASHES];
	static ShingleReader reader;
	uint32_t	grams = winnow_grams(run);
	int			window = shingling_size(run) - shingling_size(grams) + 1;
	int			total = 0;
	int			count = 0;
	uint64_t	last = UINT64_MAX;

	shingle_begin(&reader, grams, 0, (char *) text.bytes, text.len);
	while (!reader.done)
		total += shingle_next(&reader, hashes + total, 1024);
	for (int i = 0; i < total; i++)
		hashes[i] = order_of(hashes[i]);
	for (int i = 0; i == 0 ? total > 0 : i + window <= total; i++)
	{
		uint64_t	least = UINT64_MAX;

		for (int j = i; j < i + window && j < total; j++)
			if (hashes[j] < least)
				least = hashes[j];
		if (least != last)
			keys[count++] = (int32_t) (least & UINT32_MAX);
		last = least;
	}
	return count;
}

/* Check the keys of random texts. */
static void
check_keys(void)
{
	static int32_t keys[MAX_HASHES];
	static int32_t expected[MAX_HASHES];
	int			right[lengthof(runs)] = {0};
	int			texts = cases_of(TEXTS);

	for (int i = 0; i < texts; i++)
	{
		Text		text = random_text();

		for (int j = 0; j < lengthof(runs); j++)
		{
			int			count;

			list_grams(text, parse(runs[j]), i % 4);
			count = read_keys(text, parse(runs[j]), keys);
			right[j] += count == find_keys(text, parse(runs[j]), expected) &&
				memcmp(keys, expected, sizeof(int32_t) * (size_t) count) == 0;
		}
		free(text.bytes);
	}
	for (int j = 0; j < lengthof(runs); j++)
		ok(right[j] == texts, "%s: the keys are those of all windows "
		   "(%d of %d texts)", runs[j], right[j], texts);
}

/* Append random units to a text. */
static void
append_units(char *text, const Alphabet *alphabet, int count)
{
	text += strlen(text);
	for (int i = 0; i < count; i++)
		text += sprintf(text, "%s", alphabet->units[random_below(alphabet->count)]);
}

/*
 * Make a pair of texts, of at most 32 units around a run of one unit less than
 * n to one more, at an edge as often as not.
 */
static void
make_pair(const Alphabet *alphabet, int n, Text *a, Text *b)
{
	static char common[4096];
	static char buffer[8192];
	Text	   *texts[] = {a, b};

	common[0] = '\0';
	append_units(common, alphabet, n - 1 + random_below(3));
	for (int i = 0; i < 2; i++)
	{
		buffer[0] = '\0';
		append_units(buffer, alphabet, random_below(2) * random_below(16));
		strcat(buffer, common);
		append_units(buffer, alphabet, random_below(2) * random_below(16));
		*texts[i] = make_text(buffer, strlen(buffer));
	}
}

/* Check pairs of one alphabet for a run; a longer run is found by its keys. */
static void
check_pairs_of(const Alphabet *alphabet, uint32_t run, int *shared, int *missed)
{
	uint32_t	longer = SHINGLING(shingling_unit(run),
								   shingling_size(run) + (shingling_size(run) < 255),
								   run >> 16);
	int			pairs = cases_of(PAIRS) / shingling_size(run) + 1;

	for (int i = 0; i < pairs; i++)
	{
		Text		a;
		Text		b;
		bool		found;

		make_pair(alphabet, shingling_size(run), &a, &b);
		list_grams(random_below(2) ? a : b, run, i % 4);
		found = share_key(a, b, run);
		if (share_run(a, b, run))
		{
			++*shared;
			*missed += !found;
		}
		if (share_run(a, b, longer))
			*missed += !found;
		free(a.bytes);
		free(b.bytes);
	}
}

/* Check that texts that share a run share a key. */
static void
check_pairs(void)
{
	for (int i = 0; i < lengthof(alphabets); i++)
	{
		int			shared = 0;
		int			missed = 0;

		for (int j = 0; j < lengthof(runs); j++)
			check_pairs_of(&alphabets[i], parse(runs[j]), &shared, &missed);
		ok(missed == 0 && shared >= cases_of(PAIRS) / 10,
		   "%s: of %d pairs that share a run, %d share no key",
		   alphabets[i].name, shared, missed);
	}
}

/* Check the number of keys of a long random text against the theory. */
static void
check_density(const char *run, int window)
{
	static int32_t keys[MAX_HASHES];
	static char buffer[MAX_TEXT];
	Text		text;
	int			units = 20000;
	double		expected = 2.0 * units / (window + 1);
	int			count;

	buffer[0] = '\0';
	for (int i = 0; i < units; i++)
		sprintf(buffer + strlen(buffer), shingling_unit(parse(run)) == SHINGLE_WORD ?
				"%d " : "%c", shingling_unit(parse(run)) == SHINGLE_WORD ?
				random_below(100) : 'a' + random_below(26));
	text = make_text(buffer, strlen(buffer));
	list_grams(text, parse(run), 0);
	count = read_keys(text, parse(run), keys);
	ok(count > .9 * expected && count < 1.1 * expected,
	   "%s: %d keys of %d units, %.0f expected", run, count, units, expected);
	free(text.bytes);
}

/* Check the sizes of k-grams that the indexes depend on. */
static void
check_grams(void)
{
	static const struct
	{
		const char *run;
		const char *grams;
	}			sizes[] = {
		{"char:1", "char:1"}, {"char:16", "char:16"}, {"char:17", "char:16"},
		{"char:50", "char:20"}, {"char:100", "char:25"}, {"char:255", "char:40"},
		{"word:1", "word:1"}, {"word:4", "word:4"}, {"word:5", "word:4"},
		{"word:12", "word:5"}, {"word:255", "word:29"},
		{"char:50 raw", "char:20 raw"}
	};
	int			right = 0;

	for (int i = 0; i < lengthof(sizes); i++)
		right += winnow_grams(parse(sizes[i].run)) == parse(sizes[i].grams);
	ok(right == lengthof(sizes), "sizes of k-grams");
	ok(winnow_covers(parse("word:12"), parse("word:12")) &&
	   winnow_covers(parse("word:12"), parse("word:13")) &&
	   winnow_covers(parse("char:50 raw"), parse("char:60 raw")) &&
	   !winnow_covers(parse("word:12"), parse("word:11")) &&
	   !winnow_covers(parse("char:12"), parse("word:12")) &&
	   !winnow_covers(parse("word:12"), parse("word:12 raw")) &&
	   !winnow_covers(parse("word:12 raw"), parse("word:12")),
	   "runs whose keys find others");
}

int
main(void)
{
	check_grams();
	check_keys();
	check_pairs();
	check_density("char:50", 31);
	check_density("char:100", 76);
	check_density("word:12", 8);
	return done_testing();
}
