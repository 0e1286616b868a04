/*-------------------------------------------------------------------------
 *
 * cluster.c
 *	  Test src/core/bands/pairs.c, bucket.c, representatives.c and division.c against
 *	  programs that compare all pairs.
 *
 * Pairs, components, representatives and links must be those of the definition, under
 * all kinds of rows and settings.  Where there is a shortcut, the number of
 * comparisons must show it.
 *
 *-------------------------------------------------------------------------
 */
#include "components.h"

/* Fill a row with random slots below a limit, some of them empty. */
static void
fill_random(Rows *rows, size_t row, int limit, int empty_percent)
{
	for (int i = 0; i < rows->num_hashes; i++)
		row_slots(rows, row)[i] = random_below(100) < empty_percent ?
			SLOT_EMPTY : (uint16_t) random_below(limit);
}

/* Make a row a copy of another, with some slots changed. */
static void
copy_changed(Rows *rows, size_t row, size_t from, int changes)
{
	memcpy(row_slots(rows, row), row_slots(rows, from),
		   sizeof(uint16_t) * (size_t) rows->num_hashes);
	while (changes-- > 0)
		row_slots(rows, row)[random_below(rows->num_hashes)] =
			(uint16_t) random_below(SLOT_MAX);
}

/* Count the components of labels that hold more than one row. */
static size_t
count_clusters(const uint32_t *labels, size_t count)
{
	size_t		clusters = 0;
	bool	   *seen = calloc(count, sizeof(bool));

	for (size_t row = 0; row < count; row++)
		if (labels[row] != row && !seen[labels[row]])
		{
			seen[labels[row]] = true;
			clusters++;
		}
	free(seen);
	return clusters;
}

/* Return the estimate of two rows, which are not empty. */
static double
estimate(const Rows *rows, size_t a, size_t b)
{
	int			equal;
	int			compared;

	slots_compare(row_slots(rows, a), row_slots(rows, b), rows->num_hashes,
				  &equal, &compared);
	return (double) equal / compared;
}

/* Return the last row on the path of links of at least a similarity. */
static uint32_t
follow_links(const Rows *rows, const uint32_t *links, uint32_t row, double least)
{
	for (size_t steps = 0; steps <= rows->count; steps++)
	{
		if (links[row] == row || estimate(rows, row, links[row]) < least)
			return row;
		row = links[row];
	}
	return UINT32_MAX;			/* a circle */
}

/*
 * Return true if links of at least the similarity of a level connect all pairs
 * that are similar under the level's plan and the whole search's.
 */
static bool
links_hold(const Rows *rows, const uint32_t *links, const uint8_t *similar,
		   double level, double recall)
{
	BandPlan	plan = band_plan(level, recall, rows->num_hashes);

	for (size_t a = 0; a < rows->count; a++)
		for (size_t b = 0; b < a; b++)
			if (similar[a * rows->count + b] && rows_are_similar(rows, a, b, &plan) &&
				follow_links(rows, links, (uint32_t) a, level) !=
				follow_links(rows, links, (uint32_t) b, level))
				return false;
	return true;
}

/* Check that links are trees of similar pairs, the strongest first. */
static void
check_links(const Rows *rows, double threshold, double recall, size_t max_sorted,
			const uint8_t *similar, const uint32_t *components)
{
	BandPlan	plan = band_plan(threshold, recall, rows->num_hashes);
	uint32_t   *links = malloc(sizeof(uint32_t) * rows->count);
	Division	division = {.recall = recall,.links = links,.max_sorted = max_sorted};
	uint32_t   *labels = search_groups(rows, &plan, &division);
	bool		good = memcmp(labels, components, sizeof(uint32_t) * rows->count) == 0;
	size_t		roots = 0;

	for (size_t row = 0; row < rows->count; row++)
	{
		roots += links[row] == row;
		good &= follow_links(rows, links, (uint32_t) row, 0) == components[row] &&
			(links[row] == row || similar[row * rows->count + links[row]]);
	}
	for (int level = 20; level >= 0; level--)
		if (level / 20.0 > threshold)
			good &= links_hold(rows, links, similar, level / 20.0, recall);
	ok(good, "links: threshold %g, recall %g: %zu trees", threshold, recall, roots);
	free(links);
	free(labels);
}

