/*-------------------------------------------------------------------------
 *
 * hash_table.c
 *	  Linear probing from positions that depend on a secret.
 *
 * The table is at most three quarters full.
 *
 * The server's simplehash and dynahash are not used for two reasons.  Doubling
 * a table of gigabytes takes seconds, in which they do not check for
 * interrupts.  They also derive the position of an entry from its hash alone,
 * so that a hostile text can make all its shingles collide.  Here the position
 * is the high bits of the product of the hash with a secret odd number: any two
 * hashes rarely share it (multiplicative hashing, Dietzfelbinger et al. 1997).
 *
 *-------------------------------------------------------------------------
 */
#include "hash_table.h"

#include "bits.h"

#define MIN_EXPECTED 8

/* Allocate 2^bits free entries. */
static void
make_entries(HashTable *table, int bits)
{
	table->shift = 64 - bits;
	table->used = 0;
	table->entries = core_allocate_zeros((uint64_t) sizeof(HashEntry) << bits);
}

/* Make a table of at least twice as many entries as hashes expected. */
void
hash_table_begin(HashTable *table, uint64_t expected, uint64_t secret)
{
	if (expected < MIN_EXPECTED)
		expected = MIN_EXPECTED;
	table->factor = secret | 1;
	make_entries(table, highest_bit(2 * expected - 1) + 1);
}

/* Enter all hashes into a table of twice the size. */
void
hash_table_grow(HashTable *table)
{
	HashTable	old = *table;

	make_entries(table, 64 - old.shift + 1);
	table->used = old.used;
	for (size_t i = 0; i < hash_table_size(&old); i++)
	{
		check_sometimes(i);
		if (old.entries[i].value != 0)
			*hash_table_find(table, old.entries[i].hash) = old.entries[i];
	}
	core_release(old.entries);
}

/* Release the entries; the table itself belongs to the caller. */
void
hash_table_end(HashTable *table)
{
	core_release(table->entries);
}
