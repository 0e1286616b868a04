/*-------------------------------------------------------------------------
 *
 * hash_table.h
 *	  A hash table of 64-bit hashes that hostile data cannot slow down.
 *
 * Call hash_table_begin(); hash_table_enter() and hash_table_find() in any
 * order; hash_table_end().  An entry has two numbers for the caller.  The first
 * must not be 0, which marks a free entry.
 *
 * Pointers to entries are valid until the next hash_table_enter().  Entries
 * are never removed.  Callers may loop over all entries, in no particular
 * order.
 *
 * Memory: 16 bytes for each of 1.3 to 2.7 entries per hash, or of 2 to 4 per
 * expected hash if these are more; half as much again while the table grows.
 *
 *-------------------------------------------------------------------------
 */
#ifndef HASH_TABLE_H
#define HASH_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "host.h"

/* Most hashes to expect where an upper bound is known but not their number. */
#define HASH_TABLE_MOST_EXPECTED 65536

/* An entry. */
typedef struct HashEntry
{
	uint64_t	hash;
	uint32_t	value;			/* 0: the entry is free */
	uint32_t	extra;			/* 0 in a new entry */
} HashEntry;

/* The table.  Callers read entries and used. */
typedef struct HashTable
{
	HashEntry  *entries;		/* hash_table_size() */
	size_t		used;
	uint64_t	factor;			/* secret and odd */
	int			shift;			/* there are 2^(64 - shift) entries */
} HashTable;

/*
 * Begin an empty table.  The secret should be random.  Up to the expected
 * number of hashes, which may be 0, the table does not grow and is at most half
 * full.
 */
extern void hash_table_begin(HashTable *table, uint64_t expected,
							 uint64_t secret);

/* Double the table; checks for interrupts.  For hash_table_enter(). */
extern void hash_table_grow(HashTable *table);

/* Release the memory. */
extern void hash_table_end(HashTable *table);

/* Return the number of entries, free ones included. */
static inline size_t
hash_table_size(const HashTable *table)
{
	return (size_t) 1 << (64 - table->shift);
}

/* Return the position at which the search for a hash begins. */
static inline size_t
hash_table_home(const HashTable *table, uint64_t hash)
{
	return (size_t) (hash * table->factor >> table->shift);
}

/* Return the entry of a hash, or the free entry where it belongs. */
static inline HashEntry *
hash_table_find(const HashTable *table, uint64_t hash)
{
	size_t		last = hash_table_size(table) - 1;
	size_t		i = hash_table_home(table, hash);

	while (table->entries[i].value != 0 && table->entries[i].hash != hash)
		i = (i + 1) & last;
	return &table->entries[i];
}

/*
 * Return the entry of a hash, made if the hash is new.  The value of a new
 * entry is 0; the caller must set it before the next call.
 */
static inline HashEntry *
hash_table_enter(HashTable *table, uint64_t hash)
{
	HashEntry  *entry = hash_table_find(table, hash);

	if (entry->value != 0)
		return entry;
	if (table->used >= hash_table_size(table) / 4 * 3)
	{
		hash_table_grow(table);
		entry = hash_table_find(table, hash);
	}
	entry->hash = hash;
	table->used++;
	return entry;
}

#endif							/* HASH_TABLE_H */
