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
 * To compare one signature with many, call plane_query_init(), then
 * planes_filter().
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
	uint8_t    *third;			/* twice as many */
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
static inline size_t
plane_query_size(int num_hashes)
{
	return sizeof(uint16_t) * ((size_t) num_hashes + 1) +
		slice_size(num_hashes) + 4 * plane_size(num_hashes) +
		(size_t) num_hashes;
}

/*
 * Make a query of a signature, given by its slots, which are copied.  memory is
 * aligned to 2 bytes, has plane_query_size() bytes, and must live as long as the
 * query.
 */
extern void plane_query_init(PlaneQuery *query, void *memory,
							 const uint16_t *slots, int num_hashes,
							 SketchMethod method, double threshold);

/* Replace the threshold, 0 to 1. */
extern void plane_query_threshold(PlaneQuery *query, double threshold);

/*
 * Return the planes of the signature at a place, given those of the one at place
 * 0.  First and second planes follow every stride bytes, third ones every
 * 2 * stride bytes, and the rest every rest_stride bytes.
 */
static inline Planes
planes_at(const Planes *planes, size_t stride, size_t rest_stride, size_t place)
{
	return (Planes) {
		planes->first + stride * place, planes->second + stride * place,
		planes->third + 2 * stride * place, planes->rest + rest_stride * place
	};
}

/*
 * Keep those of count places whose signatures may be similar to the query, in
 * their order; return the number of places.
 *
 * A signature is left out only if its estimated similarity to the query is
 * below the threshold.  planes and stride are as for planes_at(); the rest is
 * not read.
 */
extern int	planes_filter(const PlaneQuery *query, const Planes *planes,
						  size_t stride, int count, uint16_t *places);

#endif							/* PLANES_H */
