/*-------------------------------------------------------------------------
 *
 * advice_rows.h
 *	  Read the texts of a table, with the rights of the caller.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ADVICE_ROWS_H
#define ADVICE_ROWS_H

#include "fmgr.h"

/* A row of a table: a key that shows which, and a text; either may be NULL. */
typedef struct AdviceRow
{
	text	   *key;
	text	   *document;
} AdviceRow;

/* Called for every row, in a memory context that is emptied after it. */
typedef void (*AdviceRowHook) (const AdviceRow *row, void *data);

extern char *advice_query(Oid relation, const char *column);
extern void advice_read(const char *query, AdviceRowHook hook, void *data);

#endif							/* ADVICE_ROWS_H */
