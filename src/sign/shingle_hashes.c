/*-------------------------------------------------------------------------
 *
 * shingle_hashes.c
 *	  Read the hashes of a text's shingles, or the set or a sample of them.
 *
 * A shingling is a set or a bag (multiset).  In a bag the i-th occurrence of a
 * shingle is an element of its own, hashed from the shingle's hash and i, so
 * the occurrences must be counted.  This takes a hash table with linear
 * probing.
 *
 * simplehash and dynahash are not used for two reasons.  Doubling a table of
 * gigabytes takes seconds, in which they do not check for interrupts.  They
 * also derive the position of an entry from its hash alone, so that a hostile
 * text can make all its shingles collide.  Here the position is the high bits
 * of the product of the hash with a secret odd number: any two hashes rarely
 * share it (multiplicative hashing, Dietzfelbinger et al. 1997).
 *
 * If a sample is enough, only hashes up to a limit are kept.  Since hashes are
 * uniformly distributed, the Jaccard similarity of two samples estimates that
 * of the sets (Broder 1997, "mod m"); small sets can have empty samples.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/shingle.h"
#include "shingle_hashes.h"
#include "support/server_memory.h"
#include "support/utf8.h"

#define FIRST_SIZE_BITS 10

/*** Hashes ***/

/* An entry of the table. */
typedef struct Occurrence
{
	uint64		hash;			/* of the shingle */
	uint32		count;			/* 0 if the entry is free */
} Occurrence;

/* The hash table. */
typedef struct Occurrences
{
	Occurrence *entries;
	int			size_bits;		/* there are 2^size_bits entries */
	Size		used;
	uint64		factor;			/* secret and odd */
} Occurrences;

/* Return the number of entries of the table. */
static inline Size
table_size(const Occurrences *seen)
{
	return (Size) 1 << seen->size_bits;
}

/* Allocate free entries. */
static void
make_table(Occurrences *seen, int size_bits)
{
	seen->size_bits = size_bits;
	seen->entries = allocate_zeros(sizeof(Occurrence) << size_bits,
								   &server_memory);
}

/* Find the entry of a hash, or the free entry where it belongs. */
static inline Occurrence *
find_entry(const Occurrences *seen, uint64 hash)
{
	Size		last = table_size(seen) - 1;
	Size		i = hash * seen->factor >> (64 - seen->size_bits);

	while (seen->entries[i].count != 0 && seen->entries[i].hash != hash)
		i = i < last ? i + 1 : 0;
	return &seen->entries[i];
}

/* Double the table. */
static void
grow(Occurrences *seen)
{
	Occurrence *old = seen->entries;
	Size		old_size = table_size(seen);

	make_table(seen, seen->size_bits + 1);
	for (Size i = 0; i < old_size; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (old[i].count != 0)
			*find_entry(seen, old[i].hash) = old[i];
	}
	pfree(old);
}

/* Count an occurrence of a shingle; return how many there have been. */
static uint32
count_occurrence(Occurrences *seen, uint64 hash)
{
	Occurrence *entry = find_entry(seen, hash);

	if (entry->count == 0)
	{
		if (seen->used >= table_size(seen) / 4 * 3)
		{
			grow(seen);
			entry = find_entry(seen, hash);
		}
		entry->hash = hash;
		seen->used++;
	}
	return ++entry->count;
}

