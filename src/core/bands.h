/*-------------------------------------------------------------------------
 *
 * bands.h
 *	  Locality-sensitive hashing of signatures.  Pure: no PostgreSQL.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BANDS_H
#define BANDS_H

#include <stdbool.h>
#include <stdint.h>

/* What test/bench/bands builds other rules with. */
#ifndef BAND_ROWS
#define BAND_ROWS 6				/* rows of a whole band */
#define BAND_STEP 3				/* slots from one band to the next */
#define BAND_MATCHES 2			/* bands that must agree where rows are few */
#define BAND_MAX 64				/* bands of a signature, at most */
#endif

#define BAND_NUMBER_SHIFT 56	/* bits of a key below the band's number */
#define KIND_BAND UINT64_C(127) /* for another use, see minhash_gin.c */

/* How a search for a threshold, a recall and k hashes uses the index. */
typedef struct BandPlan
{
	double		threshold;		/* the least similarity */
	int			max_different;	/* slots that may differ in a similar pair */
	int			bands;			/* bands to look up */
	int			rows;			/* rows of each that must agree, the depth */
	int			matches;		/* bands that must agree, of those */
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
