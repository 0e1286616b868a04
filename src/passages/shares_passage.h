/*-------------------------------------------------------------------------
 *
 * shares_passage.h
 *	  Test whether texts share a passage with one that is kept.
 *
 * Set a KeptText to zeros and its context to a memory context of its own.  Call
 * kept_text_set(), then kept_text_shares() for each other text.  To free the
 * memory, delete the context.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SHARES_PASSAGE_H
#define SHARES_PASSAGE_H

#include "fmgr.h"

#include "core/passages/seeds.h"
#include "passage_query.h"

/* A kept text.  Callers set only context, and read only query. */
typedef struct KeptText
{
	MemoryContext context;		/* holds all pointers below; reset by
								 * kept_text_set() */
	PassageQuery query;			/* document is a copy; NULL if none is kept */
	HashTable	numbers;		/* of its units */
	Units		units;
	SeedTable	table;
	Units		other;			/* the units of the text that is compared */
} KeptText;

/*
 * Keep a copy of the text of a query, cut into units, in place of the last one.
 * Raises an error, and keeps no text, if it is not valid in its encoding.
 * Checks for interrupts.
 */
extern void kept_text_set(KeptText *kept, const PassageQuery *query);

/*
 * Return true if a document and the kept text, which must have been set, share
 * a passage as the query asks for.  Raises an error if the part of the document
 * that is read is not valid in its encoding.  Checks for interrupts.
 */
extern bool kept_text_shares(KeptText *kept, text *document);

/*
 * The operator text &&~ passage_query.  Declared so that planner code can
 * recognize it by the address of this function.
 */
extern Datum passage_match(PG_FUNCTION_ARGS);

#endif							/* SHARES_PASSAGE_H */
