/*-------------------------------------------------------------------------
 *
 * winnow.c
 *	  Select fingerprints of a text so that texts with a common run of units
 *	  have a common fingerprint.
 *
 * This is winnowing (Schleimer, Wilkerson and Aiken 2003: "Winnowing: local
 * algorithms for document fingerprinting"), known in bioinformatics as
 * minimizers.  For a run of n units (characters or words of the normalized
 * text, see shingle.c):
 *
 *	- A k-gram is a shingle of k units, and has the hash that shingle.c gives
 *	  it with seed 0.  A text of fewer than k units, but at least one, is a
 *	  single k-gram.
 *	- k is a tenth of n, rounded down, plus 15 characters or 4 words, but at
 *	  most n: 25 for char:100, 20 for char:50, 5 for word:12, and n for
 *	  char:16, word:4 and all that are shorter.  A longer k-gram is rarer; a
 *	  shorter one leaves a wider window, and so fewer keys.
 *	- A window is w = n - k + 1 consecutive k-grams, which together cover n
 *	  units.  A text of fewer k-grams has one window, which holds all of them.
 *	- The order of a k-gram is a 64-bit number: its hash, with the highest bit
 *	  cleared.  The caller can name k-grams that are common; these have the
 *	  highest bit set, and so rank last.
 *	- Each window selects its k-gram with the smallest order.  The key is the
 *	  lower half of that order, as a signed 32-bit number.
 *
 * Two texts that share n consecutive units have the same window there, and so
 * a common key.  This is a guarantee, not a probability.  It holds for any
 * order that depends on nothing but the k-gram.  Ties need no rule, because
 * k-grams of equal order have equal keys; a periodic text has few keys
 * because its windows agree on the smallest order, wherever it is.
 *
 * Only the lower half of an order becomes the key because the upper half of a
 * minimum of w numbers is mostly zeros.  Keys of unrelated k-grams agree with
 * probability 2^-32.
 *
 * On average a text of random k-grams has 2 / (w + 1) keys a unit: 0.22 for
 * word:12, 0.026 for char:100.  The smallest of a window is found again only
 * after it has left the window, which happens once in (w + 1) / 2 units on
 * average, so the search takes constant time a unit; in the worst case, orders
 * that always increase, it takes w comparisons a unit.
 *
 * Common k-grams.  Every k-gram of a text is looked up, and few are in the
 * list.  So a bitmap of the low bits of all k-grams in the list, which fits the
 * first-level cache, rejects most others.  The rest are looked up in a hash
 * table, at most half full, whose positions depend on a secret.
 *
 * The keys are stored in indexes, so all of this is frozen.
 *
 *-------------------------------------------------------------------------
 */
#include "winnow.h"

#include <string.h>

/* Units of a k-gram in addition to a tenth of the run. */
#define GRAM_CHARS 15
#define GRAM_WORDS 4

#define COMMON (UINT64_C(1) << 63)	/* added to the order of a common k-gram */

/*** Common k-grams ***/

/* Return the bit of the filter that stands for a k-gram. */
static inline size_t
common_bit(uint64_t gram)
{
	return (size_t) (gram & ((1 << COMMON_FILTER_BITS) - 1));
}

/*
 * Return the place of a k-gram, or the free one where it belongs.  0 stands for a
 * free place, so the place of the k-gram 0 is always a free one.
 */
static inline size_t
gram_place(const CommonGrams *list, uint64_t gram)
{
	size_t		place = gram * list->factor >> (64 - COMMON_PLACE_BITS);

	while (list->grams[place] != 0 && list->grams[place] != gram)
		place = (place + 1) % COMMON_PLACES;
	return place;
}

/* Initialize a list. */
void
common_grams_init(CommonGrams *list, const uint64_t *grams, size_t count,
				  uint64_t secret)
{
	memset(list, 0, sizeof(*list));
	list->factor = secret | 1;
	for (size_t i = 0; i < count; i++)
	{
		size_t		bit = common_bit(grams[i]);

		list->filter[bit / 8] |= (uint8_t) (1 << bit % 8);
		list->grams[gram_place(list, grams[i])] = grams[i];
	}
}

