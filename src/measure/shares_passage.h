/*-------------------------------------------------------------------------
 *
 * shares_passage.h
 *	  The operator text &&~ passage_query.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SHARES_PASSAGE_H
#define SHARES_PASSAGE_H

#include "fmgr.h"

/*
 * Return true if a text shares a passage with a query.  Declared so that
 * planner code can recognize the operator by the address of this function.
 */
extern Datum passage_match(PG_FUNCTION_ARGS);

#endif							/* SHARES_PASSAGE_H */
