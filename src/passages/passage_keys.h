/*-------------------------------------------------------------------------
 *
 * passage_keys.h
 *	  The winnowed fingerprints of a text, for the run of an index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PASSAGE_KEYS_H
#define PASSAGE_KEYS_H

#include "access/stratnum.h"

#include "core/passages/winnow.h"

#define PASSAGE_STRATEGY 1		/* of passage_ops: text &&~ passage_query */

/* Keys of a text, all different, in ascending order. */
typedef struct PassageKeys
{
	Size		count;
	int32	   *keys;			/* in the caller's memory context */
} PassageKeys;

/*
 * Compute the keys of a document in the database encoding, for a valid run and
 * a list of common k-grams, or NULL (see core/passages/winnow.c).  A document without
 * units has no keys.  Can be interrupted; raises an error if the document is
 * not valid in its encoding.
 */
extern PassageKeys passage_keys_read(text *document, uint32 run,
									 const CommonGrams *common);

/*
 * Convert keys to Datums of type integer, in the current memory context; they
 * may take more than 1 GB.
 */
extern Datum *passage_keys_to_datums(const PassageKeys *keys);

/*
 * Return the run of an index column, a valid shingling without "bag", given the
 * options of its operator class; NULL stands for the default, word:12.
 */
extern uint32 passage_index_run(const bytea *options);

#endif							/* PASSAGE_KEYS_H */
