/*-------------------------------------------------------------------------
 *
 * shingle_set.c
 *	  The set of a text's shingles, as hashes.
 *
 * Where a part of every set will do, those hashes are kept that are not above
 * a limit: since hashes are spread evenly, the Jaccard similarity of such parts
 * is that of the sets, as far as they are large (Broder 1997, "mod m").
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/hash.h"
#include "core/interrupt.h"
#include "core/shingle.h"
#include "lshsim.h"
#include "occurrences.h"
#include "shingle_set.h"
#include "support/utf8.h"

#define BATCH_SIZE 1024			/* hashes that are read at once */

/* Start with memory for small sets, and all hashes to be kept. */
void
shingle_set_begin(ShingleSet *set)
{
	set->context = CurrentMemoryContext;
	set->count = 0;
	set->room = 2 * BATCH_SIZE;
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

/* Make room for another batch. */
static void
make_room(ShingleSet *set)
{
	if (set->room - set->count >= BATCH_SIZE)
		return;
	CHECK_FOR_INTERRUPTS();
	set->room *= 2;
	set->hashes = repalloc_huge(set->hashes, sizeof(uint64) * (Size) set->room);
}

/* Keep the hashes of a batch that are not too high. */
static void
keep_low(ShingleSet *set, const uint64 *hashes, int count)
{
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
		check_sometimes(i);
		set->table[i] = 0;
	}
}

/* Return the place of a hash in the table, or the free one where it belongs. */
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

		check_sometimes(i);
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
	ShingleReader reader;
	uint64		hashes[BATCH_SIZE];
	bool		is_bag = shingling_is_bag(shingling);
	Occurrences seen;
	Size		len;
	char	   *utf8 = bytes_to_utf8(VARDATA_ANY(document),
									 VARSIZE_ANY_EXHDR(document), &len);

	set->count = 0;
	if (is_bag)
		occurrences_begin(&seen);
	shingle_begin(&reader, shingling, 0, utf8, len);
	while (!reader.done)
	{
		int			count = shingle_next(&reader, hashes, BATCH_SIZE);

		CHECK_FOR_INTERRUPTS();
		if (count < 0)
			report_not_utf8();
		if (is_bag)
			occurrences_number(&seen, hashes, count, reader.seed);
		make_room(set);
		keep_low(set, hashes, count);
	}
	if (is_bag)
		occurrences_end(&seen);
	if (utf8 != VARDATA_ANY(document))
		pfree(utf8);
	remove_repetitions(set);
}

/* Count the hashes that two sets share. */
uint32
shingle_set_common(const ShingleSet *a, const ShingleSet *b)
{
	uint32		common = 0;

	for (uint32 i = 0; i < b->count; i++)
	{
		check_sometimes(i);
		common += a->table[find_place(a, b->hashes[i])] != 0;
	}
	return common;
}
