/*-------------------------------------------------------------------------
 *
 * passage_stats.h
 *	  A small sample of the texts of a column, from its statistics.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PASSAGE_STATS_H
#define PASSAGE_STATS_H

#include "utils/selfuncs.h"

typedef struct TextSample
{
	int			count;
	text	  **values;			/* no NULLs; bytes_to_utf8() accepts them */
	double	   *weights;		/* share of the rows that each stands for */
} TextSample;

/*
 * Return a sample of a column that has statistics.  It is valid until the next
 * call.  The caller must make sure that the user may see the statistics.
 */
extern const TextSample *passage_stats_sample(const VariableStatData *column);

/*
 * Return true if bytes_to_utf8() cannot fail for a text.  In encodings other
 * than UTF-8 the result is true only for ASCII.
 */
extern bool passage_stats_readable(const text *value);

#endif							/* PASSAGE_STATS_H */
