/*-------------------------------------------------------------------------
 *
 * cluster_loop.c
 *	  The bare loop that minhash_cluster is measured against.
 *
 * It makes the keys of all bands of the plan, radix-sorts them, and verifies
 * all pairs with equal keys, as one would write it down first: no folding,
 * no components, nothing of src/core/pairs.c.
 *
 *	psql -c "COPY (SELECT sig FROM t) TO STDOUT (FORMAT binary)" |
 *	cluster_loop THRESHOLD RECALL
 *
 * prints the rows, the pairs compared and similar, and the seconds, by the
 * clock and of processor time, without those for reading.
 *
 * Build: cc -O2 -ftree-vectorize -I src test/bench/cluster_loop.c src/core/bands.c
 * src/core/slots.c
 *
 *-------------------------------------------------------------------------
 */
#define _POSIX_C_SOURCE 200112L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/bands.h"
#include "core/slots.h"
#include "signatures.h"

#define DIGIT_BITS 11
#define DIGITS (1 << DIGIT_BITS)

typedef struct Entry
{
	uint64_t	key;
	uint32_t	row;
} Entry;

/* Sort by key, from the lowest digit on; return the sorted one of both. */
static Entry *
radix_sort(Entry *from, Entry *to, size_t count)
{
	for (int shift = 0; shift < BAND_NUMBER_SHIFT; shift += DIGIT_BITS)
	{
		size_t		places[DIGITS + 1] = {0};
		Entry	   *sorted = to;

		for (size_t i = 0; i < count; i++)
			places[(from[i].key >> shift & (DIGITS - 1)) + 1]++;
		for (int digit = 0; digit < DIGITS; digit++)
			places[digit + 1] += places[digit];
		for (size_t i = 0; i < count; i++)
			to[places[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
		to = from;
		from = sorted;
	}
	return from;
}

/* Verify all pairs of a run of equal keys; return how many are similar. */
static uint64_t
verify_run(const Table *table, const Entry *run, size_t count, double threshold)
{
	uint64_t	similar = 0;

	for (size_t j = 1; j < count; j++)
		for (size_t i = 0; i < j; i++)
		{
			int			equal;
			int			compared;

			slots_compare(table->slots + run[i].row * (size_t) table->num_hashes,
						  table->slots + run[j].row * (size_t) table->num_hashes,
						  table->num_hashes, &equal, &compared);
			similar += compared > 0 && (double) equal / compared >= threshold;
		}
	return similar;
}

/* Process one band. */
static void
do_band(const Table *table, const BandPlan *plan, int band, double threshold,
		Entry *entries, Entry *scratch, uint64_t *pairs, uint64_t *similar)
{
	Entry	   *sorted;

	for (size_t row = 0; row < table->rows; row++)
	{
		entries[row].key = band_key(table->slots + row * (size_t) table->num_hashes,
									table->num_hashes,
									plan_band(plan, band), plan->rows);
		entries[row].row = (uint32_t) row;
	}
	sorted = radix_sort(entries, scratch, table->rows);
	for (size_t start = 0; start < table->rows;)
	{
		size_t		end = start + 1;

		while (end < table->rows && sorted[end].key == sorted[start].key)
			end++;
		*pairs += (uint64_t) (end - start) * (end - start - 1) / 2;
		*similar += verify_run(table, sorted + start, end - start, threshold);
		start = end;
	}
}

/* Return the seconds of a clock. */
static double
seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* Read the table, process the bands, and print the time. */
int
main(int argc, char **argv)
{
	double		threshold = argc > 1 ? atof(argv[1]) : 0.8;
	double		recall = argc > 2 ? atof(argv[2]) : 0.99;
	Table		table = read_table();
	BandPlan	plan = band_plan(threshold, recall, table.num_hashes);
	double		start = seconds(CLOCK_MONOTONIC);
	double		cpu_start = seconds(CLOCK_PROCESS_CPUTIME_ID);
	Entry	   *entries = allocate(NULL, sizeof(Entry) * (table.rows + 1));
	Entry	   *scratch = allocate(NULL, sizeof(Entry) * (table.rows + 1));
	uint64_t	pairs = 0;
	uint64_t	similar = 0;

	if (plan.compare_all)
		die("no banding reaches this recall");
	for (int band = 0; band < plan.bands; band++)
		do_band(&table, &plan, band, threshold, entries, scratch, &pairs,
				&similar);
	printf("%zu %llu %llu %.3f %.3f\n", table.rows, (unsigned long long) pairs,
		   (unsigned long long) similar, seconds(CLOCK_MONOTONIC) - start,
		   seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_start);
	return 0;
}
