/*-------------------------------------------------------------------------
 *
 * bands.c
 *	  Locality-sensitive hashing of signatures: bands, their keys, and plans
 *	  that ensure a recall.
 *
 * Banding (Broder 1997; Indyk and Motwani 1998; chapter 3 of Leskovec,
 * Rajaraman and Ullman, "Mining of Massive Datasets") cuts a signature into
 * bands of r rows.  Two signatures of similarity s agree in all r rows of a
 * band with probability s^r, hence in at least one of b bands with
 * probability 1 - (1 - s^r)^b, the S-curve.
 *
 * Bands.  Slots are cut into steps of 3, at most 64 of them.  A band begins at
 * each step: bands of even number are whole and have 6 rows, the slots of their
 * own step and of the next; bands of odd number are halves and have the 3 rows
 * of their own step.  So at a depth of up to 3 rows, where low thresholds need
 * many bands, there are k / 3 bands, at larger depths k / 6, and at any depth
 * they have no slot in common.
 *
 * Keys.  The key of a band is a 64-bit number: the band number in the top 8
 * bits, then 14, 12, 10, 7, 7 and 6 bits for the rows, in their order; the bits
 * of the rows that a half lacks are zero.  So a prefix of the key is the key of
 * a shallower band, and one index of these keys serves all depths from 1 to 6,
 * that is, all thresholds.  The first rows have more bits, because low
 * thresholds use no others: two rows agree by chance once in 2^26, which at
 * that depth adds bands * rows_in_table / 2^26 candidates.
 *
 * Empty slots.  A row that is an empty slot borrows the value of another slot
 * ("optimal densification", Shrivastava 2017): slot i tries the slots
 * mix64(i << 32 | attempt), scaled to 0 .. k - 1, for attempt = 0, 1, ...,
 * until one is not empty.  A borrowed value carries the number of the slot
 * that it came from, so it never equals a slot's own value by accident.  The
 * stored signature does not change; the signature of the empty set has no
 * keys.
 *
 * Plan.  A pair is found if m bands agree in their first d rows.  For a
 * threshold t and a recall R, the depth d is the largest at which all bands
 * together reach the recall, because each additional row divides the number of
 * accidental candidates; the number of bands is the smallest that still reaches
 * it.  Beyond 3 rows a single band must agree, m = 1.  Up to 3 rows two bands
 * must agree, m = 2, where that reaches the recall: any two of n bands of 3
 * rows are a band of 6, so that n look-ups give n (n - 1) / 2 of these.
 * (Counting agreements is from Gan, Feng, Fang and Ng, "Locality-sensitive
 * hashing scheme based on dynamic collision counting", 2012.)  With p = t^d,
 * the probability of missing a pair is (1 - p)^n for m = 1, and
 * (1 - p)^(n - 1) (1 - p + n p) for m = 2.  If even a single row does not reach
 * the recall, every row of the table must be compared.  Powers are products,
 * not pow(), so that the plan does not depend on the C library.
 *
 * With bands of 3 rows, an index in GIN is 1.7 to 2 times as large as with bands
 * of 6 rows alone.  In return, two agreeing bands make candidates 1.8 to 60 times
 * as rare at low thresholds.  (Both were measured on package descriptions, their first
 * lines, citations, and generated documents, before the layout was frozen.)
 *
 * Limits: the S-curve is an average over seeds.  Small sets have few slots to
 * borrow from, so that their bands do not agree independently of each other.
 *
 *-------------------------------------------------------------------------
 */
#include "bands.h"

#include "core/base/hash.h"
#include "core/base/processor.h"
#include "core/sketch/sketch.h"
#include "core/sketch/slots.h"

#define AGREEING_ROWS 3			/* maximum depth at which two bands must agree */
#define BORROW_ATTEMPTS 64		/* times k: all fail with probability e^-64 */
#define KEY_ROW_BITS 14			/* bits of a key for its first row */
#define KEY_ROW_MASK ((1 << KEY_ROW_BITS) - 1)

/* Bits of a key for each row of a band. */
static const int row_bits[] = {KEY_ROW_BITS, 12, 10, 7, 7, 6};

