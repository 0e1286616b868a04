/*-------------------------------------------------------------------------
 *
 * hash_table.c
 *	  A table counts hashes as a sorted array does, also hostile ones.
 *
 * Hostile hashes are those that a table without a secret would put at one
 * place: equal in their low, middle or high bits.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "core/base/hash.h"
#include "core/base/hash_table.h"
#include "unit.h"

#define COUNT 100000
#define SECRETS 20

static uint64_t hashes[COUNT];
static uint64_t sorted[COUNT];

/* Return true if a table has exactly the hashes, with their numbers. */
static bool
has_counts(const HashTable *table)
{
	size_t		distinct = 0;

	memcpy(sorted, hashes, sizeof(hashes));
	qsort(sorted, COUNT, sizeof(uint64_t), compare_hashes);
	for (size_t i = 0, end; i < COUNT; i = end)
	{
		const HashEntry *entry = hash_table_find(table, sorted[i]);

		for (end = i; end < COUNT && sorted[end] == sorted[i];)
			end++;
		if (entry->value != end - i || entry->extra != (uint32_t) sorted[i])
			return false;
		distinct++;
	}
	for (size_t i = 0; i < hash_table_size(table); i++)
		distinct -= table->entries[i].value != 0;
	return distinct == 0;
}

/* Return the steps that it takes to find all hashes, per hash. */
static double
steps_per_hash(const HashTable *table)
{
	double		steps = 0;
	size_t		last = hash_table_size(table) - 1;

	for (size_t i = 0; i <= last; i++)
	{
		uint64_t	first = table->entries[i].hash * table->factor >> table->shift;

		if (table->entries[i].value != 0)
			steps += (double) ((i - first) & last) + 1;
	}
	return steps / (double) table->used;
}

/* Count the hashes with a table that grows from a size. */
static void
check_table(const char *name, uint64_t expected)
{
	bool		counts = true;
	double		worst = 0;
	uint64_t	random = 1;

	for (int i = 0; i < SECRETS; i++)
	{
		HashTable	table;
		size_t		first_size;

		hash_table_begin(&table, expected, splitmix64(&random));
		first_size = hash_table_size(&table);
		for (int j = 0; j < COUNT; j++)
		{
			HashEntry  *entry = hash_table_enter(&table, hashes[j]);

			entry->value++;
			entry->extra = (uint32_t) hashes[j];
		}
		counts = counts && has_counts(&table) &&
			(table.used > expected || hash_table_size(&table) == first_size);
		if (steps_per_hash(&table) > worst)
			worst = steps_per_hash(&table);
		hash_table_end(&table);
	}
	ok(counts, "%s, %.0f expected: counts", name, (double) expected);
	ok(worst < 20, "%s, %.0f expected: at most %.2f steps", name,
	   (double) expected, worst);
}

int
main(void)
{
	uint64_t	random = 42;

	for (int i = 0; i < COUNT; i++)
		hashes[i] = splitmix64(&random);
	check_table("random", 0);
	check_table("random", COUNT);
	for (int i = 0; i < COUNT; i++)
		hashes[i] = splitmix64(&random) % 5000;
	check_table("repeated", 0);
	for (int shift = 0; shift <= 48; shift += 16)
	{
		for (int i = 0; i < COUNT; i++)
			hashes[i] = (uint64_t) i << shift;
		check_table("numbers", 0);
	}
	for (int i = 0; i < COUNT; i++)
		hashes[i] = splitmix64(&random) << 24;
	check_table("low bits equal", 0);
	ok(interrupt_checks >= SECRETS, "checks for interrupts as it grows");
	return done_testing();
}
