/*-------------------------------------------------------------------------
 *
 * advice_shingling.h
 *	  Choose the shingling that fits the texts of a table.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ADVICE_SHINGLING_H
#define ADVICE_SHINGLING_H

#include "advice.h"

#define DEFAULT_SAMPLE 1000

/* Texts of one or two samples. */
typedef struct Texts
{
	int			count;
	text	  **documents;
} Texts;

/* What texts become under a shingling. */
typedef struct SetSizes
{
	int			count;			/* of texts that are not empty */
	uint32		median;
	uint32		tenth;			/* percentile */
} SetSizes;

/* A shingling, and why it was chosen. */
typedef struct ShinglingChoice
{
	const char *shingling;
	const char *reason;
} ShinglingChoice;

extern Texts draw_texts(Advice *advice);
extern uint32 parse_shingling(const char *name);
extern SetSizes measure_sets(const Texts *texts, uint32 shingling);
extern ShinglingChoice choose_shingling(const Texts *texts);

#endif							/* ADVICE_SHINGLING_H */
