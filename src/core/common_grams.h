/*-------------------------------------------------------------------------
 *
 * common_grams.h
 *	  A list of k-grams that are common in a table, which winnowing avoids.
 *
 * A list names a k-gram by a 63-bit number, winnow_gram() of its hash.
 * winnow.h says what lists are for.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMON_GRAMS_H
#define COMMON_GRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMMON_GRAMS_MAX 15000	/* maximum length of a list */
#define COMMON_FILTER_BITS 18	/* low bits of a k-gram */
#define COMMON_PART_BITS 12		/* high bits of a k-gram */

/* A list of k-grams.  Initialize it with common_grams_init(). */
typedef struct CommonGrams
{
	const uint64_t *grams;		/* in ascending order, all different */
	size_t		count;
	/* k-grams with high bits i lie from parts[i] to before parts[i + 1] */
	uint16_t	parts[(1 << COMMON_PART_BITS) + 1];
	uint8_t		filter[(1 << COMMON_FILTER_BITS) / 8];	/* a bitmap */
} CommonGrams;

/*
 * Initialize a list with count k-grams, in ascending order and all different.
 * The list points to the array, which must outlive it.
 */
extern void common_grams_init(CommonGrams *list, const uint64_t *grams,
							  size_t count);

/* Return true if a k-gram is in a list, by a binary search of its part. */
extern bool common_grams_find(const CommonGrams *list, uint64_t gram);

/* Return the bit of the filter that stands for a k-gram. */
static inline size_t
common_filter_bit(uint64_t gram)
{
	return (size_t) (gram & ((1 << COMMON_FILTER_BITS) - 1));
}

/* Return true if a k-gram is in a list; the filter rejects most that are not. */
static inline bool
common_grams_have(const CommonGrams *list, uint64_t gram)
{
	size_t		bit = common_filter_bit(gram);

	return (list->filter[bit / 8] >> bit % 8 & 1) != 0 &&
		common_grams_find(list, gram);
}

#endif							/* COMMON_GRAMS_H */
