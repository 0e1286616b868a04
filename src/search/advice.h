/*-------------------------------------------------------------------------
 *
 * advice.h
 *	  A sample of a table's texts, compared with all texts of a table.
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
	uint32		count;			/* the lowest hashes of its set, in order */
	uint64		hashes[ADVICE_SKETCH];
} AdvicePartner;

/* What a row of the sample met in one step: similar, but no exact copies. */
typedef struct AdviceStep
{
	int64		count;
	AdvicePartner *partners[ADVICE_PARTNERS];	/* a random choice */
} AdviceStep;

/* A row of the sample. */
typedef struct AdviceSampled
{
	text	   *key;
	text	   *document;
	int64		copies;			/* rows of the very same text, itself included */
	AdviceStep *steps[ADVICE_STEPS];	/* NULL: nothing met */
} AdviceSampled;

/* A pair of a row of the sample and another. */
typedef struct AdvicePair
{
	int			sampled;
	AdvicePartner *partner;
} AdvicePair;

/* Pairs of a step, a random choice of all. */
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
	char	   *other_query;	/* NULL: the table is compared with itself */
	uint32		shingling;
	int			max_sample;
	int			max_pairs;
	MemoryContext context;		/* of all that is kept */

	/* The sample. */
	int64		rows;			/* all of the first table */
	int64		nulls;
	int64		empty;			/* texts without a shingle; of the sample */
	AdviceSampled *sample;
	int			count;
	Size		bytes;			/* of its texts */

	/* What it was compared with. */
	int64		other_rows;
	uint64		work;			/* steps that this took */
	double		fine[ADVICE_FINE_PARTS + 1];	/* pairs by similarity */
	AdvicePairs steps[ADVICE_STEPS];
} Advice;

extern void advice_draw(Advice *advice, const char *query);
extern void advice_compare(Advice *advice);
extern text *advice_excerpt(text *document);
extern bool advice_same_text(const text *a, const text *b);
extern uint64 advice_random(uint64 limit);

#endif							/* ADVICE_H */
