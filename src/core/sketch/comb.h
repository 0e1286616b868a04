/*-------------------------------------------------------------------------
 *
 * comb.h
 *	  A tile of up to 256 signatures, to compare others with all of them at once.
 *
 * comb.c defines the comb.  num_hashes is 1 to SKETCH_MAX_HASHES.  All
 * signatures must have the same number of hashes and method, which the caller
 * checks.  No function fails or allocates memory.
 *
 * Call comb_begin() and comb_set_threshold(), then for each tile comb_clear(),
 * comb_add() for each of its signatures, and comb_filter() for each signature
 * to compare with them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMB_H
#define COMB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/bit_counts.h"

#define COMB_TILE ROW_BITS		/* signatures of a tile */
#define COMB_WORDS ROW_WORDS	/* of a set of its places */
#define COMB_LEVELS 13			/* rows of counts up to SKETCH_MAX_HASHES */

/* A tile of signatures.  Fields are private. */
typedef struct Comb
{
	int			num_hashes;
	int			bits;			/* of a slot that are compared */
	int			levels;			/* rows of a count */
	int			count;			/* signatures of the tile */
	int			most_empty;		/* empty slots of one of them, at most */
	uint16_t   *least_equal;	/* equal slots that reach the threshold, by
								 * the number of slots empty in both */
	RowPart    *rows;
} Comb;

/* Return the bytes of memory that comb_begin() needs, a multiple of ROW_BYTES. */
extern size_t comb_size(int num_hashes);

/*
 * Prepare for tiles.  memory is aligned to ROW_BYTES, and must live as long as
 * the comb.
 */
extern void comb_begin(Comb *comb, void *memory, int num_hashes);

/* Set the threshold, above 0 and at most 1, of later calls of comb_filter(). */
extern void comb_set_threshold(Comb *comb, double threshold);

/* Begin a tile without signatures. */
extern void comb_clear(Comb *comb);

/* Add a signature to the tile, which has fewer than COMB_TILE; it is not copied. */
extern void comb_add(Comb *comb, const uint16_t *slots);

/*
 * Find the signatures of the tile that may be similar to a signature: bit i % 64
 * of found[i / 64] is that of the signature added as the i-th, from 0.  Return
 * false if there are none.
 *
 * A signature is left out only if its estimated similarity is below the
 * threshold, or there is no estimate because all slots of both are empty.
 */
extern bool comb_filter(const Comb *comb, const uint16_t *slots,
						uint64_t found[COMB_WORDS]);

#endif							/* COMB_H */
