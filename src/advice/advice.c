/*-------------------------------------------------------------------------
 *
 * advice.c
 *	  Compare a sample of a table's texts with all texts of a table.
 *
 * The pairs of a table show whether a shingling and a threshold fit it.  Two
 * sampled rows are hardly ever duplicates of each other, however many the
 * table contains, so every sampled row is compared with every row of the
 * table.  That is a random sample of all pairs.  The similarities are exact:
 * the rows of the table are matched against an inverted index of the sample's
 * shingles (inverted_index.c).  The table is read twice, once for the sample
 * (reservoir sampling, Vitter 1985) and once for the comparison.
 *
 * The histogram counts all pairs.  Of the pairs themselves, a random sample
 * is kept for each step of similarity.
 *
 * Limits: the inverted index holds at most MAX_HASHES shingles; beyond that,
 * shingles with hashes above a limit are ignored in all texts.  The sample
 * holds at most SAMPLE_BYTES of texts, and fewer rows if they are longer.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "advice.h"
#include "compat.h"
#include "core/base/hash.h"
#include "core/base/inverted_index.h"
#include "support/server_memory.h"
#include "support/utf8.h"

#define SAMPLE_BYTES ((Size) 256 * 1024 * 1024)
#define MIN_SAMPLE 2
#define MAX_HASHES (4 * 1024 * 1024)
#define EXCERPT_CHARS 1000

static uint64 random_state = 0;

/* Return a pseudo-random number below a limit, which is at least 1. */
static uint64
random_below(uint64 limit)
{
	return splitmix64(&random_state) % limit;
}

/* Copy a text, or NULL, into the context of the results. */
static text *
keep_text(const Advice *advice, const text *value)
{
	return value == NULL ? NULL :
		memcpy(MemoryContextAllocHuge(advice->context, VARSIZE_ANY(value)), value,
			   VARSIZE_ANY(value));
}

/* Return the beginning of a text. */
text *
advice_excerpt(text *document)
{
	int			len = (int) VARSIZE_ANY_EXHDR(document);
	int			kept = pg_mbcharcliplen(VARDATA_ANY(document), len,
										EXCERPT_CHARS);

	return cstring_to_text(psprintf("%.*s%s", kept, VARDATA_ANY(document),
									kept < len ? " ..." : ""));
}

/*** The sample ***/

/* Remove a row from the sample. */
static void
drop_sampled(Advice *advice, int place)
{
	AdviceSampled *dropped = &advice->sample[place];

	advice->bytes -= VARSIZE_ANY(dropped->document);
	if (dropped->key != NULL)
		pfree(dropped->key);
	pfree(dropped->document);
	*dropped = advice->sample[--advice->count];
}

/* Sample a row with the same probability as each row before it. */
static void
draw_row(const AdviceRow *row, void *data)
{
	Advice	   *advice = data;
	int64		candidates;
	AdviceSampled *new;

	advice->rows++;
	if (row->document == NULL)
	{
		advice->nulls++;
		return;
	}
	candidates = advice->rows - advice->nulls;
	if (candidates > advice->max_sample)
	{
		if (random_below((uint64) candidates) >= (uint64) advice->max_sample)
			return;
		drop_sampled(advice, (int) random_below((uint64) advice->count));
	}
	new = &advice->sample[advice->count++];
	*new = (AdviceSampled) {
		.key = keep_text(advice, row->key),
		.document = keep_text(advice, row->document)
	};
	advice->bytes += VARSIZE_ANY(new->document);
	while (advice->bytes > SAMPLE_BYTES && advice->count > MIN_SAMPLE)
	{
		drop_sampled(advice, (int) random_below((uint64) advice->count));
		advice->max_sample = advice->count;
	}
}

/* Draw a sample of the rows of a query. */
void
advice_draw(Advice *advice, const char *query)
{
	random_state = 1;
	advice->rows = 0;
	advice->nulls = 0;
	advice->bytes = 0;
	advice->count = 0;
	advice->sample = MemoryContextAllocHuge(advice->context,
											sizeof(AdviceSampled) *
											((Size) advice->max_sample + 1));
	advice_read(query, draw_row, advice);
}

/*** The comparison ***/

/* State of the comparison. */
typedef struct Comparison
{
	Advice	   *advice;
	ShingleSet	set;			/* of the current row */
	InvertedIndex index;
	uint32	   *sizes;			/* of the sampled sets */
	const AdviceRow *row;		/* the current row */
} Comparison;

