/*-------------------------------------------------------------------------
 *
 * bands.h
 *	  Locality-sensitive hashing of signatures.
 *
 * An index stores band_keys() of each signature.  A search computes its
 * band_plan() from threshold, recall and number of hashes alone, looks up the
 * prefixes band_plan_keys(), and verifies what it finds with
 * slots_are_similar().  That function also decides where there is no index, so
 * that every query plan returns the same rows.
 *
 * In all functions num_hashes is k, 16 to SKETCH_MAX_HASHES, and slots are the
 * k slots of a signature; two signatures must be of one kind (method, k, seed
 * and shingling), which the caller checks.  Bands count from 0 to
 * band_count() - 1.  No function fails, allocates memory or keeps a pointer.
 * Keys are an index format and never change.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BANDS_H
#define BANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sketch/planes.h"

#define BAND_ROWS 6				/* rows of a whole band */
#define BAND_STEP 3				/* slots from one band to the next */
#define BAND_AGREEING 2			/* bands that must agree at small depths */
#define BAND_MAX 64				/* maximum number of bands */

#define BAND_DEFAULT_RECALL 0.99	/* of %, and wherever none is given */

#define BAND_NUMBER_SHIFT 56	/* bits of a key below the band number */
#define BAND_OF_KIND UINT64_C(127)	/* not a band: for keys of the kind */

/* How a search for a threshold, a recall and k hashes uses the index. */
typedef struct BandPlan
{
	double		threshold;		/* minimum similarity */
	int			max_different;	/* maximum of different slots in a similar
								 * pair */
	int			bands;			/* bands to look up */
	int			rows;			/* depth: rows of each that must agree, 1 to 6 */
	int			agreeing;		/* bands that must agree, 1 or 2 */
	double		probability;	/* of finding a pair at the threshold */
	bool		compare_all;	/* no banding reaches the recall: compare
								 * every row; bands, rows and agreeing mean
								 * nothing */
} BandPlan;

#define BANDS_AT_ONCE 8			/* maximum of bands that band_hashes() hashes */
#define BAND_LENDERS 16			/* slots to borrow from that a table lists */

/* Tables to hash the keys of a plan.  Fields are private. */
typedef struct BandHasher
{
	int			num_hashes;
	int			stride;			/* slots from one band of the plan to the next */
	uint32_t	masks[BANDS_AT_ONCE * BAND_ROWS];	/* bits of a row in a key */
	uint32_t	factors[BANDS_AT_ONCE * BAND_ROWS];
	uint16_t	lenders[BAND_LENDERS][BAND_MAX * BAND_STEP];	/* by attempt and slot */
} BandHasher;

/* Return the number of bands of a signature, at most BAND_MAX. */
extern int	band_count(int num_hashes);

/* Return the number of rows of a band, BAND_ROWS or BAND_STEP. */
extern int	band_rows(int band, int num_hashes);

/*
 * Compute the key of a band of a signature that is not empty, or its prefix
 * for the first rows, 1 to band_rows(); the remaining bits are 0.
 */
extern uint64_t band_key(const uint16_t *slots, int num_hashes, int band,
						 int rows);

/*
 * Compute the keys of all bands; keys has room for BAND_MAX.  Return their
 * number, which is 0 for the empty set.
 */
extern int	band_keys(const uint16_t *slots, int num_hashes, uint64_t *keys);

/* Compute the tables to hash the keys of a plan for k hashes. */
extern void band_hasher_init(BandHasher *hasher, const BandPlan *plan,
							 int num_hashes);

/*
 * Hash the keys of count bands of the plan, from the first-th on, to 32 bits
 * each.  A key covers plan->rows rows.  count is at most BANDS_AT_ONCE; the
 * signature is not empty.
 */
extern void band_hashes(const BandHasher *hasher, const uint16_t *slots,
						int first, int count, uint32_t *hashes);

/* Return the band of a key. */
extern int	band_of_key(uint64_t key);

/* Return the mask of the bits of a key for the band and its first rows. */
extern uint64_t band_mask(int rows);

/*
 * Compute the plan for a threshold and a recall, both 0 to 1, the threshold
 * greater than 0.  The result is the same on every platform.
 */
extern BandPlan band_plan(double threshold, double recall, int num_hashes);

/* Return the i-th band that a plan looks up, i = 0 to plan->bands - 1. */
extern int	band_of_plan(const BandPlan *plan, int i);

/*
 * Compute the keys, or prefixes, that a plan looks up, in ascending order; keys
 * has room for BAND_MAX.  Return their number, which is 0 for the empty set.
 */
extern int	band_plan_keys(const uint16_t *slots, int num_hashes,
						   const BandPlan *plan, uint64_t *keys);

/*
 * Return the smallest i below limit for which two signatures agree in
 * band_of_plan(plan, i), or limit if there is none.  limit is at most the number
 * of bands with plan->rows rows, and may exceed plan->bands.
 */
extern int	band_first_agreement(const uint16_t *a, const uint16_t *b,
								 int num_hashes, const BandPlan *plan, int limit);

/*
 * Return true if two signatures agree in at least plan->agreeing of the plan's
 * bands: if these bands have the same masked keys.  Empty sets never agree.
 */
extern bool bands_agree(const uint16_t *a, const uint16_t *b, int num_hashes,
						const BandPlan *plan);

/*
 * Return true if two signatures are similar: their estimated similarity
 * reaches the threshold, and bands_agree() or the plan compares all.  Two
 * empty sets are not similar.
 */
extern bool slots_are_similar(const uint16_t *a, const uint16_t *b,
							  int num_hashes, const BandPlan *plan);

/*
 * Return the estimated similarity of two signatures that are similar, otherwise -1,
 * by all slots: faster for pairs of which most are similar.
 */
extern double similar_estimate(const uint16_t *a, const uint16_t *b,
							   int num_hashes, const BandPlan *plan);

/* A condition: similar to a signature under a plan.  Fields are read-only. */
typedef struct Condition
{
	const uint16_t *slots;		/* of the signature */
	BandPlan	plan;
	PlaneQuery	query;
	int			key_count;
	uint64_t	keys[BAND_MAX]; /* those that the plan looks up */
	uint64_t	rest;			/* bits of a key below the depth of the plan */
} Condition;

/*
 * Make a condition.  memory is as for plane_query_init(); memory and slots must
 * live as long as the condition.
 */
extern void condition_init(Condition *condition, void *memory,
						   const uint16_t *slots, int num_hashes,
						   SketchMethod method, const BandPlan *plan);

/*
 * Keep those of count places whose signatures meet all conditions, at least one,
 * as slots_are_similar() decides; return their number.
 *
 * planes, stride and rest_stride are as for planes_at().
 */
extern int	conditions_filter(const Condition *conditions, int condition_count,
							  const Planes *planes, size_t stride,
							  size_t rest_stride, int count, uint16_t *places);

/*
 * Return the probability that two sets of the given similarity agree in one or
 * two (agreeing) or more of a number of bands with a number of rows each.
 */
extern double band_probability(double similarity, int bands, int rows,
							   int agreeing);

/*
 * Densify the first count slots of a signature that is not empty.  Each result
 * is source << 16 | value, where source is the slot that the value is from.
 */
extern void band_densify(const uint16_t *slots, int num_hashes, uint32_t *densified,
						 int count);

#endif							/* BANDS_H */
