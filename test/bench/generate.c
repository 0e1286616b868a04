/*-------------------------------------------------------------------------
 *
 * generate.c
 *	  Generated documents with known near-duplicates.
 *
 * Usage: generate FIRST LAST
 *
 * Prints a line for every document from number FIRST to LAST, as COPY reads
 * it: its number, the number of the document that it is made of (its own if it
 * is an original), and the text: 150 to 249 words of a Zipf vocabulary, in
 * which the word of rank r is drawn with a probability of about 1 / r.  One
 * document in ten is a near-duplicate of an original before it: a run of its
 * words is replaced by others, so long that the share of the words in common
 * is spread evenly over 0.3 to 1.
 *
 * A document depends on its number only.  So the first documents are the same
 * however many follow, and everywhere.
 *
 *-------------------------------------------------------------------------
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SEED UINT64_C(20)
#define VOCABULARY_BITS 16
#define VOCABULARY ((1 << VOCABULARY_BITS) - 1)
#define LEAST_WORDS 150
#define MORE_WORDS 100			/* maximum number of further words */
#define LONGEST_WORD 13
#define COPY_EVERY 10
#define LEAST_SIMILARITY 0.3

static char vocabulary[VOCABULARY][LONGEST_WORD + 1];

/* Return the next number of a sequence (SplitMix64). */
static uint64_t
next(uint64_t *state)
{
	uint64_t	z = *state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

/* Return a number from 0 up to 1. */
static double
uniform(uint64_t *state)
{
	return (double) (next(state) >> 11) / 9007199254740992.0;
}

/* Return a number below a limit. */
static int
below(uint64_t *state, int limit)
{
	return (int) (uniform(state) * limit);
}

/* Make the words: consonants and vowels by turns, frequent words are short. */
static void
make_vocabulary(void)
{
	static const char consonants[] = "tnshrdlcmwfgpbvkjxqz";
	static const char vowels[] = "eaoiuy";
	uint64_t	state = SEED;

	for (int rank = 0; rank < VOCABULARY; rank++)
	{
		int			least = rank < 100 ? 2 : rank < 2000 ? 4 : 6;
		int			length = least + below(&state, least == 6 ? 8 : 4);
		int			vowel = below(&state, 2);

		for (int i = 0; i < length; i++)
			vocabulary[rank][i] = (i + vowel) % 2 ?
				vowels[below(&state, sizeof(vowels) - 1)] :
				consonants[below(&state, sizeof(consonants) - 1)];
	}
}

/* Draw a word: ranks 1, 2 to 3, 4 to 7 and so on are equally probable. */
static const char *
draw_word(uint64_t *state)
{
	int			ranks = 1 << below(state, VOCABULARY_BITS);

	return vocabulary[ranks - 1 + below(state, ranks)];
}

/* Print a document: the words of an original, but those from first on for
 * count replaced by others. */
static void
print_words(uint64_t original, int first, int count, uint64_t *others)
{
	int			words = LEAST_WORDS + below(&original, MORE_WORDS);

	for (int i = 0; i < words; i++)
	{
		const char *word = draw_word(&original);

		if (i >= first && i < first + count)
			word = draw_word(others);
		if (i > 0)
			putchar(' ');
		fputs(word, stdout);
	}
	putchar('\n');
}

/* Print the document of a number. */
static void
print_document(int64_t number)
{
	uint64_t	state = SEED + (uint64_t) number * UINT64_C(0xD1B54A32D192ED03);
	uint64_t	original = next(&state);
	int64_t		source = number;
	int			first = 0;
	int			count = 0;

	if (number % COPY_EVERY == 0)
	{
		/* sets of two documents of w words that share (1 - p) w have a
		 * similarity of (1 - p) / (1 + p) */
		double		similarity = LEAST_SIMILARITY + (1 - LEAST_SIMILARITY) * uniform(&state);
		int64_t		block = (int64_t) (uniform(&state) * (double) (number / COPY_EVERY));
		uint64_t	source_state;
		uint64_t	peek;
		int			words;

		source = block * COPY_EVERY + 1 + below(&state, COPY_EVERY - 1);
		source_state = SEED + (uint64_t) source * UINT64_C(0xD1B54A32D192ED03);
		original = next(&source_state);
		peek = original;
		words = LEAST_WORDS + below(&peek, MORE_WORDS);
		count = (int) ((1 - similarity) / (1 + similarity) * words + 0.5);
		first = below(&state, words - count + 1);
	}
	printf("%lld\t%lld\t", (long long) number, (long long) source);
	print_words(original, first, count, &state);
}

int
main(int argc, char **argv)
{
	int64_t		first = argc == 3 ? atoll(argv[1]) : 0;
	int64_t		last = argc == 3 ? atoll(argv[2]) : 0;

	if (first < 1)
	{
		fprintf(stderr, "usage: %s FIRST LAST\n", argv[0]);
		return 1;
	}
	make_vocabulary();
	for (int64_t number = first; number <= last; number++)
		print_document(number);
	return 0;
}
