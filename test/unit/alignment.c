/*-------------------------------------------------------------------------
 *
 * alignment.c
 *	  Whether two texts share an edited passage, against a quadratic program.
 *
 * The program tries every alignment: for all pairs of places, all numbers of
 * edits and all lengths of the run that ends there, it finds the most equal
 * units.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "core/passages/seeds.h"
#include "unit.h"

#define PAIRS 60000			/* random pairs of texts */
#define MAX_UNITS 40
#define MAX_RUN 8
#define MAX_EDITS 6
#define LEVELS 11				/* log2 of the units of a Thue-Morse word */
#define WORDS 24

typedef struct Case
{
	PassageRule rule;
	int			a_len;
	int			b_len;
	uint32_t	a[MAX_UNITS];
	uint32_t	b[MAX_UNITS];
} Case;

/* Draw a unit that is replaced, left out or put in now and then. */
static int
copy_edited(uint32_t *to, int room, const uint32_t *from, int count,
			int letters, int percent)
{
	int			len = 0;

	for (int i = 0; i < count && len < room; i++)
	{
		int			edit = random_below(100) < percent ? random_below(3) : -1;

		if (edit == 0)
			continue;
		to[len++] = edit == 1 ? (uint32_t) random_below(letters) : from[i];
		if (edit == 2 && len < room)
			to[len++] = (uint32_t) random_below(letters);
	}
	return len;
}

/* Draw a text that repeats itself, with some changes; return its length. */
static int
random_units(uint32_t *units, int letters)
{
	int			len = random_below(MAX_UNITS);
	int			period = 1 + random_below(random_below(2) == 0 ? MAX_UNITS : 5);

	for (int i = 0; i < len; i++)
		units[i] = i < period || random_below(20) == 0 ?
			(uint32_t) random_below(letters) : units[i - period];
	return len;
}

/*
 * Draw two texts, often of edited parts of one.  Short rules are for places
 * with equal surroundings.
 */
static void
random_case(Case *pair)
{
	int			letters = 1 + random_below(random_below(3) == 0 ? 20 : 4);
	bool		is_short = random_below(3) == 0;

	pair->rule.run = 1 + (uint32_t) random_below(is_short ? 2 : MAX_RUN);
	pair->rule.length = pair->rule.run + (uint32_t) random_below(is_short ? 5 : 16);
	pair->rule.edits = (uint32_t) random_below(is_short ? 3 : MAX_EDITS + 1);
	pair->a_len = random_units(pair->a, letters);
	pair->b_len = random_units(pair->b, letters);
	if (random_below(4) > 1 && pair->a_len > 0)
	{
		int			from = random_below(pair->a_len);
		int			to = random_below(pair->b_len + 1);

		pair->b_len = to + copy_edited(pair->b + to, MAX_UNITS - to,
									   pair->a + from, pair->a_len - from,
									   letters, random_below(40));
	}
}

/* Find the most equal units of an alignment that has the run. */
static int
most_equal(const Case *pair)
{
	static int	best[MAX_UNITS + 1][MAX_UNITS + 1][MAX_EDITS + 1][MAX_RUN + 1];
	int			run = (int) pair->rule.run;
	int			most = -1;

	memset(best, -1, sizeof(best));
	for (int i = 0; i <= pair->a_len; i++)
		for (int j = 0; j <= pair->b_len; j++)
			for (int e = 0; e <= (int) pair->rule.edits; e++)
				for (int r = 0; r <= run; r++)
				{
					int			equal = best[i][j][e][r];
					int			cut = r == run ? run : 0;
					int			longer = r == run ? run : r + 1;

					if (e == 0 && r == 0 && equal < 0)
						equal = 0;	/* an alignment can begin here */
					if (equal < 0)
						continue;
#define RAISE(place, value) ((place) = (place) < (value) ? (value) : (place))
					if (r == run)
						RAISE(most, equal);
					if (i < pair->a_len && j < pair->b_len &&
						pair->a[i] == pair->b[j])
						RAISE(best[i + 1][j + 1][e][longer], equal + 1);
					if (e == (int) pair->rule.edits)
						continue;
					if (i < pair->a_len && j < pair->b_len)
						RAISE(best[i + 1][j + 1][e + 1][cut], equal);
					if (i < pair->a_len)
						RAISE(best[i + 1][j][e + 1][cut], equal);
					if (j < pair->b_len)
						RAISE(best[i][j + 1][e + 1][cut], equal);
				}
	return most;
}

/* Return true if two texts share a passage; short ones do if they are equal. */
static bool
shares_passage(const Case *pair)
{
	int			run = (int) pair->rule.run;

	if (pair->a_len < run && pair->b_len < run)
		return pair->a_len > 0 && pair->a_len == pair->b_len &&
			memcmp(pair->a, pair->b, sizeof(uint32_t) * (size_t) pair->a_len) == 0;
	return most_equal(pair) >= (int) pair->rule.length;
}

/* Return true if the product finds a seed, reading step units at a time. */
static bool
finds_seed(const Case *pair, int step)
{
	SeedTable	table;
	SeedScan	scan = {.table = &table};
	Seed		seed;
	uint32_t	text[MAX_UNITS];
	bool		found = false;

	for (int i = 0; i < pair->b_len; i++)
	{
		text[i] = UNKNOWN_UNIT;
		for (int j = 0; j < pair->a_len; j++)
			if (pair->a[j] == pair->b[i])
				text[i] = pair->b[i];
	}
	seed_table_make(&table, &pair->rule, pair->a, (uint32_t) pair->a_len,
					random64());
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

int
main(void)
{
	int			pairs = cases_of(PAIRS);
	int			right = 0;
	int			in_pieces = 0;
	int			shared = 0;
	int			edited = 0;

	for (int i = 0; i < pairs; i++)
	{
		Case		pair;
		bool		expected;

		random_case(&pair);
		expected = shares_passage(&pair);
		shared += expected;
		right += finds_seed(&pair, MAX_UNITS) == expected;
		in_pieces += finds_seed(&pair, 1 + random_below(9)) == expected;
		pair.rule.edits = 0;
		edited += expected && !shares_passage(&pair);
	}
	ok(right == pairs, "passages as by trying all alignments "
	   "(%d of %d pairs; %d have one, %d only with edits)", right, pairs,
	   shared, edited);
	ok(in_pieces == pairs, "the same of texts in pieces (%d of %d pairs)",
	   in_pieces, pairs);
	check_collisions();
	check_interrupts();
	return done_testing();
}
