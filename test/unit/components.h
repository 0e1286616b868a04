/*-------------------------------------------------------------------------
 *
 * components.h
 *	  Components of similar signatures: by cluster.c, and by comparing all.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMPONENTS_H
#define COMPONENTS_H

#include <string.h>

#include "cluster.h"
#include "nibbles.h"
#include "unit.h"

/* Rows to cluster. */
typedef struct Rows
{
	size_t		count;
	int			num_hashes;
	uint16_t   *slots;
	bool	   *is_null;
} Rows;

/* What a run has been seen to do. */
typedef struct Watch
{
	long		ticks;
	int			steps;
	int			last_step;
	double		last_done;
	bool		in_order;		/* it went forward all the time */
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

/* Tell whether two rows are similar, by the definition alone. */
static bool
rows_are_similar(const Rows *rows, size_t a, size_t b, double threshold,
				 const BandPlan *plan)
{
	int			equal;
	int			compared;

	if (rows->is_null[a] || rows->is_null[b])
		return false;
	slots_compare(row_slots(rows, a), row_slots(rows, b), rows->num_hashes,
				  &equal, &compared);
	if (compared == 0 || (double) equal / compared < threshold)
		return false;
	return plan->compare_all ||
		bands_agree(row_slots(rows, a), row_slots(rows, b), rows->num_hashes,
					plan);
}

/* Label the component of a row, depth first with a list of what is to do. */
static void
flood(const Rows *rows, size_t first, double threshold, const BandPlan *plan,
	  uint32_t *labels, uint32_t *stack)
{
	size_t		depth = 0;

	stack[depth++] = (uint32_t) first;
	labels[first] = (uint32_t) first;
	while (depth > 0)
	{
		size_t		row = stack[--depth];

		for (size_t other = first; other < rows->count; other++)
			if (labels[other] == UINT32_MAX &&
				rows_are_similar(rows, row, other, threshold, plan))
			{
				labels[other] = (uint32_t) first;
				stack[depth++] = (uint32_t) other;
			}
	}
}

/* Find the components by comparing all pairs. */
static uint32_t *
brute_force(const Rows *rows, double threshold, double recall)
{
	BandPlan	plan = band_plan(threshold, recall, rows->num_hashes);
	uint32_t   *labels = malloc(sizeof(uint32_t) * rows->count);
	uint32_t   *stack = malloc(sizeof(uint32_t) * rows->count);

	memset(labels, 0xFF, sizeof(uint32_t) * rows->count);
	for (size_t row = 0; row < rows->count; row++)
		if (labels[row] == UINT32_MAX)
			flood(rows, row, threshold, &plan, labels, stack);
	free(stack);
	return labels;
}

/* Note that a run goes on. */
static void
watch_tick(Clustering *clustering)
{
	Watch	   *watch = clustering->hook_data;

	watch->ticks++;
	if (clustering->step != watch->last_step)
		watch->last_done = 0;
	watch->in_order &= clustering->step >= watch->last_step &&
		clustering->done >= watch->last_done && clustering->done < 1.000001;
	watch->last_step = clustering->step;
	watch->last_done = clustering->done;
}

/* Note that a run has done a step. */
static void
watch_step(Clustering *clustering)
{
	Watch	   *watch = clustering->hook_data;

	watch->steps++;
	watch->in_order &= clustering->step == watch->steps && clustering->done == 1;
}

/* Cluster rows; the caller frees the labels. */
static Clustering
cluster_rows(const Rows *rows, double threshold, double recall, Watch *watch)
{
	Clustering	c = {.num_hashes = rows->num_hashes};

	*watch = (Watch) {.in_order = true};
	c.plan = band_plan(threshold, recall, rows->num_hashes);
	c.tick = watch_tick;
	c.step_done = watch_step;
	c.hook_data = watch;
	c.max_rows = rows->count;
	c.labels = malloc(sizeof(uint32_t) * rows->count);
	c.parents = malloc(sizeof(uint32_t) * rows->count);
	c.work = malloc(2 * sizeof(uint64_t) * rows->count);
	c.slots = malloc(sizeof(uint16_t) * rows->count * (size_t) rows->num_hashes);
	c.nibbles = malloc(sizeof(uint64_t) * rows->count *
					   nibbles_words(rows->num_hashes));
	cluster_begin(&c);
	for (size_t row = 0; row < rows->count; row++)
	{
		if (rows->is_null[row])
			cluster_add_null(&c);
		else
			cluster_add(&c, row_slots(rows, row));
	}
	cluster_run(&c);
	cluster_label(&c);
	free(c.parents);
	free(c.work);
	free(c.slots);
	free(c.nibbles);
	return c;
}

#endif							/* COMPONENTS_H */
