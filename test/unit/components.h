/*-------------------------------------------------------------------------
 *
 * components.h
 *	  Similar pairs, components and representatives: by src/core and by
 *	  comparing all pairs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMPONENTS_H
#define COMPONENTS_H

#include <string.h>

#include "core/bands/division.h"
#include "core/bands/pairs.h"
#include "core/sketch/slots.h"
#include "unit.h"

/* Rows to search. */
typedef struct Rows
{
	size_t		count;
	int			num_hashes;
	uint16_t   *slots;
	bool	   *is_null;
} Rows;

/* Observations of a search. */
typedef struct Watch
{
	const Rows *rows;
	long		ticks;
	int			steps;
	int			last_step;
	double		last_done;
	bool		in_order;		/* progress never went backward */
	uint32_t   *copies;			/* the next copy of each row, or UINT32_MAX */
	uint8_t    *pairs;			/* how often each pair was found */
} Watch;

/* Make rows whose slots are all empty. */
static Rows
make_rows(size_t count, int num_hashes)
{
	Rows		rows = {.count = count,.num_hashes = num_hashes};

	rows.slots = malloc(sizeof(uint16_t) * count * (size_t) num_hashes);
	rows.is_null = calloc(count, sizeof(bool));
	memset(rows.slots, 0xFF, sizeof(uint16_t) * count * (size_t) num_hashes);
	return rows;
}

/* Free rows. */
static void
free_rows(Rows *rows)
{
	free(rows->slots);
	free(rows->is_null);
}

/* Return the slots of a row. */
static uint16_t *
row_slots(const Rows *rows, size_t row)
{
	return rows->slots + row * (size_t) rows->num_hashes;
}

/*** By comparing all ***/

/* Return true if two rows are similar, by the definition alone. */
static bool
rows_are_similar(const Rows *rows, size_t a, size_t b, const BandPlan *plan)
{
	int			equal;
	int			compared;

	if (rows->is_null[a] || rows->is_null[b])
		return false;
	slots_compare(row_slots(rows, a), row_slots(rows, b), rows->num_hashes,
				  &equal, &compared);
	if (compared == 0 || (double) equal / compared < plan->threshold)
		return false;
	return plan->compare_all ||
		bands_agree(row_slots(rows, a), row_slots(rows, b), rows->num_hashes,
					plan);
}

/* Return a matrix of all pairs: 1 where rows are similar. */
static uint8_t *
similar_pairs(const Rows *rows, const BandPlan *plan)
{
	uint8_t    *pairs = calloc(rows->count, rows->count);

	for (size_t a = 0; a < rows->count; a++)
		for (size_t b = 0; b < a; b++)
			pairs[a * rows->count + b] = pairs[b * rows->count + a] =
				rows_are_similar(rows, a, b, plan);
	return pairs;
}

/* Label the component of a row, depth first. */
static void
flood(const uint8_t *pairs, size_t count, size_t first, uint32_t *labels,
	  uint32_t *stack)
{
	size_t		depth = 0;

	stack[depth++] = (uint32_t) first;
	labels[first] = (uint32_t) first;
	while (depth > 0)
	{
		size_t		row = stack[--depth];

		for (size_t other = first; other < count; other++)
			if (labels[other] == UINT32_MAX && pairs[row * count + other])
			{
				labels[other] = (uint32_t) first;
				stack[depth++] = (uint32_t) other;
			}
	}
}

/* Return the first row of the component of each row; the caller frees them. */
__attribute__((unused)) static uint32_t *
components_of(const uint8_t *pairs, size_t count)
{
	uint32_t   *labels = malloc(sizeof(uint32_t) * count);
	uint32_t   *stack = malloc(sizeof(uint32_t) * count);

	memset(labels, 0xFF, sizeof(uint32_t) * count);
	for (size_t row = 0; row < count; row++)
		if (labels[row] == UINT32_MAX)
			flood(pairs, count, row, labels, stack);
	free(stack);
	return labels;
}

/* Return the representative of each row; the caller frees them. */
__attribute__((unused)) static uint32_t *
representatives_of(const uint8_t *pairs, size_t count)
{
	uint32_t   *labels = malloc(sizeof(uint32_t) * count);

	for (size_t row = 0; row < count; row++)
	{
		size_t		earlier = 0;

		while (earlier < row &&
			   !(labels[earlier] == earlier && pairs[row * count + earlier]))
			earlier++;
		labels[row] = (uint32_t) earlier;
	}
	return labels;
}

/*** By src/core ***/

/* Note that a search goes on. */
static void
watch_tick(PairSearch *search)
{
	Watch	   *watch = search->hook_data;

	watch->ticks++;
	if (search->step != watch->last_step)
		watch->last_done = 0;
	watch->in_order &= search->step >= watch->last_step &&
		search->done >= watch->last_done && search->done < 1.000001;
	watch->last_step = search->step;
	watch->last_done = search->done;
}

