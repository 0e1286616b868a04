/*-------------------------------------------------------------------------
 *
 * seeds.c
 *	  Find the common runs of two texts that are part of a passage.
 *
 * At most e edits leave at most e + 1 runs of equal units, so one of them has
 * at least the (e + 1)-th part of all equal units: a seed.  A hash table has
 * the places of all runs of that size in the kept text.  The other text is read
 * unit by unit with a rolling hash (Rabin and Karp 1987).  Only longest common
 * runs are of interest, so a place is passed over if the same unit comes before
 * it in both texts, by a chain of places that have another unit before them.
 * So the search takes constant time for each longest common run, and for each
 * unit.  Runs are compared by content.
 *
 * A seed is extended to both sides (alignment.c), and qualifies if some split
 * of the edits reaches the length.
 *
 * Texts that repeat have many seeds.  Two rules keep the search short:
 *
 *	- A list of seeds has only those that end after the last one.  So if the
 *	  longest run from a place (runs.c) does not, the place is passed over, and
 *	  if that run qualifies, there is nothing more to be found from there.
 *	- Whether a seed qualifies depends on fewer than length + edits units on
 *	  either side of its first one.  If no run from a place qualified, none does
 *	  from a place with the same surroundings.  A small table remembers such
 *	  places.
 *
 * There remain texts that take time for each pair of places: those that share a
 * line with thousands of different surroundings, all of units that both have.
 *
 * Memory: 20 to 32 bytes for each unit of the kept text.
 *
 *-------------------------------------------------------------------------
 */
#include "seeds.h"

#include <string.h>

#include "core/base/bits.h"
#include "core/base/hash.h"
#include "core/base/interrupt.h"

#define FILTER_BITS 4			/* log2 of the filter's bits for each head */

/*** The table ***/

/* Return the value of a unit in a hash. */
static inline uint64_t
unit_value(const SeedTable *table, uint32_t unit)
{
	return unit + (table->secret >> 32);
}

/* Append a unit to a rolling hash. */
static inline uint64_t
append_unit(const SeedTable *table, uint64_t hash, uint32_t unit)
{
	return hash * table->secret + unit_value(table, unit);
}

/* Do the same, and remove the first unit. */
static inline uint64_t
roll_on(const SeedTable *table, uint64_t hash, uint32_t unit, uint32_t first)
{
	return hash * table->secret +
		(unit_value(table, unit) - table->power * unit_value(table, first));
}

/* Return the bit of the filter that stands for a hash. */
static inline uint64_t
filter_bit(const SeedTable *table, uint64_t hash)
{
	return hash * table->secret >> (table->shift - FILTER_BITS);
}

/* Allocate an empty table with two heads or more for each of its runs. */
static void
allocate_table(SeedTable *table, uint32_t runs, const Memory *memory)
{
	int			bits = highest_bit(runs > 8 ? runs : 8) + 2;
	size_t		size = sizeof(uint32_t) * ((size_t) runs + 1);

	table->shift = 64 - bits;
	table->heads = allocate_zeros(sizeof(uint32_t) << bits, memory);
	table->filter = allocate_zeros((size_t) 1 << (bits + FILTER_BITS - 3), memory);
	table->next = memory->allocate(size);
	table->skip = memory->allocate(size);
}

/* Enter the run at a place into the filter, and note its head. */
static void
note_run(SeedTable *table, uint32_t place, uint64_t hash)
{
	uint64_t	bit = filter_bit(table, hash);

	table->filter[bit / 8] |= (uint8_t) (1 << bit % 8);
	table->next[place] = (uint32_t) (bit >> FILTER_BITS);
}

/* Put the run at a place, whose head was noted, at the front of its chain. */
static void
chain_run(SeedTable *table, uint32_t place)
{
	uint32_t   *head = &table->heads[table->next[place]];
	uint32_t	next = *head;
	bool		alike = next > 0 && place > 0 &&
		table->units[next - 2] == table->units[place - 1];

	table->next[place] = next;
	table->skip[place] = alike ? table->skip[next - 1] : next;
	*head = place + 1;
}

