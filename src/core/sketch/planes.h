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
	uint8_t    *first;			/* plane_size() bytes */
	uint8_t    *second;			/* plane_size() bytes */
	uint8_t    *third;			/* twice as many; NULL if not available */
	uint8_t    *rest;			/* a byte for each slot; filters ignore it */
} Planes;

/* A signature to compare with many, and a threshold.  Fields are private. */
typedef struct PlaneQuery
{
	int			num_hashes;
	SketchMethod method;
	int			empty_count;	/* maximum of slots that count as empty */
	uint16_t   *least_equal;	/* equal slots that reach the threshold, by
								 * the number of slots empty in both */
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

/* Cut a signature into planes. */
extern void planes_split(const uint16_t *slots, int num_hashes,
						 SketchMethod method, const Planes *planes);

/* Restore the num_hashes slots from all four planes. */
extern void planes_join(const Planes *planes, int num_hashes,
						SketchMethod method, uint16_t *slots);

/*
 * Return true if all four planes are those of a signature, including the unused
 * bits, which are zero.
 */
extern bool planes_are_of(const Planes *planes, const uint16_t *slots,
						  int num_hashes, SketchMethod method);

/* Return the bytes of memory that plane_query_init() needs. */
extern size_t plane_query_size(int num_hashes);

/*
 * Prepare for queries set by plane_query_set().  memory is aligned to 2 bytes,
 * has at least 2 * (num_hashes + 1) + slice_size() bytes, and must live as long
 * as the query.
 */
extern void plane_query_begin(PlaneQuery *query, void *memory, int num_hashes,
							  SketchMethod method);

/*
 * Set the threshold, 0 to 1: before the first plane_query_set() that of all
 * queries, later that of the current query only.
 */
extern void plane_query_threshold(PlaneQuery *query, double threshold);

/*
 * Replace the query by a signature, given by its first two planes.  They are
 * not copied, and must live as long as the query.
 */
extern void plane_query_set(PlaneQuery *query, uint8_t *first,
							uint8_t *second);

/*
 * Make a query of a signature, given by its slots, which are copied.  memory is
 * as for plane_query_begin(), but has plane_query_size() bytes.
 */
extern void plane_query_init(PlaneQuery *query, void *memory,
							 const uint16_t *slots, int num_hashes,
							 SketchMethod method, double threshold);

/*
 * Find those of count signatures that may be similar to the query: write their
 * places, 0 to count - 1, in ascending order, and return the number of places.
 *
 * A signature is left out only if its estimated similarity to the query is
 * below the threshold.  planes are those of the signature at place 0; the first
 * and second planes of the others follow every stride bytes, the third ones
 * every 2 * stride bytes.  places has room for count numbers.
 */
extern int	planes_filter(const PlaneQuery *query, const Planes *planes,
						  size_t stride, int count, uint16_t *places);

/* Do the same for the signatures at count given places, and keep only these. */
extern int	planes_filter_places(const PlaneQuery *query, const Planes *planes,
								 size_t stride, int count, uint16_t *places);

/* Return true unless the planes of a signature rule out that it is similar. */
extern bool planes_may_be_similar(const PlaneQuery *query,
								  const Planes *planes);

#endif							/* PLANES_H */
