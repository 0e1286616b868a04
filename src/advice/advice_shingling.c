/*-------------------------------------------------------------------------
 *
 * advice_shingling.c
 *	  Choose the shingling that fits the texts of a table.
 *
 * With longer shingles, unrelated texts share fewer of them by chance, but
 * each edit destroys more of them, which matters for short texts: one edit
 * leaves a text of s shingles of n units with a similarity of
 * (s - n) / (s + n).  So the length of the texts determines the shingling, by
 * limits that were measured on seven labeled corpora: the best F1 with the
 * recommended shingling was at least .99 of the best with any.
 *
 * There are two exceptions.  Long texts without words, such as hex digits,
 * have few runs of words, so they get the shingling of texts of medium
 * length.  Texts over a small alphabet share most short runs of letters.  For
 * texts over A, C, G and T, the best F1 was .01 with char:3 and 1 with char:5
 * at 300 letters, .35 with char:5 and 1 with char:9 at 3,500, .17 with char:2
 * and .88 with char:3 at 25.  Therefore texts drawn at random, which are
 * rarely related, are compared, and as long as half of the pairs are more
 * similar than ALIKE, the next longer shingling is tried.
 *
 * Texts may also be similar because they share a template or a prefix.  Then
 * they are similar under long shinglings, too, and the rule by length holds:
 * for codes of a prefix and six digits with typos, the best F1 was .43 with
 * char:2, .37 with char:3 and .12 with char:9.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "advice.h"
#include "compat.h"
#include "core/text/shingling.h"
#include "sign/to_minhash.h"
#include "support/utf8.h"

#define FEW_WORD_RUNS 30		/* word:3 shingles of a text without words */
#define ALIKE 0.5				/* unrelated texts are less similar */
#define STILL_ALIKE 0.25		/* same for texts of one template, by LONGEST */
#define CHARS(n) SHINGLING(SHINGLE_CHAR, n, 0)
#define WORDS(n) SHINGLING(SHINGLE_WORD, n, 0)
#define LONGEST 9				/* characters */
#define RANDOM_TEXTS 300		/* texts to compare, each with the next */
#define FEW_PAIRS 10			/* fewer pairs do not count */

/* The shingling for texts with fewer than some median of char:5 shingles. */
static const struct
{
	uint32		shingles;
	uint32		shingling;
}			rules[] = {
	{50, CHARS(2)},
	{400, CHARS(3)},
	{2000, CHARS(5)},
	{PG_UINT32_MAX, WORDS(3)}
};

/* Characters of the shingles to try in this order while texts are alike. */
static const int longer[] = {2, 3, 5, LONGEST};

/* Add the texts of a sample. */
static List *
add_texts(List *texts, Advice *advice, const char *query)
{
	advice_draw(advice, query);
	for (int i = 0; i < advice->count; i++)
		texts = lappend(texts, advice->sample[i].document);
	return texts;
}

/* Draw texts of the table, or of both. */
List *
advice_draw_texts(Advice *advice)
{
	List	   *texts = NIL;

	if (advice->other_query != NULL)
		texts = add_texts(texts, advice, advice->other_query);
	advice->max_sample = DEFAULT_SAMPLE;
	return add_texts(texts, advice, advice->query);
}

/*** Lengths ***/

/* Compare sizes, for qsort. */
static int
compare_set_sizes(const void *a, const void *b)
{
	uint32		x = *(const uint32 *) a;
	uint32		y = *(const uint32 *) b;

	return x < y ? -1 : (x > y);
}

/* Measure the number of shingles of texts. */
SetSizes
advice_measure_sets(const List *texts, uint32 shingling)
{
	SetSizes	result = {0};
	uint32	   *sizes = palloc(sizeof(uint32) * (Size) (list_length(texts) + 1));
	ShingleSet	set;
	ListCell   *cell;

	shingle_set_begin(&set);
	foreach(cell, texts)
	{
		shingle_set_read(&set, lfirst(cell), shingling);
		sizes[result.count] = set.count;
		result.count += set.count > 0;
	}
	if (result.count > 0)
	{
		qsort(sizes, result.count, sizeof(uint32), compare_set_sizes);
		result.median = sizes[result.count / 2];
		result.tenth = sizes[result.count / 10];
	}
	shingle_set_end(&set);
	pfree(sizes);
	return result;
}

/* Choose a shingling by the length of texts. */
static ShinglingChoice
choose_by_length(const List *texts)
{
	SetSizes	sizes = advice_measure_sets(texts, CHARS(5));
	int			rule = 0;
	ShinglingChoice choice = {.reason = "fits the length of the texts"};

	while (sizes.median >= rules[rule].shingles)
		rule++;
	choice.shingling = rules[rule].shingling;
	if (choice.shingling == WORDS(3) &&
		advice_measure_sets(texts, WORDS(3)).median < FEW_WORD_RUNS)
	{
		choice.shingling = CHARS(5);
		choice.reason = psprintf("for long texts of few words: half of them have fewer than %d shingles under word:3",
								 FEW_WORD_RUNS);
	}
	return choice;
}

/*** Likeness ***/

/*
 * Return true if half of the pairs of texts drawn at random are more similar
 * than a limit, by their signatures.  Exact copies, which may be frequent, do not
 * count.  Each text is compared with the one drawn before it, which costs one
 * signature per text.
 */
static bool
texts_are_alike(const List *texts, uint32 shingling, double limit)
{
	const MinHashKind kind = {shingling, SKETCH_ONE_PERMUTATION, SKETCH_DEFAULT_HASHES, 0};
	const text *last = NULL;
	const MinHash *last_sig = NULL;
	int			pairs = 0;
	int			alike = 0;

	for (int i = 0; i < Min(RANDOM_TEXTS, list_length(texts)); i++)
	{
		const text *document = list_nth(texts, (int) advice_random((uint64) list_length(texts)));
		const MinHash *sig = minhash_of_text(VARDATA_ANY(document),
											 VARSIZE_ANY_EXHDR(document), &kind);
		int			equal;
		int			compared;

		if (last != NULL && !utf8_same_text(document, last))
		{
			slots_compare(sig->slots, last_sig->slots, kind.num_hashes, &equal, &compared);
			pairs++;
			alike += equal > limit * compared;
		}
		last = document;
		last_sig = sig;
	}
	return pairs >= FEW_PAIRS && 2 * alike >= pairs;
}

/* Choose the first longer shingling under which texts are not alike. */
static void
choose_longer(ShinglingChoice *choice, const List *texts)
{
	int			last = (int) lengthof(longer) - 1;
	int			at = 0;

	while (at < last && choice->shingling != CHARS(longer[at]))
		at++;
	if (at == last || !texts_are_alike(texts, CHARS(longer[at]), ALIKE))
		return;
	if (texts_are_alike(texts, CHARS(LONGEST), STILL_ALIKE))
	{
		choice->reason = psprintf("fits the length of the texts, but half of the pairs drawn at random are more similar than %.1f, and under char:%d than %.2f",
								  ALIKE, LONGEST, STILL_ALIKE);
		return;
	}
	do
		at++;
	while (at < last && texts_are_alike(texts, CHARS(longer[at]), ALIKE));
	choice->reason = psprintf("under char:%d, half of the pairs of texts drawn at random are more similar than %.1f",
							  longer[at - 1], ALIKE);
	choice->shingling = CHARS(longer[at]);
}

/* Choose a shingling for texts. */
ShinglingChoice
advice_choose_shingling(const List *texts)
{
	ShinglingChoice choice = choose_by_length(texts);

	choose_longer(&choice, texts);
	return choice;
}
