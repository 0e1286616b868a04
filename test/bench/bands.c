/*-------------------------------------------------------------------------
 *
 * bands.c
 *	  Count the look-ups and results of searches by the plans of core/bands.c.
 *
 *	psql -c "COPY (SELECT sig FROM t) TO STDOUT (FORMAT binary)" |
 *	bands THRESHOLD ...
 *
 * searches for 200 of the signatures, at a recall of 0.99, and prints for each
 * threshold a row of a table: depth, matches, look-ups, entries found, mean
 * and median of the candidates, the recall of the rows whose estimate reaches
 * the threshold, and what a search costs by two models, in microseconds:
 *
 *	GIN: 2 a look-up, 0.1 an entry, 1 a candidate, which is in the heap
 *	store: 0.75 a look-up, 0.01 an entry, 0.1 a candidate, which is at hand
 *
 * The first are what fits the times of test/bench/bands roughly; the others
 * are those of a prototype.
 *
 * Build: as test/bench/bands does.
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/bands.h"
#include "core/hash.h"
#include "core/slots.h"
#include "signatures.h"

#define PROBES 200
#define RECALL 0.99

/* Totals of the searches at a threshold. */
typedef struct Found
{
	double		entries;
	double		candidates[PROBES];
	double		similar;		/* rows whose estimate reaches the threshold */
	double		kept;			/* those of them that are candidates */
} Found;

/* Return the keys of a row. */
static uint64_t *
row_keys(uint64_t *keys, int count, size_t row)
{
	return keys + row * (size_t) count;
}

/* Make the keys of all rows; empty sets are left out. */
static uint64_t *
make_keys(Table *table, int count)
{
	uint64_t   *keys = allocate(NULL, sizeof(uint64_t) * (size_t) count * (table->rows + 1));
	size_t		kept = 0;

	for (size_t row = 0; row < table->rows; row++)
	{
		if (band_keys(table_slots(table, row), table->num_hashes,
					  row_keys(keys, count, kept)) == 0)
			continue;
		memmove(table_slots(table, kept), table_slots(table, row),
				sizeof(uint16_t) * (size_t) table->num_hashes);
		kept++;
	}
	table->rows = kept;
	return keys;
}

/* Count in how many bands of a plan two rows agree. */
static int
count_matches(const uint64_t *a, const uint64_t *b, const BandPlan *plan)
{
	uint64_t	mask = band_mask(plan->rows);
	int			matches = 0;

	for (int i = 0; i < plan->bands; i++)
	{
		int			band = plan_band(plan, i);

		matches += ((a[band] ^ b[band]) & mask) == 0;
	}
	return matches;
}

/* Search for one row among all others. */
static void
search(Table *table, uint64_t *keys, const BandPlan *plan, size_t probe,
	   double *candidates, Found *found)
{
	int			count = band_count(table->num_hashes);

	for (size_t row = 0; row < table->rows; row++)
	{
		int			matches = count_matches(row_keys(keys, count, probe),
											row_keys(keys, count, row), plan);
		bool		candidate = plan->compare_all || matches >= plan->matches;
		int			equal;
		int			compared;

		found->entries += matches;
		*candidates += candidate;
		if (!candidate && !slots_differ_at_most(table_slots(table, probe),
												table_slots(table, row),
												table->num_hashes,
												plan->max_different))
			continue;
		slots_compare(table_slots(table, probe), table_slots(table, row),
					  table->num_hashes, &equal, &compared);
		if (compared == 0 || (double) equal / compared < plan->threshold)
			continue;
		found->similar++;
		found->kept += candidate;
	}
}

/* Order numbers for qsort. */
static int
order_numbers(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return x < y ? -1 : x > y;
}

/* Print the row of a threshold. */
static void
print_row(const BandPlan *plan, Found *found)
{
	double		entries = found->entries / PROBES;
	double		candidates = 0;

	for (int i = 0; i < PROBES; i++)
		candidates += found->candidates[i] / PROBES;
	qsort(found->candidates, PROBES, sizeof(double), order_numbers);
	printf("%g | %d | %d | %d | %.1f | %.1f | %.0f | %.4f | %.0f | %.0f |\n",
		   plan->threshold, plan->rows, plan->matches, plan->bands, entries,
		   candidates, found->candidates[PROBES / 2],
		   found->kept / found->similar,
		   2 * plan->bands + 0.1 * entries + candidates,
		   0.75 * plan->bands + 0.01 * entries + 0.1 * candidates);
}

int
main(int argc, char **argv)
{
	Table		table = read_table();
	uint64_t   *keys = make_keys(&table, band_count(table.num_hashes));

	for (int i = 1; i < argc; i++)
	{
		BandPlan	plan = band_plan(atof(argv[i]), RECALL, table.num_hashes);
		Found		found = {0};
		uint64_t	state = 1;

		for (int probe = 0; probe < PROBES; probe++)
			search(&table, keys, &plan, splitmix64(&state) % table.rows,
				   &found.candidates[probe], &found);
		print_row(&plan, &found);
	}
	return 0;
}
