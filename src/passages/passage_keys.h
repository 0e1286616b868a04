/*-------------------------------------------------------------------------
 *
 * passage_keys.h
 *	  The winnowed fingerprints of a text.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PASSAGE_KEYS_H
#define PASSAGE_KEYS_H

#include "core/passages/winnow.h"

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

#endif							/* PASSAGE_KEYS_H */
