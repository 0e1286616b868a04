/*-------------------------------------------------------------------------
 *
 * passage_query.h
 *	  The type passage_query: a text, and the run that another must share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PASSAGE_QUERY_H
#define PASSAGE_QUERY_H

#include "fmgr.h"

typedef struct PassageQuery
{
	text	   *document;		/* detoasted, in the caller's memory context */
	uint32		run;			/* valid */
} PassageQuery;

/*
 * Return a shingling that is valid as a run: one of texts, without "bag".
 * Reports an error for any other.
 */
extern uint32 check_run(uint32 shingling);

/*
 * Read a value of type passage_query.  Return false if its text or its run is
 * NULL.  Reports an error if the run is not valid, or if the type has been
 * altered.
 */
extern bool passage_query_read(Datum datum, PassageQuery *query);

#endif							/* PASSAGE_QUERY_H */
