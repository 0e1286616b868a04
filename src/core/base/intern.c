/*-------------------------------------------------------------------------
 *
 * intern.c
 *	  A hash table of strings, which are kept one behind the other.
 *
 * Strings are looked up by XXH3 with a secret seed.  Strings with equal hashes
 * are compared, so that different strings always have different numbers: the
 * second one gets the next hash that is free.
 *
 * Memory: 30 to 80 bytes for each different string, plus about one to two times
 * its length.
 *
 *-------------------------------------------------------------------------
 */
#include "intern.h"

#include <stdbool.h>
#include <string.h>

#include "hash.h"

#define FIRST_STRINGS 128
#define FIRST_BYTES 1024

/* Allocate memory for a few strings. */
void
intern_begin(Interner *interner, uint64_t secret)
{
	interner->secret = secret;
	interner->count = 0;
	interner->room = FIRST_STRINGS;
	interner->starts = core_allocate(sizeof(size_t) * FIRST_STRINGS);
	interner->starts[0] = 0;
	interner->bytes_room = FIRST_BYTES;
	interner->bytes = core_allocate(FIRST_BYTES);
	hash_table_begin(&interner->table, FIRST_STRINGS, secret);
}

/* Append a new string. */
static void
append_string(Interner *interner, const char *string, uint32_t length)
{
	size_t		start = interner->starts[interner->count];

	interner->bytes = memory_grow(interner->bytes, start, length,
								  &interner->bytes_room, 1);
	interner->starts = memory_grow(interner->starts, ++interner->count, 1,
								   &interner->room, sizeof(size_t));
	memcpy(interner->bytes + start, string, length);
	interner->starts[interner->count] = start + length;
}

/* Return true if a string is the one with a number. */
static inline bool
is_string(const Interner *interner, uint32_t number, const char *string,
		  uint32_t length)
{
	size_t		start = interner->starts[number];

	return interner->starts[number + 1] - start == length &&
		memcmp(interner->bytes + start, string, length) == 0;
}

/*
 * Look a string up by its hash and, from there on, by its content.  Return its
 * entry, or a free one; *hash is where that belongs.
 */
static inline const HashEntry *
find_entry(const Interner *interner, const char *string, uint32_t length,
		   uint64_t *hash)
{
	uint64_t	next = XXH3_64bits_withSeed(string, length, interner->secret);
	const HashEntry *entry;

	while ((entry = hash_table_find(&interner->table, next))->value != 0 &&
		   !is_string(interner, entry->value - 1, string, length))
		next++;
	*hash = next;
	return entry;
}

/* Return the number of a string, which is added if it is new. */
uint32_t
intern_add(Interner *interner, const char *string, uint32_t length)
{
	uint64_t	hash;
	const HashEntry *entry = find_entry(interner, string, length, &hash);

	if (entry->value != 0)
		return entry->value - 1;
	append_string(interner, string, length);
	hash_table_enter(&interner->table, hash)->value = interner->count;
	return interner->count - 1;
}

/* Return the number of a string, or NOT_INTERNED, which is 0 - 1. */
uint32_t
intern_find(const Interner *interner, const char *string, uint32_t length)
{
	uint64_t	hash;

	return find_entry(interner, string, length, &hash)->value - 1;
}