/*
 * Compare components, representatives and pairs with brute force; return the
 * comparisons that finding the components took.
 */
static Counts
check(const Rows *rows, double threshold, double recall, const char *what)
{
	BandPlan	plan = band_plan(threshold, recall, rows->num_hashes);
	uint8_t    *similar = similar_pairs(rows, &plan);
	uint32_t   *components = components_of(similar, rows->count);
	uint32_t   *representatives = representatives_of(similar, rows->count);
	size_t		clusters = count_clusters(components, rows->count);
	Counts		counts;
	Counts		others;
	Watch		watch[3];
	uint32_t   *found_components = search_labels(rows, &plan, false, &watch[0], &counts);
	uint32_t   *found_representatives = search_labels(rows, &plan, true, &watch[1], &others);
	uint8_t    *found_pairs = search_pairs(rows, &plan, &watch[2], &others);
	size_t		bytes = sizeof(uint32_t) * rows->count;

	for (size_t max_sorted = 0; max_sorted < 2 && rows->count <= 300 && threshold > 0; max_sorted++)
		check_links(rows, threshold, recall, max_sorted, similar, components);
	ok(memcmp(found_components, components, bytes) == 0 &&
	   memcmp(found_representatives, representatives, bytes) == 0 &&
	   memcmp(found_pairs, similar, rows->count * rows->count) == 0 &&
	   watch[0].in_order && watch[1].in_order && watch[2].in_order,
	   "%s: %zu rows, k %d, threshold %g, recall %g: %zu clusters, %llu compared",
	   what, rows->count, rows->num_hashes, threshold, recall, clusters,
	   (unsigned long long) counts.compared);
	free(similar);
	free(components);
	free(representatives);
	free(found_components);
	free(found_representatives);
	free(found_pairs);
	return counts;
}

/* Check under several thresholds and recalls. */
static void
check_settings(const Rows *rows, const char *what)
{
	static const double thresholds[] = {0.01, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.99, 1};
	static const double recalls[] = {0, 0.5, 0.99, 1};

	for (int t = 0; t < 9; t++)
		for (int r = 0; r < 4; r++)
			check(rows, thresholds[t], recalls[r], what);
}

/* Random rows of small sets and large, with copies, near-copies and NULLs. */
static void
test_random(size_t count, int num_hashes, int limit, int empty_percent)
{
	Rows		rows = make_rows(count, num_hashes);

	for (size_t row = 0; row < count; row++)
	{
		int			kind = random_below(20);

		if (kind == 0)
			rows.is_null[row] = true;
		else if (kind == 1 || row < 2)
			fill_random(&rows, row, limit, 100);
		else if (kind < 10)
			copy_changed(&rows, row, (size_t) random_below((int) row),
						 random_below(num_hashes / 2));
		else
			fill_random(&rows, row, limit, empty_percent);
	}
	check_settings(&rows, "random");
	free_rows(&rows);
}

/* Rows that share the first slots and little else. */
static void
test_shared_band(int shared)
{
	Rows		rows = make_rows(2500, 128);
	double		pairs = 2500.0 * 2499 / 2;

	for (size_t row = 0; row < rows.count; row++)
	{
		if (row > 0 && row % 10 == 0)
			copy_changed(&rows, row, (size_t) random_below((int) row), 12);
		else
			fill_random(&rows, row, SLOT_MAX, 10);
		for (int i = 0; i < shared; i++)
			row_slots(&rows, row)[i] = (uint16_t) i;
	}
	ok((double) check(&rows, 0.8, 0.99, "shared slots").compared <= 1.05 * pairs,
	   "%d shared slots: pairs compared about once", shared);
	ok((double) check(&rows, 0.9, 1, "shared slots").compared <= 1.05 * pairs,
	   "%d shared slots, recall 1: pairs compared about once", shared);
	ok(check(&rows, 0.5, 0.99, "shared slots").compared <= 1.5 * pairs,
	   "%d shared slots, many bands: pairs compared about once", shared);
	free_rows(&rows);
}