/* Bits of a key for the first 0 to 6 rows. */
static const int prefix_bits[] = {0, 14, 26, 36, 43, 50, 56};

/* Return the number of bands of a signature. */
int
band_count(int num_hashes)
{
	int			bands = num_hashes / BAND_STEP;

	return bands < BAND_MAX ? bands : BAND_MAX;
}

/* Return the number of rows of a band. */
int
band_rows(int band, int num_hashes)
{
	int			first = band * BAND_STEP;

	return first % BAND_ROWS == 0 && first + BAND_ROWS <= num_hashes ?
		BAND_ROWS : BAND_STEP;
}

/* Return the step between the numbers of bands that have enough rows. */
static int
band_stride(int rows)
{
	return rows > BAND_STEP ? BAND_ROWS / BAND_STEP : 1;
}

/* Return the i-th band of a plan. */
int
band_of_plan(const BandPlan *plan, int i)
{
	return i * band_stride(plan->rows);
}

/* Return the slot that an empty slot tries to borrow from in an attempt. */
static inline int
lender(int num_hashes, int slot, uint32_t attempt)
{
	uint64_t	random = mix64((uint64_t) slot << 32 | attempt);

	return (int) ((random >> 32) * (uint64_t) num_hashes >> 32);
}

/* Find the slot that an empty slot borrows from, from an attempt on. */
static int
borrow_slot(const uint16_t *slots, int num_hashes, int slot, uint32_t attempt)
{
	uint32_t	attempts = BORROW_ATTEMPTS * (uint32_t) num_hashes;
	int			other = slot;

	for (; attempt < attempts; attempt++)
	{
		other = lender(num_hashes, slot, attempt);
		if (slots[other] != SLOT_EMPTY)
			return other;
	}
	do
		other = (other + 1) % num_hashes;
	while (slots[other] == SLOT_EMPTY);
	return other;
}

/* Return a densified slot: source << 16 | value (see bands.h). */
static inline uint32_t
densified_slot(const uint16_t *slots, int num_hashes, int slot)
{
	if (slots[slot] == SLOT_EMPTY)
		slot = borrow_slot(slots, num_hashes, slot, 0);
	return (uint32_t) slot << 16 | slots[slot];
}

/* Densify the first slots of a signature. */
void
band_densify(const uint16_t *slots, int num_hashes, uint32_t *densified, int count)
{
	for (int i = 0; i < count; i++)
		densified[i] = densified_slot(slots, num_hashes, i);
}

/*
 * Return the bits of a key for a densified row, at most KEY_ROW_BITS.
 *
 * They are the upper bits of mix64(), whose first and last shifts do not change
 * these for numbers below 2^30.
 */
static inline uint32_t
row_hash(uint32_t densified, int bits)
{
	uint64_t	product = densified * UINT64_C(0xBF58476D1CE4E5B9);

	product = (product ^ product >> 27) * UINT64_C(0x94D049BB133111EB);
	return (uint32_t) (product >> (64 - bits));
}

/* Compute the key of a band, or its prefix for the first rows. */
uint64_t
band_key(const uint16_t *slots, int num_hashes, int band, int rows)
{
	uint64_t	key = (uint64_t) band;
	int			first = band * BAND_STEP;

	for (int i = 0; i < rows; i++)
		key = key << row_bits[i] |
			row_hash(densified_slot(slots, num_hashes, first + i),
					 row_bits[i]);
	return key << (BAND_NUMBER_SHIFT - prefix_bits[rows]);
}

/*** Hashes of keys ***/

/* Odd random numbers, to hash the rows of a band. */
static const uint32_t factors[] = {
	0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1, 0xD6E8FEB9
};