/* Make the table of a text. */
void
seed_table_make(SeedTable *table, const PassageRule *rule,
				const uint32_t *units, uint32_t count, uint64_t secret,
				const Memory *memory)
{
	bool		is_short = count > 0 && count < rule->run;
	PassageRule all = {count, count, 0};
	uint32_t	size = passage_seed_size(is_short ? &all : rule);
	uint32_t	runs = count < size ? 0 : count - size + 1;
	uint64_t	hash = 0;

	*table = (SeedTable) {
		.rule = is_short ? all : *rule,.is_short = is_short,.units = units,
		.count = count,.size = size,.secret = secret | 1,.power = 1
	};
	for (uint32_t i = 0; i < size; i++)
		table->power *= table->secret;
	allocate_table(table, runs, memory);
	for (uint32_t i = 0; runs > 0 && i < count; i++)
	{
		check_sometimes(i);
		hash = i < size ? append_unit(table, hash, units[i]) :
			roll_on(table, hash, units[i], units[i - size]);
		if (i >= size - 1)
			note_run(table, i - (size - 1), hash);
	}
	/* From the end, so that a chain begins with its first place. */
	for (uint32_t i = runs; i-- > 0;)
	{
		check_sometimes(i);
		chain_run(table, i);
	}
}

/* Release the memory of a table. */
void
seed_table_end(SeedTable *table, const Memory *memory)
{
	memory->release(table->heads);
	memory->release(table->filter);
	memory->release(table->next);
	memory->release(table->skip);
}

/*** The scan ***/

/* Begin to scan a text. */
void
seeds_begin(SeedScan *scan, const SeedTable *table)
{
	memset(scan, 0, offsetof(SeedScan, failed));
	scan->table = table;
}

/* Return the first place of the chain of a run, or 0. */
static inline uint32_t
find_chain(const SeedTable *table, uint64_t hash)
{
	uint64_t	bit = filter_bit(table, hash);

	return (table->filter[bit / 8] >> bit % 8 & 1) == 0 ? 0 :
		table->heads[bit >> FILTER_BITS];
}

/*
 * Read the text up to the next run of known units that may be in the table, and
 * start on its chain.  Unless the text is whole, stop where units are missing
 * that a passage can contain.
 */
static bool
next_run(SeedScan *scan)
{
	const SeedTable *table = scan->table;
	const uint32_t *units = scan->units;
	uint32_t	size = table->size;
	uint32_t	context = scan->whole ? 0 :
		table->rule.length + table->rule.edits - size;
	uint32_t	end = scan->count > context ? scan->count - context : 0;
	uint32_t	known = scan->known;
	uint64_t	hash = scan->hash;
	uint32_t	read = scan->read;

	scan->chain = 0;
	while (read < end && scan->chain == 0)
	{
		uint32_t	unit = units[read];

		check_sometimes(read++);
		if (unit == UNKNOWN_UNIT)
		{
			known = 0;
			hash = 0;
			continue;
		}
		if (known == size)
			hash = roll_on(table, hash, unit, units[read - 1 - size]);
		else
		{
			hash = append_unit(table, hash, unit);
			known++;
		}
		if (known == size)
			scan->chain = find_chain(table, hash);
	}
	scan->read = read;
	scan->known = known;
	scan->hash = hash;
	scan->tried = false;
	scan->passed = false;
	return scan->chain != 0;
}

/* Count the units, up to most, that are equal from two places on. */
static uint32_t
count_equal(const uint32_t *a, const uint32_t *b, uint32_t most)
{
	uint32_t	count = 0;

	while (count < most && a[count] == b[count])
		check_sometimes(++count);
	return count;
}

/* Return where the last seed ends. */
static inline uint32_t
end_of_last(const SeedScan *scan)
{
	return scan->last.at + scan->last.length;
}

/*
 * Return the length of the common run from two places, or 0 if that is not a
 * seed, or does not end after the last one.
 */
static uint32_t
measure_run(SeedScan *scan, uint32_t at, uint32_t at_kept)
{
	const SeedTable *table = scan->table;
	const uint32_t *a = scan->units + at;
	const uint32_t *b = table->units + at_kept;
	uint32_t	end = end_of_last(scan);
	uint32_t	length;
	uint32_t	least = end < at + table->size ? table->size : end + 1 - at;
	uint32_t	most = scan->count - at;

	if (most > table->count - at_kept)
		most = table->count - at_kept;
	scan->passed |= least > table->size;
	if (least > most || a[least - 1] != b[least - 1])
		return 0;
	length = count_equal(a, b, most);
	return length < least ? 0 : length;
}

