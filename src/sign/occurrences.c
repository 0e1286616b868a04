/*-------------------------------------------------------------------------
 *
 * occurrences.c
 *	  Number the occurrences of the shingles of a bag.
 *
 * A hash table with linear probing.  The server's own (simplehash, dynahash)
 * will not do: to make a table of gigabytes twice as large takes seconds, in
 * which nobody could cancel; and they place an entry by its hash alone, which
 * a hostile text can choose.  Here the place is the high bits of the product
 * with a secret odd number, for which any two hashes are unlikely to be near
 * each other (Dietzfelbinger et al. 1997).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "core/hash.h"
#include "core/interrupt.h"
#include "lshsim.h"
#include "occurrences.h"

#define FIRST_SIZE_BITS 10

/* Tell how many entries a table has. */
static inline Size
table_size(const Occurrences *seen)
{
	return (Size) 1 << seen->size_bits;
}

/* Make a table of free entries. */
static void
make_table(Occurrences *seen, int size_bits)
{
	Size		size;

	seen->size_bits = size_bits;
	size = table_size(seen);
	seen->entries = palloc_extended(sizeof(Occurrence) * size, MCXT_ALLOC_HUGE);
	for (Size i = 0; i < size; i += CHECK_EVERY)
	{
		CHECK_FOR_INTERRUPTS();
		memset(&seen->entries[i], 0,
			   sizeof(Occurrence) * Min(CHECK_EVERY, size - i));
	}
}

/* Start to count. */
void
occurrences_begin(Occurrences *seen)
{
	seen->factor = lshsim_secret() | 1;
	seen->used = 0;
	make_table(seen, FIRST_SIZE_BITS);
}

/* Find the entry of a hash, or the free one where it belongs. */
static inline Occurrence *
find_entry(const Occurrences *seen, uint64 hash)
{
	Size		last = table_size(seen) - 1;
	Size		i = hash * seen->factor >> (64 - seen->size_bits);

	while (seen->entries[i].count != 0 && seen->entries[i].hash != hash)
		i = i < last ? i + 1 : 0;
	return &seen->entries[i];
}

/* Make the table twice as large. */
static void
grow(Occurrences *seen)
{
	Occurrence *old = seen->entries;
	Size		old_size = table_size(seen);

	make_table(seen, seen->size_bits + 1);
	for (Size i = 0; i < old_size; i++)
	{
		check_sometimes(i);
		if (old[i].count != 0)
			*find_entry(seen, old[i].hash) = old[i];
	}
	pfree(old);
}

/* Count a shingle; tell how often it has come, this time included. */
static uint32
count_shingle(Occurrences *seen, uint64 hash)
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

/* Turn the hashes of shingles into those of their numbered occurrences. */
void
occurrences_number(Occurrences *seen, uint64 *hashes, int count, uint64 seed)
{
	for (int i = 0; i < count; i++)
		hashes[i] = shingle_hash_occurrence(hashes[i],
											count_shingle(seen, hashes[i]),
											seed);
}

/* Free the table. */
void
occurrences_end(Occurrences *seen)
{
	pfree(seen->entries);
}