/* Compute the tables to hash the keys of a plan. */
void
band_hasher_init(BandHasher *hasher, const BandPlan *plan, int num_hashes)
{
	int			slots = num_hashes < BAND_MAX * BAND_STEP ?
		num_hashes : BAND_MAX * BAND_STEP;

	hasher->num_hashes = num_hashes;
	hasher->stride = band_stride(plan->rows) * BAND_STEP;
	for (int i = 0; i < BANDS_AT_ONCE * BAND_ROWS; i++)
	{
		int			row = i % hasher->stride;
		int			bits = row < plan->rows ? row_bits[row] : 0;

		hasher->masks[i] = KEY_ROW_MASK & ~(KEY_ROW_MASK >> bits);
		hasher->factors[i] = factors[row];
	}
	for (int attempt = 0; attempt < BAND_LENDERS; attempt++)
		for (int slot = 0; slot < slots; slot++)
			hasher->lenders[attempt][slot] =
				(uint16_t) lender(num_hashes, slot, (uint32_t) attempt);
}

/* Densify slots as if none were empty; count the empty ones; auto-vectorized. */
VECTOR_CLONES_WIDE static int
densify_filled(const uint16_t *restrict slots, int first, int count,
			   uint32_t *restrict densified)
{
	uint16_t	empty = 0;

	for (int i = 0; i < count; i++)
	{
		densified[i] = (uint32_t) (first + i) << 16 | slots[i];
		empty += slots[i] == SLOT_EMPTY;
	}
	return empty;
}

/*
 * Densify empty slots, given by their distances from first.
 *
 * All of them try their first lender, those still empty their second one, and
 * so on.  So the inner loop has no branch that depends on the slots, which the
 * processor could not predict.
 */
static void
densify_empty(const BandHasher *hasher, const uint16_t *slots, int first,
			  uint8_t *empty, int found, uint32_t *densified)
{
	for (int attempt = 0; attempt < BAND_LENDERS && found > 0; attempt++)
	{
		const uint16_t *lenders = hasher->lenders[attempt] + first;
		int			left = 0;

		for (int i = 0; i < found; i++)
		{
			uint8_t		at = empty[i];
			uint16_t	slot = slots[lenders[at]];

			densified[at] = (uint32_t) lenders[at] << 16 | slot;
			empty[left] = at;
			left += slot == SLOT_EMPTY;
		}
		found = left;
	}
	for (int i = 0; i < found; i++)
	{
		int			other = borrow_slot(slots, hasher->num_hashes,
										first + empty[i], BAND_LENDERS);

		densified[empty[i]] = (uint32_t) other << 16 | slots[other];
	}
}

/* Densify count slots from first on, except rows that no key of the plan has. */
static void
densify_part(const BandHasher *hasher, const uint16_t *slots, int first,
			 int count, uint32_t *densified)
{
	uint8_t		empty[BANDS_AT_ONCE * BAND_ROWS];
	int			found = 0;

	if (densify_filled(slots + first, first, count, densified) == 0)
		return;
	for (int i = 0; i < count; i++)
	{
		empty[found] = (uint8_t) i;
		/* & has no branch */
		found += (slots[first + i] == SLOT_EMPTY) & (hasher->masks[i] != 0);
	}
	densify_empty(hasher, slots, first, empty, found, densified);
}

/*
 * Replace densified rows by hashes of their bits in a key; auto-vectorized.
 *
 * The hash of a row that the plan does not use is 0, because its mask is.
 */
VECTOR_CLONES_WIDE static void
hash_rows(const BandHasher *hasher, int count, uint32_t *restrict rows)
{
	for (int i = 0; i < count; i++)
		rows[i] = (row_hash(rows[i], KEY_ROW_BITS) & hasher->masks[i]) *
			hasher->factors[i];
}

/* Add up the hashes of rows; count is a constant, so that the loop is unrolled. */
static inline uint32_t
add_rows(const uint32_t *rows, int count)
{
	uint32_t	hash = 0;

	for (int row = 0; row < count; row++)
		hash += rows[row];
	return hash;
}

/* Hash the keys of some bands of a plan to 32 bits each. */
void
band_hashes(const BandHasher *hasher, const uint16_t *slots, int first,
			int count, uint32_t *hashes)
{
	uint32_t	rows[BANDS_AT_ONCE * BAND_ROWS];
	int			stride = hasher->stride;

	densify_part(hasher, slots, first * stride, count * stride, rows);
	hash_rows(hasher, count * stride, rows);
	for (int band = 0; band < count; band++)
		hashes[band] = stride == BAND_ROWS ?
			add_rows(rows + band * BAND_ROWS, BAND_ROWS) :
			add_rows(rows + band * BAND_STEP, BAND_STEP);
}

