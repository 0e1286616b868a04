/*-------------------------------------------------------------------------
 *
 * advice.h
 *	  Compare a sample of a table's texts with all texts of a table.
 *
 * The caller allocates an Advice with zeros and sets query, other_query,
 * shingling, max_sample, max_pairs and context; then it calls advice_draw()
 * and advice_compare(), and reads the results.  It may do so again after a
 * reset of the context, which owns all results.
 *
 * advice_rows.c reads the tables, with the privileges of the caller.
 * advice_shingling.c chooses the shingling that fits the texts; its results are
 * palloc'd in the current memory context, except for the texts, which belong to
 * the context of the Advice.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ADVICE_H
#define ADVICE_H

#include "fmgr.h"
#include "nodes/pg_list.h"
#include "utils/tuplestore.h"

#include "core/base/hash_table.h"

#define ADVICE_PARTS 20			/* steps of similarity below 1 */
#define ADVICE_FIRST_PART 2		/* pairs below .1 are ignored */
#define ADVICE_STEPS (ADVICE_PARTS + 1) /* one more for similarity 1 */
#define ADVICE_FINE_PARTS 100	/* bins of the histogram of all pairs */
#define ADVICE_MAX_PAIRS 100	/* example pairs per step */
#define ADVICE_DEFAULT_SAMPLE 1000	/* texts per table */

/*** Reading rows (advice_rows.c) ***/

/* A text and a key that identifies its row to the user; either may be NULL. */
typedef struct AdviceRow
{
	text	   *key;
	text	   *document;
} AdviceRow;

/*
 * Called for each row, in a memory context that is reset afterwards; so the
 * texts must be copied to be kept.
 */
typedef void (*AdviceRowHook) (const AdviceRow *row, void *data);

/*
 * Return a query, palloc'd, for keys and texts of a column.  Raises an error
 * if the relation or the column does not exist or is of the wrong kind.  The
 * query does not depend on search_path.
 */
extern char *advice_query(Oid relation, const char *column);

/*
 * Run a query of advice_query() under the active snapshot and call hook for
 * each row.  Raises an error if the caller may not read the table.  Can be
 * cancelled.
 */
extern void advice_read(const char *query, AdviceRowHook hook, void *data);

/*** The sample and its comparison (advice.c) ***/

/* A row of the sample. */
typedef struct AdviceSampled
{
	text	   *key;
	text	   *document;
	int64		copies;			/* rows with the same text, itself included */
	int64		similar[ADVICE_STEPS];	/* other rows of each step */
} AdviceSampled;

/* A sampled row and a similar row, of which key may be NULL. */
typedef struct AdvicePair
{
	int			sampled;		/* index of the sampled row */
	double		similarity;
	text	   *key;
	text	   *excerpt;
} AdvicePair;

/* Pairs of a step, chosen at random from all pairs seen. */
typedef struct AdvicePairs
{
	int64		seen;
	int			count;
	AdvicePair	pairs[ADVICE_MAX_PAIRS];
} AdvicePairs;

typedef struct Advice
{
	/* Input. */
	char	   *query;
	char	   *other_query;	/* NULL: compare the table with itself */
	uint32		shingling;
	int			max_sample;
	int			max_pairs;
	MemoryContext context;		/* owns the results */

	/* For the SQL function: the rows that it returns. */
	Tuplestorestate *result;
	TupleDesc	desc;

	/* The sample. */
	int64		rows;			/* of the first table, in total */
	int64		nulls;
	AdviceSampled *sample;
	int			count;
	Size		bytes;			/* of its texts */

	/* The comparison. */
	int64		other_rows;		/* rows compared with the sample */
	double		fine[ADVICE_FINE_PARTS + 1];	/* pairs by similarity */
	AdvicePairs steps[ADVICE_STEPS];
} Advice;

/*
 * Draw a sample of at most max_sample rows from a query of advice_query().
 * It replaces the previous sample, whose texts remain in the context.  Also
 * resets the random numbers, so that the same rows give the same advice.
 */
extern void advice_draw(Advice *advice, const char *query);

/* Compare the sample with all rows of the table, or of the other table. */
extern void advice_compare(Advice *advice);

/* Return the first 1,000 characters of a text, palloc'd. */
extern text *advice_excerpt(text *document);

/*** Sets of shingles (shingle_set.c) ***/

/*
 * The set of the text read last; callers read the first three fields.
 *
 * Call shingle_set_begin(), then shingle_set_read() for one text after the other,
 * and shingle_set_end().  The hashes belong to the context that is current in
 * shingle_set_begin(): 8 bytes a shingle of the longest text so far, up to
 * doubled.
 */
typedef struct ShingleSet
{
	uint64	   *hashes;			/* distinct, in the order of the text */
	uint32		count;
	uint64		highest;		/* larger hashes are left out */
	uint32		room;			/* of hashes */
	HashTable	table;			/* while a text is read: its shingles */
} ShingleSet;

/* Start an empty set, which keeps all hashes until highest is lowered. */
extern void shingle_set_begin(ShingleSet *set);

/*
 * Replace the set by that of a text, given in the database encoding.  Errors
 * out if the text is not valid in it.
 */
extern void shingle_set_read(ShingleSet *set, text *document, uint32 shingling);

/* Free the memory. */
extern void shingle_set_end(ShingleSet *set);

/*** The shingling (advice_shingling.c) ***/

/* Number of shingles of texts under a shingling. */
typedef struct SetSizes
{
	int			count;			/* texts that are not empty */
	uint32		median;
	uint32		tenth;			/* 10th percentile */
} SetSizes;

/* A shingling and the reason for it, a phrase for the user. */
typedef struct ShinglingChoice
{
	uint32		shingling;
	const char *reason;
} ShinglingChoice;

/*
 * Draw texts of the table, or of both, with advice_draw(); sets max_sample.  The
 * functions below take such a list of texts, which may be empty.
 */
extern List *advice_draw_texts(Advice *advice);

/* Measure the number of shingles of texts; zeros if all are empty. */
extern SetSizes advice_measure_sets(const List *texts, uint32 shingling);

/* Choose a shingling for texts.  Can be cancelled. */
extern ShinglingChoice advice_choose_shingling(const List *texts);

#endif							/* ADVICE_H */