/* Return true if a k-gram is in a list. */
static inline bool
is_common(const CommonGrams *list, uint64_t gram)
{
	size_t		bit = common_bit(gram);

	return (list->filter[bit / 8] >> bit % 8 & 1) != 0 &&
		list->grams[gram_place(list, gram)] != 0;
}

/*** Winnowing ***/

/* Return the shingling of a run's k-grams: the same unit and flags, size k. */
uint32_t
winnow_grams(uint32_t run)
{
	ShingleUnit unit = shingling_unit(run);
	int			n = shingling_size(run);
	int			k = n / 10 + (unit == SHINGLE_WORD ? GRAM_WORDS : GRAM_CHARS);

	return SHINGLING(unit, k < n ? k : n, run >> 16);
}

/* Return true if texts that share a longer run always share this one. */
bool
winnow_covers(uint32_t run, uint32_t longer)
{
	return shingling_unit(run) == shingling_unit(longer) &&
		shingling_is_raw(run) == shingling_is_raw(longer) &&
		shingling_size(run) <= shingling_size(longer);
}

/* Start reading a text. */
void
winnow_begin(Winnower *winnower, uint32_t run, const CommonGrams *common,
			 const char *text, size_t len)
{
	uint32_t	grams = winnow_grams(run);

	shingle_begin(&winnower->reader, grams, 0, text, len);
	winnower->common = common;
	winnower->window = shingling_size(run) - shingling_size(grams) + 1;
	winnower->count = 0;
	winnower->smallest = 0;
	winnower->any = false;
}

/* Return the place of the smallest order of a range, the last if several. */
static inline int
find_smallest(const uint64_t *orders, int from, int to)
{
	int			smallest = from;

	for (int i = from + 1; i <= to; i++)
		if (orders[i] <= orders[smallest])
			smallest = i;
	return smallest;
}

/* Keep only the k-grams that the next window shares with the last. */
static void
keep_window(Winnower *winnower)
{
	int			passed = winnower->count - (winnower->window - 1);

	if (passed <= 0)
		return;
	winnower->count -= passed;
	memmove(winnower->orders, winnower->orders + passed,
			sizeof(uint64_t) * (size_t) winnower->count);
	winnower->smallest -= passed;
	if (winnower->smallest < 0)
		winnower->smallest = find_smallest(winnower->orders, 0,
										   winnower->count - 1);
}

/* Store the key that the current window selects, unless the last one did. */
static inline int
select_key(Winnower *winnower, int32_t *key)
{
	uint64_t	order = winnower->orders[winnower->smallest];

	if (winnower->any && order == winnower->last)
		return 0;
	winnower->any = true;
	winnower->last = order;
	*key = (int32_t) (uint32_t) order;
	return 1;
}

/* Move the window over the k-grams from a place on; store their keys. */
static int
slide_window(Winnower *winnower, int from, int32_t *keys)
{
	const uint64_t *orders = winnower->orders;
	int			window = winnower->window;
	int			count = 0;

	for (int i = from; i < winnower->count; i++)
	{
		if (i == 0 || orders[i] <= orders[winnower->smallest])
			winnower->smallest = i;
		else if (i - winnower->smallest >= window)
			winnower->smallest = find_smallest(orders, i - window + 1, i);
		if (i >= window - 1)
			count += select_key(winnower, keys + count);
	}
	return count;
}

/* Turn hashes into orders. */
static void
rank_grams(const CommonGrams *common, uint64_t *hashes, int count)
{
	for (int i = 0; i < count; i++)
		hashes[i] = winnow_gram(hashes[i]);
	for (int i = 0; common != NULL && i < count; i++)
		if (is_common(common, hashes[i]))
			hashes[i] |= COMMON;
}

/* Read on, and store the next keys of a text. */
int
winnow_next(Winnower *winnower, int32_t *keys)
{
	uint64_t   *orders = winnower->orders;
	int			from;
	int			count;

	keep_window(winnower);
	from = winnower->count;
	count = shingle_next(&winnower->reader, orders + from, WINNOW_BATCH);
	winnower->count += count;
	rank_grams(winnower->common, orders + from, count);
	count = slide_window(winnower, from, keys);
	if (winnower->reader.done && !winnower->any && winnower->count > 0)
		count = select_key(winnower, keys); /* a text below one window */
	return count;
}
