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
 * length.  Texts over a small alphabet have few different runs of letters, and
 * share most of them.  For texts over A, C, G and T, the best F1 was .01 with
 * char:3 and 1 with char:5 at 300 letters, .35 with char:5 and 1 with char:9 at
 * 3,500, .17 with char:2 and .88 with char:3 at 25.  Such a text also repeats
 * its runs: as long as fewer than DIFFERENT of its shingles are different, the
 * next longer shingling is tried.  Longer repetitions do not count.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "advice.h"
#include "compat.h"
#include "core/text/shingling.h"

#define FEW_WORD_RUNS 30		/* word:3 shingles of a text without words */
#define DIFFERENT 0.6			/* shingles of a text over a large alphabet */
#define CHARS(n) SHINGLING(SHINGLE_CHAR, n, 0)
#define WORDS(n) SHINGLING(SHINGLE_WORD, n, 0)
#define LONGEST 9				/* characters */

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

/* Characters of the shingles to try in this order while texts repeat them. */
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
	advice->max_sample = ADVICE_DEFAULT_SAMPLE;
	return add_texts(texts, advice, advice->query);
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
		qsort(sizes, result.count, sizeof(uint32), oid_cmp);	/* of any uint32 */
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

/*
 * Choose the first longer shingling of which the texts repeat few.  A text that has
 * c different runs of LONGEST letters, which it hardly repeats by chance, has c +
 * LONGEST - n of n letters.
 */
static void
choose_longer(ShinglingChoice *choice, const List *texts)
{
	uint32		runs = advice_measure_sets(texts, CHARS(LONGEST)).median;

	for (int i = 0; i + 1 < (int) lengthof(longer) && runs >= LONGEST; i++)
	{
		uint32		median;

		if (choice->shingling != CHARS(longer[i]))
			continue;
		median = advice_measure_sets(texts, choice->shingling).median;
		if (median >= DIFFERENT * (runs + LONGEST - longer[i]))
			return;
		choice->shingling = CHARS(longer[i + 1]);
		choice->reason = psprintf("for texts of few letters: half of them have at most %u different shingles under char:%d",
								  median, longer[i]);
	}
}

/* Choose a shingling for texts. */
ShinglingChoice
advice_choose_shingling(const List *texts)
{
	ShinglingChoice choice = choose_by_length(texts);

	choose_longer(&choice, texts);
	return choice;
}