/*** Keys ***/

/* Compute each key with all rows of its band. */
int
band_keys(const uint16_t *slots, int num_hashes, uint64_t *keys)
{
	int			bands = band_count(num_hashes);

	if (slots_are_empty(slots, num_hashes))
		return 0;
	for (int band = 0; band < bands; band++)
		keys[band] = band_key(slots, num_hashes, band,
							  band_rows(band, num_hashes));
	return bands;
}

/* Compute the keys that a plan looks up. */
int
band_plan_keys(const uint16_t *slots, int num_hashes, const BandPlan *plan,
			   uint64_t *keys)
{
	if (slots_are_empty(slots, num_hashes))
		return 0;
	for (int i = 0; i < plan->bands; i++)
		keys[i] = band_key(slots, num_hashes, band_of_plan(plan, i),
						   plan->rows);
	return plan->bands;
}

/* The highest bits of a key are its band. */
int
band_of_key(uint64_t key)
{
	return (int) (key >> BAND_NUMBER_SHIFT);
}

/* The band comes first in a key, then its rows in order. */
uint64_t
band_mask(int rows)
{
	return ~UINT64_C(0) << (BAND_NUMBER_SHIFT - prefix_bits[rows]);
}

/*** Agreement ***/

/* Return true if the first rows of a band have the same bits in two keys. */
static bool
band_agrees(const uint16_t *a, const uint16_t *b, int num_hashes, int band,
			int rows)
{
	int			first = band * BAND_STEP;

	for (int i = 0; i < rows; i++)
	{
		int			slot = first + i;

		if (a[slot] == b[slot] && a[slot] != SLOT_EMPTY)
			continue;
		if (row_hash(densified_slot(a, num_hashes, slot), row_bits[i]) !=
			row_hash(densified_slot(b, num_hashes, slot), row_bits[i]))
			return false;
	}
	return true;
}

/* Find the first band of a plan in which two signatures agree. */
int
band_first_agreement(const uint16_t *a, const uint16_t *b, int num_hashes,
					 const BandPlan *plan, int limit)
{
	int			i = 0;

	if (slots_are_empty(a, num_hashes) || slots_are_empty(b, num_hashes))
		return limit;
	while (i < limit &&
		   !band_agrees(a, b, num_hashes, band_of_plan(plan, i), plan->rows))
		i++;
	return i;
}

/* Return true if two signatures agree in enough bands of a plan. */
bool
bands_agree(const uint16_t *a, const uint16_t *b, int num_hashes,
			const BandPlan *plan)
{
	int			missing = plan->agreeing;

	if (slots_are_empty(a, num_hashes) || slots_are_empty(b, num_hashes))
		return false;
	for (int i = 0; i < plan->bands && missing > 0; i++)
		missing -= band_agrees(a, b, num_hashes, band_of_plan(plan, i), plan->rows);
	return missing == 0;
}

/* Estimate the similarity of two signatures that are similar. */
double
similar_estimate(const uint16_t *a, const uint16_t *b, int num_hashes, const BandPlan *plan)
{
	int			equal;
	int			compared;

	slots_compare(a, b, num_hashes, &equal, &compared);
	if (compared == 0 || (double) equal / compared < plan->threshold ||
		(!plan->compare_all && !bands_agree(a, b, num_hashes, plan)))
		return -1;
	return (double) equal / compared;
}

/* Most pairs are far from similar, which the first few slots show. */
bool
slots_are_similar(const uint16_t *a, const uint16_t *b, int num_hashes,
				  const BandPlan *plan)
{
	return slots_differ_at_most(a, b, num_hashes, plan->max_different) &&
		similar_estimate(a, b, num_hashes, plan) >= 0;
}

/*** Conditions ***/

