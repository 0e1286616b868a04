/*-------------------------------------------------------------------------
 *
 * shingle_hashes.c
 *	  Read the hashes of a text's shingles.
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
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "compat.h"
#include "core/shingle.h"
#include "shingle_hashes.h"
#include "support/secret.h"
#include "support/server_memory.h"
#include "support/utf8.h"

#define FIRST_SIZE_BITS 10

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
