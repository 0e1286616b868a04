/*-------------------------------------------------------------------------
 *
 * weighted.h
 *	  Signatures of weighted sets.  Pure: no PostgreSQL.
 *
 *-------------------------------------------------------------------------
 */
#ifndef WEIGHTED_H
#define WEIGHTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sketch.h"

/* An element of a weighted set, by its hash. */
typedef struct WeightedElement
{
	uint64_t	hash;
	double		weight;			/* positive and finite */
} WeightedElement;

/* A weighted set that is being read. */
typedef struct Darts
{
	int			num_hashes;
	int			slots_hit;
	int			scale;			/* ranks count in units of 2^-scale */
	double		done;			/* darts of a lower rank have been thrown */
	double		limit;			/* darts of a lower rank are being thrown */
	uint64_t	ranks[SKETCH_MAX_HASHES];	/* of a slot's best dart */
	uint16_t	codes[SKETCH_MAX_HASHES];	/* what it is known by */
} Darts;

extern size_t weighted_unique(WeightedElement *elements, size_t count);
extern void darts_begin(Darts *darts, int num_hashes,
						const WeightedElement *elements, size_t count);
extern void darts_throw(Darts *darts, const WeightedElement *elements,
						size_t count);
extern bool darts_next_round(Darts *darts);
extern void darts_end(const Darts *darts, uint16_t *slots);

#endif							/* WEIGHTED_H */
