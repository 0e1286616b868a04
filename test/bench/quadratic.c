/*-------------------------------------------------------------------------
 *
 * quadratic.c
 *	  Representatives by comparing each row with all earlier ones.
 *
 * A program to check minhash_representative against: it uses the definition of
 * similar rows and nothing of src/core/pairs.c.
 *
 *	psql -c "COPY (SELECT sig FROM t ORDER BY id) TO STDOUT (FORMAT binary)" |
 *	quadratic THRESHOLD RECALL
 *
 * prints for each row, from 1 on, the number of its representative: the first
 * row that is similar to it and is its own representative, or else itself.
 * Runs in O(n^2) time.
 *
 *-------------------------------------------------------------------------
 */
#include "core/bands.h"
#include "core/slots.h"
#include "signatures.h"

/* Return true if two rows are similar, by their slots and band keys. */
static bool
are_similar(const Table *table, const BandPlan *plan, size_t a, size_t b)
{
	const uint16_t *left = table_slots(table, a);
	const uint16_t *right = table_slots(table, b);
	int			equal;
	int			compared;
	int			matches = 0;

	slots_compare(left, right, table->num_hashes, &equal, &compared);
	if (compared == 0 || (double) equal / compared < plan->threshold)
		return false;
	for (int i = 0; i < plan->bands && !plan->compare_all; i++)
	{
		int			band = plan_band(plan, i);

		matches += band_key(left, table->num_hashes, band, plan->rows) ==
			band_key(right, table->num_hashes, band, plan->rows);
	}
	return plan->compare_all || matches >= plan->matches;
}

/* Read signatures, and print the representative of each. */
int
main(int argc, char **argv)
{
	double		threshold = argc > 1 ? atof(argv[1]) : 0.8;
	double		recall = argc > 2 ? atof(argv[2]) : 0.99;
	Table		table = read_table();
	BandPlan	plan = band_plan(threshold, recall, table.num_hashes);
	size_t	   *representatives = allocate(NULL, sizeof(size_t) * (table.rows + 1));
	size_t		count = 0;

	for (size_t row = 0; row < table.rows; row++)
	{
		size_t		i = 0;

		while (i < count && !are_similar(&table, &plan, representatives[i], row))
			i++;
		if (i == count)
			representatives[count++] = row;
		printf("%zu\n", representatives[i] + 1);
	}
	return 0;
}
