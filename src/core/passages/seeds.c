/*-------------------------------------------------------------------------
 *
 * seeds.c
 *	  Find the common runs of two texts that are part of a passage.
 *
 * At most e edits leave at most e + 1 runs of equal units, so one of them has
 * at least the (e + 1)-th part of all equal units: a seed.  A hash table has
 * the places of all runs of that size in the kept text.  The other text is read
 * unit by unit with a rolling hash (Rabin and Karp 1987).  Only longest common
 * runs are of interest, so a place is skipped if the same unit comes before
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
 *	  longest run from a place (runs.c) does not, the place is skipped, and
 *	  if that run qualifies, there is nothing more to be found from there.
 *	- Whether a seed qualifies depends on fewer than length + edits units on
 *	  either side of its first one.  If no run from a place qualified, none does
 *	  from a place with the same surroundings.  A small table remembers such
 *	  surroundings, by a 64-bit hash with a secret seed.
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

#include "core/base/hash.h"

#define FILTER_BITS 4			/* log2 of the filter's bits for each head */

/*** The table ***/

/*
 * The rolling hash is the value of a polynomial modulo a prime, at a base that
 * no author of a text knows.  (Modulo 2^64, Thue-Morse words have one hash at
 * every base.)  It is below 2^33 until it is used, the base below 2^29, and
 * units are below 2^30, so that no sum overflows.
 */
#define MODULUS_BITS 31
#define MODULUS ((UINT64_C(1) << MODULUS_BITS) - 1)

/* Append a unit to a rolling hash, and remove the first if it is not 0. */
static inline uint64_t
roll_on(const SeedTable *table, uint64_t hash, uint32_t unit, uint32_t first)
{
	hash = hash * table->base + unit + first * table->removal;
	return (hash & MODULUS) + (hash >> MODULUS_BITS);
}

/* Return the bit of the filter that stands for a hash. */
static inline uint64_t
table_bit(const SeedTable *table, uint64_t hash)
{
	return hash % MODULUS * table->secret >> (table->shift - FILTER_BITS);
}

/* Allocate an empty table with two heads or more for each of its runs. */
static void
allocate_table(SeedTable *table, uint32_t runs)
{
	int			bits = highest_bit(runs > 8 ? runs : 8) + 2;
	size_t		size = sizeof(uint32_t) * ((size_t) runs + 1);

	table->shift = 64 - bits;
	table->heads = core_allocate_zeros((uint64_t) sizeof(uint32_t) << bits);
	table->filter = core_allocate_zeros(UINT64_C(1) << (bits + FILTER_BITS - 3));
	table->next = core_allocate(size);
	table->skip = core_allocate(size);
}