/* Note that a search has completed a step. */
static void
watch_step(PairSearch *search)
{
	Watch	   *watch = search->hook_data;

	watch->steps++;
	watch->in_order &= search->step >= watch->steps && search->done == 1;
}

/* Note a pair of a row and of another one with all its copies. */
static void
watch_pairs_of(Watch *watch, size_t a, uint32_t b)
{
	for (; b != UINT32_MAX; b = watch->copies[b])
	{
		watch->pairs[a * watch->rows->count + b]++;
		watch->pairs[b * watch->rows->count + a]++;
	}
}

/* Note a pair, with all copies of both. */
static void
watch_found(PairSearch *search, uint32_t a, uint32_t b)
{
	Watch	   *watch = search->hook_data;

	for (; a != UINT32_MAX; a = watch->copies[a])
		watch_pairs_of(watch, a, b);
}

/* Note a copy, with its pairs with other copies. */
static void
watch_copy(PairSearch *search, uint32_t first, uint32_t copy)
{
	Watch	   *watch = search->hook_data;

	watch_pairs_of(watch, copy, first);
	watch->copies[copy] = watch->copies[first];
	watch->copies[first] = copy;
}

/* Prepare a search for rows. */
static PairSearch *
begin_search(const Rows *rows, const BandPlan *plan, Watch *watch)
{
	PairSearch *search = calloc(1, sizeof(PairSearch));

	*watch = (Watch) {.rows = rows,.in_order = true};
	search->num_hashes = rows->num_hashes;
	search->method = SKETCH_ONE_PERMUTATION;
	search->plan = *plan;
	search->tick = watch_tick;
	search->step_done = watch_step;
	search->hook_data = watch;
	search->max_signatures = rows->count;
	search->parents = malloc(sizeof(uint32_t) * rows->count);
	search->memory = malloc((size_t) pairs_memory_size(rows->num_hashes, rows->count));
	return search;
}

/* Add all rows, some by their slots and some by their planes. */
static void
add_rows(PairSearch *search, const Rows *rows)
{
	uint8_t		bytes[4][2 * SKETCH_MAX_HASHES];
	Planes		planes = {bytes[0], bytes[1], bytes[2], bytes[3]};

	pairs_begin(search);
	for (size_t row = 0; row < rows->count; row++)
	{
		if (rows->is_null[row])
			pairs_add_null(search);
		else if (row % 2)
			pairs_add(search, row_slots(rows, row));
		else
		{
			planes_split(row_slots(rows, row), rows->num_hashes, search->method,
						 &planes);
			pairs_add_planes(search, &planes);
		}
	}
}

/* Free a search, but not its parents. */
static void
free_search(PairSearch *search)
{
	free(search->memory);
	free(search);
}

/* Numbers of a search. */
typedef struct Counts
{
	uint64_t	compared;
	uint64_t	verified;
} Counts;

/* Find components or representatives; the caller frees them. */
__attribute__((unused)) static uint32_t *
search_labels(const Rows *rows, const BandPlan *plan, bool representatives,
			  Watch *watch, Counts *counts)
{
	PairSearch *search = begin_search(rows, plan, watch);
	uint32_t   *labels = search->parents;

	add_rows(search, rows);
	pairs_find(search);
	if (representatives)
		representatives_choose(search);
	pairs_label(search);
	*counts = (Counts) {search->compared, search->verified};
	free_search(search);
	return labels;
}

/* Do nothing at a tick or a step, for searches of parts, whose hook_data is not a Watch. */
static void
ignore_search(PairSearch *search)
{
	(void) search;
}

/* Find groups with their links, if these are wanted; the caller frees both. */
__attribute__((unused)) static uint32_t *
search_groups(const Rows *rows, const BandPlan *plan, Division *division)
{
	Watch		watch;
	PairSearch *search = begin_search(rows, plan, &watch);
	uint32_t   *labels = search->parents;

	search->tick = search->step_done = ignore_search;
	add_rows(search, rows);
	division_find(search, division);
	pairs_label(search);
	free_search(search);
	return labels;
}

/* Return a matrix of how often each pair was found; the caller frees it. */
__attribute__((unused)) static uint8_t *
search_pairs(const Rows *rows, const BandPlan *plan, Watch *watch,
			 Counts *counts)
{
	PairSearch *search = begin_search(rows, plan, watch);
	uint8_t    *pairs = calloc(rows->count, rows->count);

	watch->pairs = pairs;
	watch->copies = malloc(sizeof(uint32_t) * rows->count);
	memset(watch->copies, 0xFF, sizeof(uint32_t) * rows->count);
	search->found = watch_found;
	search->found_copy = watch_copy;
	add_rows(search, rows);
	pairs_find(search);
	*counts = (Counts) {search->compared, search->verified};
	free(watch->copies);
	free(search->parents);
	free_search(search);
	return pairs;
}

#endif							/* COMPONENTS_H */