/* Make a condition. */
void
condition_init(Condition *condition, void *memory, const uint16_t *slots,
			   int num_hashes, SketchMethod method, const BandPlan *plan)
{
	condition->slots = slots;
	condition->plan = *plan;
	plane_query_init(&condition->query, memory, slots, num_hashes, method,
					 plan->threshold);
	condition->key_count = plan->compare_all ? 0 :
		band_plan_keys(slots, num_hashes, plan, condition->keys);
	condition->rest = plan->compare_all ? 0 : ~band_mask(plan->rows);
}

/* Return true if a signature meets all conditions. */
static bool
meets_all(const Condition *conditions, int count, const Planes *planes)
{
	int			num_hashes = conditions->query.num_hashes;
	uint16_t	slots[SKETCH_MAX_HASHES];

	planes_join(planes, num_hashes, conditions->query.method, slots);
	for (int i = 0; i < count; i++)
		if (similar_estimate(slots, conditions[i].slots, num_hashes,
							 &conditions[i].plan) < 0)
			return false;
	return true;
}

/*
 * Keep the places of signatures that meet all conditions.
 *
 * The planes reject most of them (see core/sketch/planes.c).  The slots of the
 * others are put together again, once for all conditions.
 */
int
conditions_filter(const Condition *conditions, int condition_count,
				  const Planes *planes, size_t stride, size_t rest_stride,
				  int count, uint16_t *places)
{
	int			found = 0;

	for (int i = 0; i < condition_count; i++)
		count = planes_filter(&conditions[i].query, planes, stride, count,
							  places);
	for (int i = 0; i < count; i++)
	{
		Planes		one = planes_at(planes, stride, rest_stride, places[i]);

		places[found] = places[i];
		found += meets_all(conditions, condition_count, &one);
	}
	return found;
}

/*** Plans ***/

/* Raise a number to an integer power. */
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

/* Return the probability that fewer bands agree than must, 1 or 2. */
static double
miss_probability(double similarity, int bands, int rows, int agreeing)
{
	double		agree = power(similarity, rows);
	double		differ = 1 - agree;

	if (agreeing == 1)
		return power(differ, bands);
	return power(differ, bands - 1) * (differ + bands * agree);
}

/* Return the probability that a pair agrees in enough bands. */
double
band_probability(double similarity, int bands, int rows, int agreeing)
{
	return 1 - miss_probability(similarity, bands, rows, agreeing);
}

/* Return true if a number of bands misses at most an allowed fraction. */
static bool
bands_suffice(const BandPlan *plan, int bands, double allowed)
{
	return bands >= plan->agreeing &&
		miss_probability(plan->threshold, bands, plan->rows, plan->agreeing) <= allowed;
}

/*
 * Set rows and agreeing of a plan to the first that reach the recall with all
 * bands; return false if none do.
 */
static bool
choose_depth(BandPlan *plan, double allowed, int num_hashes)
{
	for (plan->rows = BAND_ROWS; plan->rows > 0; plan->rows--)
	{
		int			stride = band_stride(plan->rows);
		int			all = num_hashes / (stride * BAND_STEP);

		if (all > BAND_MAX / stride)
			all = BAND_MAX / stride;
		plan->agreeing = plan->rows <= AGREEING_ROWS ? BAND_AGREEING : 1;
		for (; plan->agreeing > 0; plan->agreeing--)
			if (bands_suffice(plan, all, allowed))
				return true;
	}
	return false;
}

/*
 * Compute the plan for a threshold, a recall and k hashes.
 *
 * Compares probabilities of misses, not of hits, which can be rounded to 1.
 */
BandPlan
band_plan(double threshold, double recall, int num_hashes)
{
	double		allowed = 1 - recall;
	BandPlan	plan = {.threshold = threshold};

	/* The most if no slot is empty in both, since (k - d) / k grows with k. */
	while (plan.max_different < num_hashes &&
		   (double) (num_hashes - plan.max_different - 1) / num_hashes >= threshold)
		plan.max_different++;
	if (!choose_depth(&plan, allowed, num_hashes))
	{
		plan.probability = 1;
		plan.compare_all = true;
		return plan;
	}
	plan.bands = plan.agreeing;
	while (!bands_suffice(&plan, plan.bands, allowed))
		plan.bands++;
	plan.probability = band_probability(threshold, plan.bands, plan.rows,
										plan.agreeing);
	return plan;
}