/* Return true if a common run is part of a passage. */
static bool
qualifies(const SeedScan *scan, const Seed *seed)
{
	const SeedTable *table = scan->table;
	uint32_t	edits = table->rule.edits;
	uint32_t	end = seed->at + seed->length;
	uint32_t	end_kept = seed->at_kept + seed->length;
	uint32_t	missing;
	Reach		before[PASSAGE_MAX_EDITS + 1];
	Reach		after[PASSAGE_MAX_EDITS + 1];

	if (seed->length >= table->rule.length)
		return true;
	missing = table->rule.length - seed->length;
	alignment_extend((Ray) {scan->units + end, scan->count - end},
					 (Ray) {table->units + end_kept, table->count - end_kept},
					 1, edits, missing, after);
	if (after[edits].equal >= missing)
		return true;
	alignment_extend((Ray) {scan->units + seed->at, seed->at},
					 (Ray) {table->units + seed->at_kept, seed->at_kept},
					 -1, edits, missing, before);
	for (uint32_t i = 0; i <= edits; i++)
		if (before[i].equal + after[edits - i].equal >= missing)
			return true;
	return false;
}

/*** Places from which no run qualified ***/

/* Return the units before a place on which it depends whether runs qualify. */
static inline uint32_t
units_before(const SeedTable *table)
{
	return table->rule.length - table->size + table->rule.edits;
}

/* Return the number of these units, including those from the place on. */
static inline uint32_t
units_around(const SeedTable *table)
{
	return units_before(table) + table->rule.length + table->rule.edits;
}

/*
 * Return the entry for places with the same surroundings as one, or NULL if
 * these are not all within the text.
 */
static uint32_t *
failed_entry(SeedScan *scan, uint32_t at)
{
	uint32_t	before = units_before(scan->table);
	uint32_t	around = units_around(scan->table);
	uint64_t	hash;

	if (at < before || scan->count - (at - before) < around)
		return NULL;
	if (!scan->any_failed)
		memset(scan->failed, 0, sizeof(scan->failed));
	scan->any_failed = true;
	hash = XXH3_64bits(scan->units + at - before, sizeof(uint32_t) * around);
	return &scan->failed[hash % SEED_FAILURES];
}

/* Return true if no run qualifies from a place with the same surroundings. */
static bool
has_failed(SeedScan *scan, uint32_t at)
{
	const uint32_t *entry = failed_entry(scan, at);
	uint32_t	before = units_before(scan->table);

	return entry != NULL && *entry != 0 &&
		memcmp(scan->units + at - before, scan->units + *entry - 1 - before,
			   sizeof(uint32_t) * units_around(scan->table)) == 0;
}

/* Remember the place if runs from there were tried, and none qualified. */
static void
note_failure(SeedScan *scan)
{
	uint32_t	at = scan->read - scan->table->size;
	uint32_t   *entry = NULL;

	if (scan->tried && !scan->passed)
		entry = failed_entry(scan, at);
	if (entry != NULL)
		*entry = at + 1;
	scan->tried = false;
}

/*** Seeds ***/

/*
 * Try the longest run, which is known, from the current place; return true if
 * that is a seed.  If it does not end after the last seed, no run does.
 */
static bool
try_longest(SeedScan *scan, Seed *seed)
{
	uint32_t	at = scan->read - scan->table->size;
	const Run  *run = &scan->runs[at];
	bool		may_be_seed = run->length >= scan->table->size &&
		at + run->length > end_of_last(scan);

	*seed = (Seed) {at, run->at, run->length};
	if (may_be_seed && !qualifies(scan, seed))
		return false;
	scan->chain = 0;
	return may_be_seed;
}

/* Try the next place of the chain; return true if that is a seed. */
static bool
try_place(SeedScan *scan, Seed *seed)
{
	const SeedTable *table = scan->table;
	uint32_t	at = scan->read - table->size;
	uint32_t	at_kept = scan->chain - 1;
	uint32_t	length;

	check_sometimes(scan->steps++);
	if (at > 0 && at_kept > 0 &&
		scan->units[at - 1] == table->units[at_kept - 1])
	{
		scan->chain = table->skip[at_kept];
		return false;
	}
	scan->chain = table->next[at_kept];
	length = measure_run(scan, at, at_kept);
	if (length == 0)
		return false;
	*seed = (Seed) {at, at_kept, length};
	if (length < table->rule.length && !scan->tried && has_failed(scan, at))
	{
		scan->chain = 0;
		return false;
	}
	scan->tried = true;
	return qualifies(scan, seed);
}

/* Find the next seed. */
bool
seeds_next(SeedScan *scan, Seed *seed)
{
	if (scan->table->is_short &&
		(!scan->whole || scan->count != scan->table->count))
		return false;
	for (;;)
	{
		bool		found = false;

		while (scan->chain != 0 && !found)
			found = try_place(scan, seed);
		if (!found)
		{
			note_failure(scan);
			if (!next_run(scan))
				return false;
			found = scan->runs != NULL && try_longest(scan, seed);
		}
		if (found)
		{
			scan->last = *seed;
			scan->passed = true;
			return true;
		}
	}
}
