/*-------------------------------------------------------------------------
 *
 * cluster.c
 *	  Test src/core/cluster.c and src/core/bucket.c against a search of all pairs.
 *
 * The components that cluster.c finds must be those of the definition, under
 * all kinds of rows and settings.  Where there is a short cut, the number of
 * pairs that were compared must show it.
 *
 *-------------------------------------------------------------------------
 */
#include <time.h>

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

/* Compare with brute force; return what tells how many pairs were compared. */
static Clustering
check(const Rows *rows, double threshold, double recall, const char *what)
{
	Watch		watch;
	uint32_t   *expected = brute_force(rows, threshold, recall);
	Clustering	c = cluster_rows(rows, threshold, recall, &watch);

	ok(memcmp(c.labels, expected, sizeof(uint32_t) * rows->count) == 0 &&
	   watch.in_order,
	   "%s: %zu rows, k %d, threshold %g, recall %g: %zu clusters, %llu compared",
	   what, rows->count, rows->num_hashes, threshold, recall,
	   count_clusters(expected, rows->count), (unsigned long long) c.compared);
	free(expected);
	free(c.labels);
	return c;
}

/* Check under several thresholds and recalls. */
static void
check_settings(const Rows *rows, const char *what)
{
	static const double thresholds[] = {0, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.99, 1};
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
	Rows		rows = make_rows(4000, 128);
	double		pairs = 4000.0 * 3999 / 2;

	for (size_t row = 0; row < rows.count; row++)
	{
		if (row > 0 && row % 10 == 0)
			copy_changed(&rows, row, (size_t) random_below((int) row), 12);
		else
			fill_random(&rows, row, SLOT_MAX, 10);
		for (int i = 0; i < shared; i++)
			row_slots(&rows, row)[i] = (uint16_t) i;
	}
	ok(check(&rows, 0.8, 0.99, "shared slots").compared < pairs / 10,
	   "%d shared slots: few pairs compared", shared);
	ok(check(&rows, 0.9, 1, "shared slots").compared < pairs / 10,
	   "%d shared slots, recall 1: few pairs compared", shared);
	ok(check(&rows, 0.5, 0.99, "shared slots").compared <= 1.5 * pairs,
	   "%d shared slots, many bands: pairs compared about once", shared);
	free_rows(&rows);
}

/* Rows of several templates: all slots have few different values. */
static void
test_templates(int values)
{
	Rows		rows = make_rows(3000, 128);

	for (size_t row = 0; row < rows.count; row++)
		fill_random(&rows, row, values, 0);
	check(&rows, 0.3, 0.99, "few values a slot");
	check(&rows, 0.6, 0.99, "few values a slot");
	check(&rows, 0.8, 0.99, "few values a slot");
	check(&rows, 0.6, 1, "few values a slot");
	check(&rows, 0.8, 1, "few values a slot");
	free_rows(&rows);
}

/* Near-copies of one row, all of which are similar to each other. */
static void
test_near_copies(void)
{
	Rows		rows = make_rows(3000, 128);

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
	Rows		rows = make_rows(3000, 128);

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
	bool		all = true;

	for (size_t count = 1; count <= 200; count++)
	{
		Rows		rows = make_rows(count, 32);
		Watch		watch;
		uint32_t   *expected;
		Clustering	c;

		for (size_t row = 0; row < count; row++)
			fill_random(&rows, row, 2, 30);
		expected = brute_force(&rows, 0.55, 0.9);
		c = cluster_rows(&rows, 0.55, 0.9, &watch);
		all &= memcmp(c.labels, expected, sizeof(uint32_t) * count) == 0;
		free(expected);
		free(c.labels);
		free_rows(&rows);
	}
	ok(all, "1 to 200 rows");
}

/* Rows without any signature. */
static void
test_nothing(void)
{
	Rows		rows = make_rows(10, 16);

	check(&rows, 0, 1, "only empty sets");
	rows.is_null[0] = rows.is_null[4] = true;
	check(&rows, 0.5, 1, "empty sets and NULLs");
	row_slots(&rows, 7)[3] = 1;
	check(&rows, 0, 1, "one set that is not empty");
	check(&rows, 0, 0.5, "one set that is not empty");
	check(&rows, 0.5, 0.9, "one set that is not empty");
	free_rows(&rows);
}

/* Return the seconds of processor time that clustering at threshold 1 takes. */
static double
seconds_to_fold(const Rows *rows)
{
	Watch		watch;
	clock_t		start = clock();
	Clustering	c = cluster_rows(rows, 1, 0.99, &watch);

	free(c.labels);
	return (double) (clock() - start) / CLOCKS_PER_SEC;
}

/*
 * Signatures of which somebody saw to it that their hashes, as everybody can
 * compute them, are neighbours: folding them takes no longer than others.
 */
static void
test_hostile_fold(void)
{
	Rows		rows = make_rows(60000, 16);
	double		usual;
	double		hostile;

	for (size_t row = 0; row < rows.count; row++)
		fill_random(&rows, row, SLOT_MAX, 0);
	usual = seconds_to_fold(&rows);
	for (size_t row = 0; row < rows.count; row++)
		while ((uint32_t) XXH3_64bits(row_slots(&rows, row), 32) > UINT32_MAX / 500)
			memcpy(row_slots(&rows, row), &(uint64_t) {random64()}, 8);
	hostile = seconds_to_fold(&rows);
	ok(hostile < 10 * usual + 0.1,
	   "60,000 hostile signatures: %.3f s to fold, others %.3f s", hostile, usual);
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
	test_hostile_fold();
	return done_testing();
}
