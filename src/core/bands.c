/*-------------------------------------------------------------------------
 *
 * bands.c
 *	  Locality-sensitive hashing of signatures: bands, their keys, and the
 *	  plan that makes a recall a promise.
 *
 * Banding (Broder 1997; Indyk and Motwani 1998; chapter 3 of Leskovec,
 * Rajaraman and Ullman, "Mining of Massive Datasets") cuts a signature into
 * bands of r rows.  Two signatures of similarity s agree in all r rows of a
 * band with probability s^r, hence in at least one of b bands with
 * probability 1 - (1 - s^r)^b, the S-curve.
 *
 * Keys.  A signature has min(21, k / 6) bands of 6 rows.  The key of a band
 * is one number: the band in the top 8 bits, then 9 bits for every row, in
 * row order, and two zero bits.  So a prefix of the key is the key of a
 * shallower band, and one index of full keys serves every depth from 1 to 6,
 * that is, every threshold.  9 bits agree by chance once in 512, which at
 * depth d adds bands * rows_in_table / 512^d candidates; they are rejected
 * when they are verified.
 *
 * Empty slots.  A row that is an empty slot borrows the value of another
 * ("optimal densification", Shrivastava 2017): slot i looks at the slots
 * mix64(i << 32 | attempt) scaled to 0 .. k - 1, attempt = 0, 1, ..., until
 * one is not empty.  A borrowed value carries the slot that it came from, so
 * it never equals a slot's own value by accident.  The stored signature stays
 * as it is; a signature of the empty set has no keys.
 *
 * Plan.  For a threshold t and a recall R the depth is the largest d for
 * which all bands together reach it, 1 - (1 - t^d)^bands >= R, since every
 * row more divides the number of accidental candidates; then the fewest bands
 * that still do.  If not even depth 1 reaches the recall, every row of the
 * table must be compared.  Powers are products, not pow(), so that the plan
 * does not depend on the C library.
 *
 * Limits: the S-curve holds for pairs of similarity s on average over the
 * seeds.  Small sets have few distinct slots to borrow from, so that their
 * bands do not agree independently of each other.
 *
 *-------------------------------------------------------------------------
 */
#include "bands.h"

#include "hash.h"
#include "slots.h"

#define BORROW_ATTEMPTS 64		/* times k: all fail with p = e^-64 */

/* Tell how many bands a signature of k hashes has. */
int
band_count(int num_hashes)
{
	int			bands = num_hashes / BAND_ROWS;

	return bands < BAND_MAX ? bands : BAND_MAX;
}

/* Find the slot that an empty slot borrows from. */
static int
borrow_slot(const uint16_t *slots, int num_hashes, int slot)
{
	uint32_t	attempts = BORROW_ATTEMPTS * (uint32_t) num_hashes;
	int			other = slot;

	for (uint32_t attempt = 0; attempt < attempts; attempt++)
	{
		uint64_t	random = mix64((uint64_t) slot << 32 | attempt);

		other = (int) ((random >> 32) * (uint64_t) num_hashes >> 32);
		if (slots[other] != SLOT_EMPTY)
			return other;
	}
	do
		other = (other + 1) % num_hashes;
	while (slots[other] == SLOT_EMPTY);
	return other;
}

/*
 * Densify a slot of a signature that is not empty.
 *
 * The result is the slot that the value came from << 16 | the value.
 */
static inline uint32_t
densified_slot(const uint16_t *slots, int num_hashes, int slot)
{
	if (slots[slot] == SLOT_EMPTY)
		slot = borrow_slot(slots, num_hashes, slot);
	return (uint32_t) slot << 16 | slots[slot];
}

/* Densify the first count slots of a signature that is not empty. */
void
densify(const uint16_t *slots, int num_hashes, uint32_t *densified, int count)
{
	for (int i = 0; i < count; i++)
		densified[i] = densified_slot(slots, num_hashes, i);
}

/* Return the bits that stand for a densified row in a key. */
static inline uint64_t
row_bits(uint32_t densified)
{
	return mix64(densified) >> (64 - BAND_ROW_BITS);
}

/*
 * Make the key of one band, or its prefix of the first rows, of a signature
 * that is not empty.
 */
uint64_t
band_key(const uint16_t *slots, int num_hashes, int band, int rows)
{
	uint64_t	key = (uint64_t) band;
	int			first = band * BAND_ROWS;

	for (int i = first; i < first + rows; i++)
		key = key << BAND_ROW_BITS |
			row_bits(densified_slot(slots, num_hashes, i));
	return key << (BAND_NUMBER_SHIFT - rows * BAND_ROW_BITS);
}

