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

#include "advice_rows.h"

#define ADVICE_PARTS 20			/* parts of the range of similarity */
#define ADVICE_FIRST_PART 2		/* pairs below, at .1, are not looked at */
#define ADVICE_STEPS (ADVICE_PARTS + 1) /* one for 1 itself */
#define ADVICE_FINE_PARTS 100	/* of the histogram of all pairs */
#define ADVICE_MAX_PAIRS 200	/* examples of a step */
#define ADVICE_PARTNERS 2		/* rows that are kept for a row and a step */
#define ADVICE_SKETCH 128		/* hashes that are kept of their sets */

/* A row that is similar to one of the sample. */
typedef struct AdvicePartner
{
	double		similarity;
	text	   *key;
	text	   *excerpt;
	uint32		count;			/* the lowest hashes of its set, ascending */
	uint64		hashes[ADVICE_SKETCH];
} AdvicePartner;

/* The similar rows of a sampled row in one step, without exact copies. */
typedef struct AdviceStep
{
	int64		count;
	AdvicePartner *partners[ADVICE_PARTNERS];	/* chosen at random */
} AdviceStep;

/* A row of the sample. */
typedef struct AdviceSampled
{
	text	   *key;
	text	   *document;
	int64		copies;			/* rows with the same text, itself included */
	AdviceStep *steps[ADVICE_STEPS];	/* NULL: no similar row */
} AdviceSampled;

/* A pair of a row of the sample and another. */
typedef struct AdvicePair
{
	int			sampled;
	AdvicePartner *partner;
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
	/* What is read. */
	char	   *query;
	char	   *other_query;	/* NULL: compare the table with itself */
	uint32		shingling;
	int			max_sample;
	int			max_pairs;
	MemoryContext context;		/* owns the results */

	/* The sample. */
	int64		rows;			/* of the first table, in total */
	int64		nulls;
	int64		empty;			/* sampled texts without a shingle */
	AdviceSampled *sample;
	int			count;
	Size		bytes;			/* of its texts */

	/* The comparison. */
	int64		other_rows;		/* rows compared with the sample */
	uint64		work;			/* steps of the inverted list */
	double		fine[ADVICE_FINE_PARTS + 1];	/* pairs by similarity */
	AdvicePairs steps[ADVICE_STEPS];
} Advice;

extern void advice_draw(Advice *advice, const char *query);
extern void advice_compare(Advice *advice);
extern text *advice_excerpt(text *document);
extern bool advice_same_text(const text *a, const text *b);
extern uint64 advice_random(uint64 limit);

#endif							/* ADVICE_H */
