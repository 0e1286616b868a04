/*-------------------------------------------------------------------------
 *
 * planes.h
 *	  Signatures cut into planes, so that most of a comparison can be left out.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLANES_H
#define PLANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "slots.h"

/* Where the planes of a signature lie. */
typedef struct Planes
{
	const uint8_t *first;		/* plane_size() bytes */
	const uint8_t *second;		/* as many */
	const uint8_t *third;		/* twice as many; NULL if not at hand */
	const uint8_t *rest;		/* a byte for each slot */
} Planes;

/* A signature that is compared with many, to reach a threshold. */
typedef struct PlaneQuery
{
	int			num_hashes;
	SketchMethod method;
	int			empty_count;	/* slots that count as empty, at most */
	uint16_t   *least_equal;	/* by the number of slots empty in both */
	uint8_t    *filled;			/* a bit for each slot that is not empty */
	uint8_t    *empty;			/* a bit for each slot that is empty */
	Planes		planes;
} PlaneQuery;

/* Bytes of a slice: one bit a slot. */
static inline size_t
slice_size(int num_hashes)
{
	return ((size_t) num_hashes + 7) / 8;
}

/* Bytes of the first plane, and of the second; the third has twice as many. */
static inline size_t
plane_size(int num_hashes)
{
	return 2 * slice_size(num_hashes);
}

/* Where planes are written to. */
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