/* Pass the hashes of a text's shingles to a function. */
void
read_shingle_hashes(const char *bytes, Size len, uint32 shingling, int32 seed,
					TakeHashes take, void *state)
{
	ShingleReader reader;
	uint64		hashes[HASHES_AT_ONCE];
	bool		is_bag = shingling_is_bag(shingling);
	Occurrences seen = {.factor = lshsim_secret() | 1};
	char	   *utf8 = bytes_to_utf8(bytes, len, &len);

	if (is_bag)
		make_table(&seen, FIRST_SIZE_BITS);
	shingle_begin(&reader, shingling, seed, utf8, len);
	while (!reader.done)
	{
		int			count = shingle_next(&reader, hashes, HASHES_AT_ONCE);

		CHECK_FOR_INTERRUPTS();
		if (count < 0)
			report_not_utf8();
		if (is_bag)
			for (int i = 0; i < count; i++)
				hashes[i] = shingle_hash_occurrence(hashes[i],
													count_occurrence(&seen, hashes[i]),
													reader.seed);
		take(state, hashes, count);
	}
	if (is_bag)
		pfree(seen.entries);
	if (utf8 != bytes)
		pfree(utf8);
}

/*** Sets ***/

/* Start with memory for small sets, and all hashes to be kept. */
void
shingle_set_begin(ShingleSet *set)
{
	set->context = CurrentMemoryContext;
	set->count = 0;
	set->room = 2 * HASHES_AT_ONCE;
	set->hashes = palloc(sizeof(uint64) * set->room);
	set->highest = PG_UINT64_MAX;
	set->factor = lshsim_secret() | 1;
	set->table_size = 0;
	set->table = palloc(sizeof(uint32));
}

/* Free the memory. */
void
shingle_set_end(ShingleSet *set)
{
	pfree(set->hashes);
	pfree(set->table);
}

/* Keep the hashes that are not too high. */
static void
add_low(void *state, const uint64 *hashes, int count)
{
	ShingleSet *set = state;

	if (set->room - set->count < HASHES_AT_ONCE)
	{
		set->room *= 2;
		set->hashes = repalloc_huge(set->hashes, sizeof(uint64) * (Size) set->room);
	}
	for (int i = 0; i < count; i++)
	{
		set->hashes[set->count] = hashes[i];
		set->count += hashes[i] <= set->highest;
	}
}

/* Clear the hash table, and make it at least twice as large as the set. */
static void
clear_table(ShingleSet *set)
{
	uint32		size = 16;

	while (size < 2 * (uint64) set->count)
		size *= 2;
	if (size > set->table_size)
	{
		pfree(set->table);
		set->table = MemoryContextAllocHuge(set->context,
											sizeof(uint32) * (Size) size);
	}
	set->table_size = size;
	for (uint32 i = 0; i < size; i++)
	{
		CHECK_FOR_INTERRUPTS();
		set->table[i] = 0;
	}
}

/* Find the entry of a hash in the table, or the free entry where it belongs. */
static inline uint32
find_place(const ShingleSet *set, uint64 hash)
{
	int			shift = 64 - highest_bit(set->table_size);
	uint32		place = (uint32) (hash * set->factor >> shift);

	while (set->table[place] != 0 &&
		   set->hashes[set->table[place] - 1] != hash)
		place = (place + 1) & (set->table_size - 1);
	return place;
}

/* Keep the first of equal hashes, and fill the table. */
static void
remove_repetitions(ShingleSet *set)
{
	uint32		kept = 0;

	clear_table(set);
	for (uint32 i = 0; i < set->count; i++)
	{
		uint64		hash = set->hashes[i];
		uint32		place = find_place(set, hash);

		CHECK_FOR_INTERRUPTS();
		if (set->table[place] != 0)
			continue;
		set->hashes[kept] = hash;
		set->table[place] = ++kept;
	}
	set->count = kept;
}

/* Read the set of a text's shingles. */
void
shingle_set_read(ShingleSet *set, text *document, uint32 shingling)
{
	set->count = 0;
	read_shingle_hashes(VARDATA_ANY(document), VARSIZE_ANY_EXHDR(document),
						shingling, 0, add_low, set);
	remove_repetitions(set);
}

/* Count the hashes that two sets share. */
uint32
shingle_set_common(const ShingleSet *a, const ShingleSet *b)
{
	uint32		common = 0;

	for (uint32 i = 0; i < b->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		common += a->table[find_place(a, b->hashes[i])] != 0;
	}
	return common;
}
