/*-------------------------------------------------------------------------
 *
 * planes.h
 *	  Signatures cut into planes, so that most comparisons read only a part.
 *
 * planes.c defines the planes.  In all functions num_hashes is 1 to
 * SKETCH_MAX_HASHES.  Signatures that are compared must have the same number
 * of hashes and method, which the caller checks.  No function fails or
 * allocates memory.
 *
 * To compare one signature with many, call plane_query_init(), then a filter.
 * To compare several in turn, whose planes are in memory, call
 * plane_query_begin() and plane_query_threshold() once, then plane_query_set()
 * and a filter for each.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLANES_H
#define PLANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "slots.h"

/* Pointers to the planes of a signature. */
typedef struct Planes
{
	const uint8_t *first;		/* plane_size() bytes */
	const uint8_t *second;		/* as many */
	const uint8_t *third;		/* twice as many; NULL if not at hand */
	const uint8_t *rest;		/* a byte for each slot */
} Planes;

/* A signature to compare with many, and a threshold.  Fields are private. */
typedef struct PlaneQuery
{
	int			num_hashes;
	SketchMethod method;
	int			empty_count;	/* maximum of slots that count as empty */
	uint16_t   *least_equal;	/* equal slots that reach the threshold, by
								 * the number of slots empty in both */
	uint8_t    *filled;			/* a bit for each slot that is not empty */
	uint8_t    *empty;			/* a bit for each slot that is empty */
	Planes		planes;
} PlaneQuery;

/* Return the bytes of a slice, which has one bit for each slot. */
static inline size_t
slice_size(int num_hashes)
{
	return ((size_t) num_hashes + 7) / 8;
}

/* Return the size of the first or second plane; the third is twice as large. */
static inline size_t
plane_size(int num_hashes)
{
	return 2 * slice_size(num_hashes);
}

/* Buffers for the planes of a signature, of the sizes in Planes. */
typedef struct PlaneBuffers
{
	uint8_t    *first;
	uint8_t    *second;
	uint8_t    *third;
	uint8_t    *rest;
} PlaneBuffers;

extern void planes_split(const uint16_t *slots, int num_hashes,
						 SketchMethod method, const PlaneBuffers *planes);
extern void planes_join(const Planes *planes, int num_hashes,
						SketchMethod method, uint16_t *slots);
extern bool planes_are_of(const Planes *planes, const uint16_t *slots,
						  int num_hashes, SketchMethod method);
extern size_t plane_query_size(int num_hashes);
extern void plane_query_begin(PlaneQuery *query, void *memory, int num_hashes,
							  SketchMethod method);
extern void plane_query_threshold(PlaneQuery *query, double threshold);
extern void plane_query_set(PlaneQuery *query, const uint8_t *first,
							const uint8_t *second);
extern void plane_query_init(PlaneQuery *query, void *memory,
							 const uint16_t *slots, int num_hashes,
							 SketchMethod method, double threshold);
extern int	planes_filter(const PlaneQuery *query, const Planes *planes,
						  size_t stride, int count, uint16_t *places);
extern bool planes_may_be_similar(const PlaneQuery *query,
								  const Planes *planes);

#endif							/* PLANES_H */
