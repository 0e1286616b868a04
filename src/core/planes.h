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

#include "method.h"

/* Where the planes of a signature lie: the first, and the two others. */
typedef struct Planes
{
	const uint8_t *first;		/* plane_size() bytes */
	const uint8_t *rest;		/* planes_rest_size() bytes */
} Planes;

/* A signature that is compared with many. */
typedef struct PlaneQuery
{
	int			num_hashes;
	bool		has_empty;		/* may it have empty slots? */
	bool		is_weighted;	/* if so, all of them are */
	const uint8_t *first;		/* its planes */
	const uint8_t *rest;
	const uint16_t *least_equal;	/* by the number of slots empty in both */
} PlaneQuery;

/* Bytes of the first plane: 4 bits a slot. */
static inline size_t
plane_size(int num_hashes)
{
	return ((size_t) num_hashes + 1) / 2;
}

/* Bytes of the other planes: 8 bits a slot, then 4 bits a slot. */
static inline size_t
planes_rest_size(int num_hashes)
{
	return (size_t) num_hashes + plane_size(num_hashes);
}

extern void planes_split(const uint16_t *slots, int num_hashes,
						 SketchMethod method, uint8_t *first, uint8_t *rest);
extern void planes_join(const Planes *planes, int num_hashes,
						SketchMethod method, uint16_t *slots);
extern size_t plane_query_size(int num_hashes);
extern void plane_query_rules(PlaneQuery *query, uint16_t *least,
							  int num_hashes, SketchMethod method,
							  double threshold);
extern void plane_query_init(PlaneQuery *query, void *memory,
							 const uint16_t *slots, int num_hashes,
							 SketchMethod method, double threshold);
extern void plane_query_set(PlaneQuery *query, const uint8_t *first);
extern int	planes_filter(const PlaneQuery *query, const uint8_t *firsts,
						  int count, uint16_t *places);
extern bool plane_may_be_similar(const PlaneQuery *query,
								 const uint8_t *first);
extern void planes_compare(const PlaneQuery *query, const Planes *planes,
						   int *equal, int *compared);

#endif							/* PLANES_H */
