/*-------------------------------------------------------------------------
 *
 * cluster.c
 *	  Fuzz the search for pairs, components and representatives against a
 *	  comparison of all pairs.
 *
 *-------------------------------------------------------------------------
 */
#include "components.h"
#include "fuzz.h"

#define MAX_ROWS 200

/* Take a row: NULL, empty, of few values, or like an earlier one. */
static void
take_row(Input *input, const Rows *rows, size_t row)
{
	uint16_t   *slots = row_slots(rows, row);
	int			k = rows->num_hashes;
	uint64_t	kind = take(input, 1);
	uint64_t	values = take(input, 2);

	rows->is_null[row] = kind == 0;
	if (kind < 2)
		return;
	if (row > 0 && kind < 128)
		memcpy(slots, row_slots(rows, kind % row), sizeof(uint16_t) * (size_t) k);
	else
		for (int i = 0; i < k; i++)
			slots[i] = kind % 4 == 0 && values >> i % 16 & 1 ? SLOT_EMPTY :
				(uint16_t) (mix64(values + (uint64_t) i) % (1 + kind % 8));
	for (uint64_t changes = values % 8; changes > 0; changes--)
	{
		uint64_t	change = take(input, 2);

		slots[change % (uint64_t) k] = (uint16_t) (change >> 8);
	}
}

/* Compare components, representatives and pairs with brute force. */
static void
check_rows(const Rows *rows, const BandPlan *plan)
{
	uint8_t    *similar = similar_pairs(rows, plan);
	size_t		bytes = sizeof(uint32_t) * rows->count;
	Counts		counts;
	Watch		watch;

	for (int representatives = 0; representatives < 2; representatives++)
	{
		uint32_t   *expected = representatives ?
			representatives_of(similar, rows->count) :
			components_of(similar, rows->count);
		uint32_t   *labels = search_labels(rows, plan, representatives, &watch, &counts);

		check(memcmp(labels, expected, bytes) == 0);
		check(watch.in_order);
		free(expected);
		free(labels);
	}
	uint8_t    *pairs = search_pairs(rows, plan, &watch, &counts);

	check(memcmp(pairs, similar, rows->count * rows->count) == 0);
	free(pairs);
	free(similar);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {data, size};
	int			k = take_between(&input, SKETCH_MIN_HASHES, 140);
	double		threshold = take_share(&input);
	double		recall = take_share(&input);
	BandPlan	plan = band_plan(threshold > 0 ? threshold : 1, recall, k);
	Rows		rows = make_rows(MAX_ROWS, k);

	rows.count = 0;
	do
		take_row(&input, &rows, rows.count++);
	while (input.left > 0 && rows.count < MAX_ROWS);
	check_rows(&rows, &plan);
	free_rows(&rows);
	return 0;
}