/* Make the keys of all bands; return their number, 0 for the empty set. */
int
band_keys(const uint16_t *slots, int num_hashes, uint64_t *keys)
{
	int			bands = band_count(num_hashes);

	if (slots_are_empty(slots, num_hashes))
		return 0;
	for (int band = 0; band < bands; band++)
		keys[band] = band_key(slots, num_hashes, band, BAND_ROWS);
	return bands;
}

/* Return the band, from 0, that a key belongs to. */
int
band_of_key(uint64_t key)
{
	return (int) (key >> BAND_NUMBER_SHIFT);
}

/* Return the bits of a key that tell the band and its first rows. */
uint64_t
band_mask(int rows)
{
	return ~UINT64_C(0) << (BAND_NUMBER_SHIFT - rows * BAND_ROW_BITS);
}

/* Tell whether a row of two signatures has the same bits in their keys. */
static bool
row_agrees(const uint16_t *a, const uint16_t *b, int num_hashes, int row)
{
	if (a[row] == b[row] && a[row] != SLOT_EMPTY)
		return true;
	return row_bits(densified_slot(a, num_hashes, row)) ==
		row_bits(densified_slot(b, num_hashes, row));
}

/*
 * Tell whether two signatures agree in a band of the plan, to its depth.
 *
 * This says of two signatures what comparing their masked keys would say.
 */
bool
bands_agree(const uint16_t *a, const uint16_t *b, int num_hashes,
			const BandPlan *plan)
{
	if (slots_are_empty(a, num_hashes) || slots_are_empty(b, num_hashes))
		return false;
	for (int band = 0; band < plan->bands; band++)
	{
		int			row = 0;

		while (row < plan->rows &&
			   row_agrees(a, b, num_hashes, band * BAND_ROWS + row))
			row++;
		if (row == plan->rows)
			return true;
	}
	return false;
}

/*
 * Tell whether two signatures are similar: the one definition for all plans.
 *
 * The estimate reaches the threshold, and some band of the plan agrees.  Most
 * pairs are far from similar, and that is known after the first few slots.
 */
bool
slots_are_similar(const uint16_t *a, const uint16_t *b, int num_hashes,
				  const BandPlan *plan)
{
	int			equal;
	int			compared;

	if (!slots_differ_at_most(a, b, num_hashes, plan->max_different))
		return false;
	slots_compare(a, b, num_hashes, &equal, &compared);
	if (compared == 0 || (double) equal / compared < plan->threshold)
		return false;
	return plan->compare_all || bands_agree(a, b, num_hashes, plan);
}

/* Raise a number to a whole power. */
static double
power(double base, int exponent)
{
	double		product = 1;

	for (; exponent > 0; exponent >>= 1)
	{
		if (exponent & 1)
			product *= base;
		base *= base;
	}
	return product;
}

/* Probability that a pair of some similarity agrees in none of the bands. */
static double
miss_probability(double similarity, int bands, int rows)
{
	return power(1 - power(similarity, rows), bands);
}

/* Probability that a pair of some similarity agrees in at least one band. */
double
band_probability(double similarity, int bands, int rows)
{
	return 1 - miss_probability(similarity, bands, rows);
}

/*
 * Find how many slots may differ in a pair that reaches the threshold.
 *
 * Most may if none is empty in both, since (k - d) / k grows with k.
 */
static int
max_different_slots(double threshold, int num_hashes)
{
	int			different = 0;

	while (different < num_hashes &&
		   (double) (num_hashes - different - 1) / num_hashes >= threshold)
		different++;
	return different;
}

/*
 * Plan the search for a threshold, a recall and k hashes.
 *
 * Misses are compared, not hits: a probability next to 1 is rounded to 1.
 */
BandPlan
band_plan(double threshold, double recall, int num_hashes)
{
	int			all = band_count(num_hashes);
	double		allowed = 1 - recall;
	BandPlan	plan = {.threshold = threshold,.rows = BAND_ROWS,.bands = 1};

	plan.max_different = max_different_slots(threshold, num_hashes);
	while (plan.rows > 0 &&
		   miss_probability(threshold, all, plan.rows) > allowed)
		plan.rows--;
	if (plan.rows == 0)
	{
		plan.bands = 0;
		plan.probability = 1;
		plan.compare_all = true;
		return plan;
	}
	while (miss_probability(threshold, plan.bands, plan.rows) > allowed)
		plan.bands++;
	plan.probability = band_probability(threshold, plan.bands, plan.rows);
	return plan;
}