/* Rows of several templates: all slots have few different values. */
static void
test_templates(int values)
{
	Rows		rows = make_rows(2200, 128);

	for (size_t row = 0; row < rows.count; row++)
		fill_random(&rows, row, values, 0);
	check(&rows, 0.3, 0.99, "few values a slot");
	check(&rows, 0.6, 0.99, "few values a slot");
	check(&rows, 0.8, 0.99, "few values a slot");
	ok((double) check(&rows, 0.6, 1, "few values a slot").compared < 1.05 * 2200 * 2199 / 2,
	   "%d values a slot: pairs compared about once", values);
	check(&rows, 0.8, 1, "few values a slot");
	free_rows(&rows);
}

/* Near-copies of one row, all of which are similar to each other. */
static void
test_near_copies(void)
{
	Rows		rows = make_rows(2200, 128);

	fill_random(&rows, 0, SLOT_MAX, 0);
	for (size_t row = 1; row < rows.count; row++)
		copy_changed(&rows, row, 0, 3);
	ok(check(&rows, 0.8, 0.99, "near-copies").verified < 2 * rows.count,
	   "near-copies: about one comparison of slots a row");
	ok(check(&rows, 0.8, 1, "near-copies").verified < 2 * rows.count,
	   "near-copies, recall 1: about one comparison of slots a row");
	free_rows(&rows);
}

/* A chain, in which only neighbours are similar, from last to first. */
static void
test_chain(void)
{
	Rows		rows = make_rows(2200, 128);

	fill_random(&rows, rows.count - 1, SLOT_MAX, 0);
	for (size_t row = rows.count - 1; row > 0; row--)
		copy_changed(&rows, row - 1, row, 12);
	check(&rows, 0.9, 0.99, "chain");
	check(&rows, 0.9, 1, "chain");
	check(&rows, 0.5, 0.9, "chain");
	free_rows(&rows);
}

/* Copies of one row. */
static void
test_copies(void)
{
	Rows		rows = make_rows(5000, 64);

	for (size_t row = 0; row < rows.count; row++)
		for (int i = 0; i < rows.num_hashes; i++)
			row_slots(&rows, row)[i] = (uint16_t) (i * i);
	ok(check(&rows, 0.8, 0.99, "copies").compared == 0, "copies are not compared");
	free_rows(&rows);
}

/* Partitions of every small size. */
static void
test_sizes(void)
{
	for (size_t count = 1; count <= 200; count++)
	{
		Rows		rows = make_rows(count, 32);

		for (size_t row = 0; row < count; row++)
			fill_random(&rows, row, 2, 30);
		check(&rows, 0.55, 0.9, "every size");
		free_rows(&rows);
	}
}

/* Rows without any signature. */
static void
test_nothing(void)
{
	Rows		rows = make_rows(10, 16);

	check(&rows, 0.01, 1, "only empty sets");
	rows.is_null[0] = rows.is_null[4] = true;
	check(&rows, 0.5, 1, "empty sets and NULLs");
	row_slots(&rows, 7)[3] = 1;
	check(&rows, 0.01, 1, "one set that is not empty");
	check(&rows, 0.01, 0.5, "one set that is not empty");
	check(&rows, 0.5, 0.9, "one set that is not empty");
	free_rows(&rows);
}

/* A component with more representatives than several tiles hold. */
static void
test_large_component(void)
{
	Rows		rows = make_rows(5000, 128);

	fill_random(&rows, 0, SLOT_MAX, 0);
	for (size_t row = 1; row < rows.count; row++)
		copy_changed(&rows, row, row % 5 ? row - 1 : (size_t) random_below((int) row), 6);
	check(&rows, 0.9, 0.99, "large component");
	free_rows(&rows);
}

int
main(void)
{
	test_nothing();
	test_sizes();
	test_copies();
	test_near_copies();
	test_chain();
	test_shared_band(6);
	test_shared_band(60);
	test_templates(2);
	test_templates(4);
	test_random(300, 128, SLOT_MAX, 20);
	test_random(300, 16, 3, 10);
	test_random(400, 37, 2, 60);
	test_random(300, 128, 2, 97);
	test_random(200, 500, 40, 50);
	test_large_component();
	return done_testing();
}
