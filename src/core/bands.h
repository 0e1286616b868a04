/*-------------------------------------------------------------------------
 *
 * bands.h
 *	  Locality-sensitive hashing of signatures.
 *
 * An index stores band_keys() of each signature.  A search computes its
 * band_plan() from threshold, recall and number of hashes alone, looks up the
 * prefixes band_key(query, plan_band(plan, i), plan->rows) for i = 0 to
 * plan->bands - 1, and verifies what it finds with slots_are_similar().  That
 * function also decides where there is no index, so that every query plan
 * returns the same rows.
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

/* test/bench/bands overrides these to measure other rules. */
#ifndef BAND_ROWS
#define BAND_ROWS 6				/* rows of a whole band */
#define BAND_STEP 3				/* slots from one band to the next */
#define BAND_MATCHES 2			/* bands that must agree at small depths */
#define BAND_MAX 64				/* maximum number of bands */
#endif

#define BAND_NUMBER_SHIFT 56	/* bits of a key below the band number */
#define KIND_BAND UINT64_C(127) /* not a band: see minhash_gin.c */

/* How a search for a threshold, a recall and k hashes uses the index. */
typedef struct BandPlan
{
	double		threshold;		/* the least similarity */
	int			max_different;	/* slots that may differ in a similar pair */
	int			bands;			/* bands to look up */
	int			rows;			/* depth: rows of each that must agree, 1 to 6 */
	int			matches;		/* bands that must agree, 1 or 2 */
	double		probability;	/* of finding a pair at the threshold */
	bool		compare_all;	/* no banding will do: compare every row */
} BandPlan;

extern int	band_count(int num_hashes);
extern int	band_rows(int band, int num_hashes);
extern uint64_t band_key(const uint16_t *slots, int num_hashes, int band,
						 int rows);
extern int	band_keys(const uint16_t *slots, int num_hashes, uint64_t *keys);
extern int	band_of_key(uint64_t key);
extern uint64_t band_mask(int rows);
extern BandPlan band_plan(double threshold, double recall, int num_hashes);
extern int	plan_band(const BandPlan *plan, int i);
extern int	first_agreement(const uint16_t *a, const uint16_t *b,
							int num_hashes, const BandPlan *plan, int limit);
extern bool bands_agree(const uint16_t *a, const uint16_t *b, int num_hashes,
						const BandPlan *plan);
extern bool slots_are_similar(const uint16_t *a, const uint16_t *b,
							  int num_hashes, const BandPlan *plan);
extern double band_probability(double similarity, int bands, int rows,
							   int matches);
extern void densify(const uint16_t *slots, int num_hashes, uint32_t *densified,
					int count);

#endif							/* BANDS_H */