/* Count the shingles of the sample; return false if they are too many. */
static bool
count_sample(Comparison *comparison)
{
	Advice	   *advice = comparison->advice;
	ShingleSet *set = &comparison->set;
	uint64		hashes = 0;

	inverted_index_begin(&comparison->index, (uint32) advice->count,
						 server_secret());
	for (int i = 0; i < advice->count && hashes <= MAX_HASHES; i++)
	{
		shingle_set_read(set, advice->sample[i].document, advice->shingling);
		inverted_index_count(&comparison->index, set->hashes, set->count);
		comparison->sizes[i] = set->count;
		hashes += set->count;
	}
	if (hashes > MAX_HASHES)
		inverted_index_end(&comparison->index);
	return hashes <= MAX_HASHES;
}

/* Build the inverted index of the sample, of half of the hashes as often as needed. */
static void
index_sample(Comparison *comparison)
{
	Advice	   *advice = comparison->advice;
	ShingleSet *set = &comparison->set;

	comparison->sizes = palloc(sizeof(uint32) * (Size) Max(advice->count, 1));
	while (!count_sample(comparison))
		set->highest /= 2;
	inverted_index_place(&comparison->index);
	for (int i = 0; i < advice->count; i++)
	{
		shingle_set_read(set, advice->sample[i].document, advice->shingling);
		inverted_index_add(&comparison->index, (uint32) i, set->hashes, set->count);
	}
}

/* Free the texts of a pair. */
static void
free_pair(AdvicePair *pair)
{
	if (pair->key != NULL)
		pfree(pair->key);
	pfree(pair->excerpt);
}

/*
 * Keep a sampled row and the current row in the random sample of pairs of their
 * step (Vitter's algorithm R).
 */
static void
keep_pair(Comparison *comparison, int sampled, double similarity, AdvicePairs *pairs)
{
	Advice	   *advice = comparison->advice;
	const AdviceRow *row = comparison->row;
	int64		place = pairs->count;

	pairs->seen++;
	if (pairs->count < advice->max_pairs)
		pairs->count++;
	else
	{
		place = (int64) random_below((uint64) pairs->seen);
		if (place >= pairs->count)
			return;
		free_pair(&pairs->pairs[place]);
	}
	pairs->pairs[place] = (AdvicePair) {
		sampled, similarity, keep_text(advice, row->key),
		keep_text(advice, advice_excerpt(row->document))
	};
}

/* Return true if a sampled row has the same text as the current row. */
static bool
is_copy(const Comparison *comparison, int number)
{
	return comparison->index.common[number] == comparison->set.count &&
		utf8_same_text(comparison->row->document,
					   comparison->advice->sample[number].document);
}

/*
 * Record the similarity of a sampled row and the current row, which may be a copy,
 * perhaps as an example.
 */
static void
note_common(Comparison *comparison, int number, bool copy, bool is_example)
{
	Advice	   *advice = comparison->advice;
	AdviceSampled *sampled = &advice->sample[number];
	double		common = comparison->index.common[number];
	double		similarity = common / (comparison->set.count +
									   comparison->sizes[number] - common);
	int			step = (int) (similarity * ADVICE_PARTS + 1e-9);

	advice->fine[(int) (similarity * ADVICE_FINE_PARTS + 1e-9)]++;
	if (copy)
		sampled->copies++;
	else if (similarity >= (double) ADVICE_FIRST_PART / ADVICE_PARTS)
	{
		sampled->similar[step]++;
		if (is_example)
			keep_pair(comparison, number, similarity, &advice->steps[step]);
	}
}

/*
 * Compare a row with the sample, and record all sampled rows with something in
 * common.
 *
 * Of one table, a pair of two sampled rows is found from both sides.  It is an
 * example only where the sampled row is the first of the two.
 */
static void
compare_row(const AdviceRow *row, void *data)
{
	Comparison *comparison = data;
	Advice	   *advice = comparison->advice;
	bool		is_example = true;

	if (row->document == NULL)
		return;
	advice->other_rows++;
	comparison->row = row;
	shingle_set_read(&comparison->set, row->document, advice->shingling);
	inverted_index_compare(&comparison->index, comparison->set.hashes,
						   comparison->set.count);
	for (int i = 0; i < advice->count; i++)
		if (comparison->index.common[i] > 0)
		{
			bool		copy = is_copy(comparison, i);

			is_example &= advice->other_query != NULL || !copy;
			note_common(comparison, i, copy, is_example);
		}
}

/* Compare the sample with all rows of its own table, or of the other table. */
void
advice_compare(Advice *advice)
{
	Comparison	comparison = {.advice = advice};

	advice->other_rows = 0;
	memset(advice->fine, 0, sizeof(advice->fine));
	memset(advice->steps, 0, sizeof(advice->steps));
	shingle_set_begin(&comparison.set);
	index_sample(&comparison);
	advice_read(advice->other_query ? advice->other_query : advice->query,
				compare_row, &comparison);
	inverted_index_end(&comparison.index);
	shingle_set_end(&comparison.set);
}
