/*-------------------------------------------------------------------------
 *
 * cluster.c
 *	  Fuzz the clustering against a comparison of all pairs.
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

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {data, size};
	int			k = take_between(&input, SKETCH_MIN_HASHES, 140);
	double		threshold = take_share(&input);
	double		recall = take_share(&input);
	Rows		rows = make_rows(MAX_ROWS, k);
	uint32_t   *expected;
	Clustering	clustering;
	Watch		watch;

	rows.count = 0;
	do
		take_row(&input, &rows, rows.count++);
	while (input.left > 0 && rows.count < MAX_ROWS);
	expected = brute_force(&rows, threshold, recall);
	clustering = cluster_rows(&rows, threshold, recall, &watch);
	check(memcmp(clustering.labels, expected, sizeof(uint32_t) * rows.count) == 0);
	check(watch.in_order);
	free(expected);
	free(clustering.labels);
	free_rows(&rows);
	return 0;
}
