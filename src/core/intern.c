/*-------------------------------------------------------------------------
 *
 * intern.c
 *	  Number different strings, in the order of their first occurrence.
 *
 * A hash table with linear probing, at most half full, by XXH3 with a secret
 * seed.  Strings with equal hashes are compared, so that different strings
 * always have different numbers.
 *
 * Memory: 32 to 64 bytes for each different string, plus about one to two times
 * its length.
 *
 *-------------------------------------------------------------------------
 */
#include "intern.h"

#include <string.h>

#include "hash.h"
#include "interrupt.h"

#define FIRST_TABLE_SIZE 256
#define FIRST_BYTES 1024

/* Make an empty table, for at most size / 2 strings. */
static void
make_table(Interner *interner, uint32_t size)
{
	interner->table_size = size;
	interner->table = allocate_zeros(sizeof(uint32_t) * size, interner->memory);
}

/* Initialize an interner without strings. */
void
intern_begin(Interner *interner, uint64_t secret, const Memory *memory)
{
	interner->memory = memory;
	interner->secret = secret;
	interner->count = 0;
	interner->bytes_used = 0;
	interner->bytes_room = FIRST_BYTES;
	interner->bytes = memory->allocate(FIRST_BYTES);
	interner->strings = memory->allocate(sizeof(Interned) *
										 (FIRST_TABLE_SIZE / 2));
	make_table(interner, FIRST_TABLE_SIZE);
}

/* Return the place in the table where the search for a hash begins. */
static inline uint32_t
first_place(const Interner *interner, uint64_t hash)
{
	return (uint32_t) hash & (interner->table_size - 1);
}

/* Double the table and the list of strings. */
static void
grow(Interner *interner)
{
	uint32_t	size = 2 * interner->table_size;

	interner->memory->release(interner->table);
	interner->strings = enlarge(interner->strings,
								sizeof(Interned) * interner->count,
								sizeof(Interned) * (size / 2), interner->memory);
	make_table(interner, size);
	for (uint32_t i = 0; i < interner->count; i++)
	{
		uint32_t	place = first_place(interner, interner->strings[i].hash);

		check_sometimes(i);
		while (interner->table[place] != 0)
			place = (place + 1) & (size - 1);
		interner->table[place] = i + 1;
	}
}

/* Add a new string. */
static void
add(Interner *interner, const char *string, uint32_t length, uint64_t hash)
{
	Interned   *new = &interner->strings[interner->count];

	if (interner->bytes_room - interner->bytes_used < length)
	{
		interner->bytes_room = 2 * (interner->bytes_room + length);
		interner->bytes = enlarge(interner->bytes, interner->bytes_used,
								  interner->bytes_room, interner->memory);
	}
	memcpy(interner->bytes + interner->bytes_used, string, length);
	new->hash = hash;
	new->start = interner->bytes_used;
	new->length = length;
	interner->bytes_used += length;
	interner->count++;
}

/* Return true if a string is the one with a number. */
static inline bool
is_string(const Interner *interner, uint32_t number, const char *string,
		  uint32_t length, uint64_t hash)
{
	const Interned *other = &interner->strings[number];

	return other->hash == hash && other->length == length &&
		memcmp(interner->bytes + other->start, string, length) == 0;
}

/* Return the number of a string, which may be new. */
uint32_t
intern(Interner *interner, const char *string, uint32_t length)
{
	uint64_t	hash = XXH3_64bits_withSeed(string, length, interner->secret);
	uint32_t	place = first_place(interner, hash);

	while (interner->table[place] != 0)
	{
		uint32_t	number = interner->table[place] - 1;

		if (is_string(interner, number, string, length, hash))
			return number;
		place = (place + 1) & (interner->table_size - 1);
	}
	interner->table[place] = interner->count + 1;
	add(interner, string, length, hash);
	if (interner->count == interner->table_size / 2)
		grow(interner);
	return interner->count - 1;
}

/* Release the memory. */
void
intern_end(Interner *interner)
{
	interner->memory->release(interner->table);
	interner->memory->release(interner->strings);
	interner->memory->release(interner->bytes);
}
