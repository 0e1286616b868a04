/*-------------------------------------------------------------------------
 *
 * passage_query.h
 *	  The type passage_query: a text, and what another must share with it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PASSAGE_QUERY_H
#define PASSAGE_QUERY_H

#include "fmgr.h"

#include "core/passages/alignment.h"

typedef struct PassageQuery
{
	text	   *document;		/* detoasted, in the caller's memory context */
	uint32		run;			/* valid */
	uint32		seed;			/* the run that all passages contain */
	PassageRule rule;
} PassageQuery;

/*
 * Return a shingling that is valid as a run: one of texts, without "bag".
 * Raises ERRCODE_INVALID_PARAMETER_VALUE for any other.
 */
extern uint32 passage_check_run(uint32 shingling);

/*
 * Set all of a query but its text.  Return false, and set nothing, if one is
 * not valid.
 */
extern bool passage_query_set(PassageQuery *query, uint32 run, int32 length,
							  int32 edits);

/*
 * Set all of a query but its text.  Raises ERRCODE_INVALID_PARAMETER_VALUE for a
 * value that is not valid.
 */
extern void passage_query_check(PassageQuery *query, uint32 run, int32 length,
								int32 edits);

/*
 * Read a value of type passage_query.  Return false if one of its columns is NULL
 * or not valid; if check is set, as for all but the planner, raise
 * ERRCODE_INVALID_PARAMETER_VALUE if one is not valid.  Raises
 * ERRCODE_DATATYPE_MISMATCH if the type has been altered.
 */
extern bool passage_query_read(Datum datum, bool check, PassageQuery *query);

#endif							/* PASSAGE_QUERY_H */