/* Enter the run at a place into the filter, and note its head. */
static void
note_run(SeedTable *table, uint32_t place, uint64_t hash)
{
	uint64_t	bit = table_bit(table, hash);

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
				const uint32_t *units, uint32_t count, uint64_t secret)
{
	bool		is_short = count > 0 && count < rule->run;
	PassageRule all = {count, count, 0};
	uint32_t	size = passage_seed_size(is_short ? &all : rule);
	uint32_t	runs = count < size ? 0 : count - size + 1;
	uint64_t	hash = 0;

	*table = (SeedTable) {
		.rule = is_short ? all : *rule,.is_short = is_short,.units = units,
		.count = count,.size = size,.secret = secret | 1,.base = secret >> 35,
		.removal = MODULUS - 1
	};
	for (uint32_t i = 0; i < size; i++)
		table->removal = roll_on(table, table->removal, 0, 0) % MODULUS;
	allocate_table(table, runs);
	for (uint32_t i = 0; runs > 0 && i < count; i++)
	{
		check_sometimes(i);
		hash = roll_on(table, hash, units[i], i < size ? 0 : units[i - size]);
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
seed_table_end(SeedTable *table)
{
	core_release(table->heads);
	core_release(table->filter);
	core_release(table->next);
	core_release(table->skip);
}

/*** The scan ***/

/* Begin to scan a text. */
void
seeds_begin(SeedScan *scan, const SeedTable *table)
{
	memset(scan, 0, sizeof(*scan));
	scan->table = table;
}

/* Return the first place of the chain of a run, or 0. */
static inline uint32_t
find_chain(const SeedTable *table, uint64_t hash)
{
	uint64_t	bit = table_bit(table, hash);

	return (table->filter[bit / 8] >> bit % 8 & 1) == 0 ? 0 :
		table->heads[bit >> FILTER_BITS];
}

/* Return where the last seed ends. */
static inline uint32_t
end_of_last(const SeedScan *scan)
{
	return scan->last.at + scan->last.length;
}

/* Start on the chain of a run that begins at a place. */
static void
begin_chain(SeedScan *scan, uint32_t at, uint32_t next)
{
	const CommonRun *run = scan->runs == NULL ? NULL : &scan->runs[at];
	bool		is_futile = run != NULL &&
		(run->length < scan->table->size || at + run->length <= end_of_last(scan));

	scan->chain = (SeedChain) {
		.at = at,.next = is_futile ? 0 : next,.longest = run
	};
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
	uint32_t	place = 0;

	while (read < end && place == 0)
	{
		uint32_t	unit = units[read];

		check_sometimes(read++);
		if (unit == UNKNOWN_UNIT)
			known = 0;
		else if (known == size)
			hash = roll_on(table, hash, unit, units[read - 1 - size]);
		else
		{
			hash = roll_on(table, known == 0 ? 0 : hash, unit, 0);
			known++;
		}
		if (known == size)
			place = find_chain(table, hash);
	}
	scan->read = read;
	scan->known = known;
	scan->hash = hash;
	if (place != 0)
		begin_chain(scan, read - size, place);
	return place != 0;
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
	uint32_t	length = 0;
	uint32_t	least = end < at + table->size ? table->size : end + 1 - at;
	uint32_t	most = scan->count - at;

	if (most > table->count - at_kept)
		most = table->count - at_kept;
	scan->chain.any_passed |= least > table->size;
	if (least > most || a[least - 1] != b[least - 1])
		return 0;
	while (length < most && a[length] == b[length])
		check_sometimes(++length);
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
	Ray			left = {scan->units + seed->at, seed->at};
	Ray			left_kept = {table->units + seed->at_kept, seed->at_kept};
	Ray			right = {scan->units + end, scan->count - end};
	Ray			right_kept = {table->units + end_kept, table->count - end_kept};
	uint32_t	missing;
	Reach		before[PASSAGE_MAX_EDITS + 1];
	Reach		after[PASSAGE_MAX_EDITS + 1];

	if (seed->length >= table->rule.length)
		return true;
	missing = table->rule.length - seed->length;
	alignment_extend(right, right_kept, 1, edits, missing, after);
	if (after[edits].equal >= missing)
		return true;
	alignment_extend(left, left_kept, -1, edits, missing, before);
	for (uint32_t i = 0; i <= edits; i++)
		if (before[i].equal + after[edits - i].equal >= missing)
			return true;
	return false;
}

/*
 * Return a hash of the units around a place on which it depends whether a run from
 * there qualifies, or 0 if not all of them are within the text.
 */
static uint64_t
surroundings(const SeedScan *scan, uint32_t at)
{
	const PassageRule *rule = &scan->table->rule;
	uint32_t	before = rule->length - scan->table->size + rule->edits;
	uint32_t	around = before + rule->length + rule->edits;

	if (at < before || scan->count - (at - before) < around)
		return 0;
	return XXH3_64bits_withSeed(scan->units + at - before, sizeof(uint32_t) * around,
								scan->table->secret);
}

/* Remember the surroundings of a chain if runs were tried, and none qualified. */
static void
end_chain(SeedScan *scan)
{
	SeedChain  *chain = &scan->chain;

	if (chain->around != 0 && !chain->any_passed)
		scan->failed[chain->around % SEED_FAILURES] = chain->around;
}

/*** Seeds ***/

/* Try the longest run from the place of the chain; if it is a seed, end there. */
static bool
try_longest(SeedScan *scan, Seed *seed)
{
	SeedChain  *chain = &scan->chain;
	const CommonRun *run = chain->longest;

	*seed = (Seed) {chain->at, run->at, run->length};
	chain->longest = NULL;
	if (!qualifies(scan, seed))
		return false;
	chain->next = 0;
	return true;
}

/* Try the next run of the chain; return true if that is a seed. */
static bool
next_in_chain(SeedScan *scan, Seed *seed)
{
	const SeedTable *table = scan->table;
	SeedChain  *chain = &scan->chain;
	uint32_t	at = chain->at;
	uint32_t	at_kept = chain->next - 1;
	uint32_t	length;

	if (chain->longest != NULL)
		return try_longest(scan, seed);
	check_sometimes(scan->steps++);
	if (at > 0 && at_kept > 0 &&
		scan->units[at - 1] == table->units[at_kept - 1])
	{
		chain->next = table->skip[at_kept];
		return false;
	}
	chain->next = table->next[at_kept];
	length = measure_run(scan, at, at_kept);
	if (length == 0)
		return false;
	if (length < table->rule.length && chain->around == 0)
	{
		chain->around = surroundings(scan, at);
		if (chain->around != 0 &&
			scan->failed[chain->around % SEED_FAILURES] == chain->around)
		{
			chain->next = 0;
			return false;
		}
	}
	*seed = (Seed) {at, at_kept, length};
	return qualifies(scan, seed);
}

/* Find the next seed. */
bool
seeds_next(SeedScan *scan, Seed *seed)
{
	if (scan->table->is_short &&
		(!scan->whole || scan->count != scan->table->count))
		return false;
	do
	{
		while (scan->chain.next != 0)
			if (next_in_chain(scan, seed))
			{
				scan->last = *seed;
				scan->chain.any_passed = true;
				return true;
			}
		end_chain(scan);
	} while (next_run(scan));
	return false;
}
