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

#include "sign/shingles.h"

/* A kept text.  Callers set only context and by_hash, and read only run. */
typedef struct KeptText
{
	MemoryContext context;		/* holds all pointers below; reset by
								 * kept_text_set() */
	bool		by_hash;		/* are equal hashes enough, as for estimates? */
	text	   *document;		/* a copy; NULL if no text is kept */
	uint32		run;
	Size		count;			/* shingles, repetitions included */
	Size		room;			/* of hashes */
	uint64	   *hashes;			/* of the shingles, in document order */
	uint64		factor;			/* secret and odd; see lshsim_secret() */
	int			shift;			/* 64 - log2 of the table's size */
	uint32	   *table;			/* positions in hashes, from 1; 0 if free */
	uint8	   *filter;			/* a bit is set if a hash maps to it */
	ShingleList list;			/* made at the first match */
} KeptText;

/*
 * Keep a copy of a text and the hashes of its shingles under the shingling run,
 * in place of the last text.  Raises an error, and keeps no text, if it is not
 * valid in its encoding.  Checks for interrupts.
 */
extern void kept_text_set(KeptText *kept, text *document, uint32 run);

/*
 * Return true if a document and the kept text, which must have been set, have a
 * shingle of the run in common.  Raises an error if the document is not valid
 * in its encoding.  Checks for interrupts.  If the result is true, memory in
 * the current memory context remains allocated.
 */
extern bool kept_text_shares(KeptText *kept, text *document);

/*
 * The operator text &&~ passage_query.  Declared so that planner code can
 * recognize it by the address of this function.
 */
extern Datum passage_match(PG_FUNCTION_ARGS);

#endif							/* SHARES_PASSAGE_H */
