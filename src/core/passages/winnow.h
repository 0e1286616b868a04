/*-------------------------------------------------------------------------
 *
 * winnow.h
 *	  Select fingerprints of a text so that texts with a common run of units
 *	  have a common fingerprint.
 *
 * A run is a shingling without "bag": 'word:12' stands for 12 consecutive
 * words.  The fingerprints of a text are its keys, 32-bit numbers.  Two texts
 * that share a shingle of the run also share a key.  The converse does not
 * hold, so the caller has to verify every pair that has a common key.
 *
 * Call winnow_begin(), then winnow_next() until reader.done is set:
 *
 *	winnow_begin(&winnower, run, NULL, text, length);
 *	while (!winnower.reader.done)
 *		count = winnow_next(&winnower, keys);
 *
 * The text must stay valid until then.  No function allocates memory.
 *
 * Given a list of k-grams that are common in a table, winnowing selects one of
 * these only where a text has no others, so that a key leads to fewer texts.
 * Then a common key is certain only if both texts are winnowed with the same
 * list.  A list names a k-gram by a 63-bit number, winnow_gram() of its hash.
 *
 *-------------------------------------------------------------------------
 */
#ifndef WINNOW_H
#define WINNOW_H

#include "core/text/shingle.h"

#define WINNOW_BATCH 1024		/* most keys that one call returns */

#define COMMON_GRAMS_MAX 15000	/* maximum length of a list */
#define COMMON_FILTER_BITS 18
#define COMMON_PLACE_BITS 15
#define COMMON_PLACES (1 << COMMON_PLACE_BITS)

/* A list of k-grams.  Initialize it with common_grams_init(). */
typedef struct CommonGrams
{
	uint64_t	factor;			/* secret and odd */
	uint8_t		filter[(1 << COMMON_FILTER_BITS) / 8];	/* a bitmap */
	uint64_t	grams[COMMON_PLACES];	/* 0: the place is free */
} CommonGrams;

/* State of a text that is being read; keep it on the stack (see shingle.h). */
typedef struct Winnower
{
	ShingleReader reader;		/* of the text's k-grams */
	const CommonGrams *common;	/* k-grams that rank last, or NULL */
	int			window;			/* k-grams of a window, w */
	int			count;			/* k-grams in orders */
	int			smallest;		/* place of the last window's smallest order,
								 * the rightmost of equal ones */
	bool		any;			/* a key has been returned */
	uint64_t	last;			/* the order that the last key was made from */
	uint64_t	orders[SHINGLE_MAX_SIZE + WINNOW_BATCH];
} Winnower;

/* Return the shingling of a run's k-grams: the same unit and flags, size k. */
extern uint32_t winnow_grams(uint32_t run);

/*
 * Return true if texts that share a shingle of the run longer always share one
 * of run, so that keys for run find them: both have the same unit and the same
 * flag raw, and run is not the longer one.
 */
extern bool winnow_covers(uint32_t run, uint32_t longer);

/* Return the number by which lists name the k-gram with a hash. */
static inline uint64_t
winnow_gram(uint64_t hash)
{
	return hash & (UINT64_MAX >> 1);
}

/*
 * Initialize a list with count k-grams, at most COMMON_GRAMS_MAX.  The secret
 * should be random.  The k-gram 0 counts as not listed, even if it is there: it
 * can lead to more texts, but two texts with a common run still share a key.
 */
extern void common_grams_init(CommonGrams *list, const uint64_t *grams,
							  size_t count, uint64_t secret);

/*
 * Start reading a text of len bytes, to be winnowed for a run.  common is a
 * list of k-grams of the same run, or NULL; it must stay valid, too.
 */
extern void winnow_begin(Winnower *winnower, uint32_t run,
						 const CommonGrams *common, const char *text,
						 size_t len);

/*
 * Read on, and store the next keys, in text order, into an array with room for
 * WINNOW_BATCH.  A key can be returned again later in the text, but not twice
 * in a row.
 *
 * Returns the number of keys, which can be 0 before the end.  Errors and
 * interrupts are those of the reader.
 */
extern int	winnow_next(Winnower *winnower, int32_t *keys);

#endif							/* WINNOW_H */
