/*-------------------------------------------------------------------------
 *
 * shares_passage.c
 *	  Test whether two texts share a passage.
 *
 * shares_passage(a, b, run) is true if and only if jaccard(a, b, run) > 0.  A
 * query compares many texts with one, so one text is kept, with the hashes of
 * its shingles, from call to call.
 *
 * A hash table holds the hashes of the kept text's shingles.  The shingles of
 * another text are hashed and looked up as they are read, until one is found.
 * If none is found, the texts share no shingle, because equal shingles have
 * equal hashes.  If a hash is found, the shingles are compared by content, so
 * that texts constructed to have equal hashes do not match.
 *
 * The table uses linear probing.  The position of a hash is the high bits of
 * its product with a secret odd number (Dietzfelbinger et al. 1997).  A filter
 * with 16 bits for each slot of the table is tested first.  At most one bit in
 * 32 is set, so nearly all hashes that are not in the table are rejected
 * there, by a branch that the processor predicts.
 *
 * Memory: 20 to 32 bytes for each shingle of the kept text.  The first match
 * adds 28 bytes for each shingle and the normalized text.  Another text takes
 * memory only when it matches: at most three times the part of its normalized
 * text that has been read.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/interrupt.h"
#include "core/shingle.h"
#include "passage_query.h"
#include "shares_passage.h"
#include "sign/shingle_hashes.h"
#include "support/server_memory.h"
#include "support/utf8.h"

#define BATCH_SIZE 256			/* hashes to look up at once */
#define FILTER_BITS 4			/* log2 of the filter's bits per slot */

/*** Kept texts ***/

/* Return true if this is the text that is kept. */
static bool
kept_text_is(const KeptText *kept, const text *document)
{
	return kept->document != NULL && same_text(kept->document, document);
}

/* Return the slot of a hash in the table, or the free one where it belongs. */
static inline Size
find_slot(const KeptText *kept, uint64 hash)
{
	Size		mask = ((Size) 1 << (64 - kept->shift)) - 1;
	Size		slot = (Size) (hash * kept->factor >> kept->shift);

	while (kept->table[slot] != 0 &&
		   kept->hashes[kept->table[slot] - 1] != hash)
		slot = (slot + 1) & mask;
	return slot;
}

/* Return the bit of the filter that stands for a hash. */
static inline uint64
filter_bit(const KeptText *kept, uint64 hash)
{
	return hash * kept->factor >> (kept->shift - FILTER_BITS);
}

/* Return false if a hash is not in the table; true if it may be. */
static inline bool
passes_filter(const KeptText *kept, uint64 hash)
{
	uint64		bit = filter_bit(kept, hash);

	return (kept->filter[bit / 8] >> bit % 8 & 1) != 0;
}

/* Append hashes of shingles. */
static void
append_hashes(void *state, const uint64 *hashes, int count)
{
	KeptText   *kept = state;

	if (kept->room - kept->count < HASHES_AT_ONCE)
	{
		kept->room *= 2;
		kept->hashes = repalloc_huge(kept->hashes, sizeof(uint64) * kept->room);
	}
	memcpy(kept->hashes + kept->count, hashes, sizeof(uint64) * count);
	kept->count += (Size) count;
}

/* Make a table of free slots, at most half of which will be used. */
static void
make_table(KeptText *kept)
{
	int			bits = highest_bit(Max(kept->count, 8)) + 2;

	kept->factor = lshsim_secret() | 1;
	kept->shift = 64 - bits;
	kept->table = allocate_zeros(sizeof(uint32) << bits, &server_memory);
	kept->filter = allocate_zeros((Size) 1 << (bits + FILTER_BITS - 3),
								  &server_memory);
}

/* Enter all hashes into the filter, and the first of equals into the table. */
static void
fill_table(KeptText *kept)
{
	make_table(kept);
	for (Size i = 0; i < kept->count; i++)
	{
		Size		slot = find_slot(kept, kept->hashes[i]);
		uint64		bit = filter_bit(kept, kept->hashes[i]);

		check_sometimes(i);
		kept->filter[bit / 8] |= (uint8) (1 << bit % 8);
		if (kept->table[slot] == 0)
			kept->table[slot] = (uint32) i + 1;
	}
}

/* Keep a text in place of the last one. */
void
kept_text_set(KeptText *kept, text *document, uint32 run)
{
	MemoryContext caller = MemoryContextSwitchTo(kept->context);
	Size		size = VARSIZE_ANY(document);
	text	   *copy;

	kept->document = NULL;
	kept->list.items = NULL;
	kept->run = run;
	MemoryContextReset(kept->context);
	copy = palloc_extended(size, MCXT_ALLOC_HUGE);
	memcpy(copy, document, size);
	kept->count = 0;
	kept->room = 2 * HASHES_AT_ONCE;
	kept->hashes = palloc(sizeof(uint64) * kept->room);
	read_shingle_hashes(VARDATA_ANY(copy), VARSIZE_ANY_EXHDR(copy), run, 0,
						append_hashes, kept);
	fill_table(kept);
	kept->document = copy;
	MemoryContextSwitchTo(caller);
}

/* List the shingles of the kept text, unless that has been done. */
static void
list_shingles(KeptText *kept)
{
	MemoryContext caller;

	if (kept->list.items != NULL)
		return;
	caller = MemoryContextSwitchTo(kept->context);
	kept->list = shingle_list(kept->document, kept->run);
	MemoryContextSwitchTo(caller);
}

/*
 * Return true if a shingle is one of the kept text, by content: the one with
 * the same hash, unless different shingles have equal hashes.
 */
static bool
has_shingle(KeptText *kept, Size expected, Shingle shingle)
{
	list_shingles(kept);
	if (shingle_compare(&kept->list.items[expected], &shingle) == 0)
		return true;
	for (Size i = 0; i < kept->list.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (shingle_compare(&kept->list.items[i], &shingle) == 0)
			return true;
	}
	return false;
}

/*
 * Return true if one of count shingles of a text in UTF-8 is one of the kept
 * text.  first is the position of the first of them.
 */
static bool
has_one_of(KeptText *kept, const char *utf8, Size len, Size first,
		   const uint64 *hashes, int count)
{
	for (int i = 0; i < count; i++)
	{
		uint32		place;

		if (!passes_filter(kept, hashes[i]))
			continue;
		place = kept->table[find_slot(kept, hashes[i])];
		if (place != 0 &&
			(kept->by_hash ||
			 has_shingle(kept, place - 1,
						 shingle_at(utf8, len, kept->run, first + (Size) i))))
			return true;
	}
	return false;
}

/* Return true if a text in UTF-8 has a kept shingle. */
static bool
has_kept_shingle(KeptText *kept, const char *utf8, Size len)
{
	ShingleReader reader;
	uint64		hashes[BATCH_SIZE];
	Size		passed = 0;

	shingle_begin(&reader, kept->run, 0, utf8, len);
	while (!reader.done)
	{
		int			count = shingle_next(&reader, hashes, BATCH_SIZE);

		CHECK_FOR_INTERRUPTS();
		if (count < 0)
			report_not_utf8();
		/* The shingles are in the part of the text that has been read. */
		if (has_one_of(kept, utf8, shingle_bytes_read(&reader, utf8), passed,
					   hashes, count))
			return true;
		passed += (Size) count;
	}
	return false;
}

/* Return true if a document shares a shingle with the kept text. */
bool
kept_text_shares(KeptText *kept, text *document)
{
	Size		len;
	char	   *utf8 = bytes_to_utf8(VARDATA_ANY(document),
									 VARSIZE_ANY_EXHDR(document), &len);
	bool		shares = has_kept_shingle(kept, utf8, len);

	if (utf8 != VARDATA_ANY(document))
		pfree(utf8);
	return shares;
}

/*** Functions in SQL ***/

/* Return the text that is kept for calls of a function, or an empty place. */
static KeptText *
kept_text(FmgrInfo *flinfo)
{
	KeptText   *kept = flinfo->fn_extra;

	if (kept == NULL)
	{
		kept = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(KeptText));
		kept->context = AllocSetContextCreate(flinfo->fn_mcxt, "lshsim kept text",
											  ALLOCSET_DEFAULT_SIZES);
		flinfo->fn_extra = kept;
	}
	return kept;
}

/*
 * Choose which of two texts to keep: the one that stays the same during the
 * query, or else the shorter, which takes less memory.
 */
static bool
first_is_to_be_kept(FmgrInfo *flinfo, const text *a, const text *b)
{
	bool		a_stays = get_fn_expr_arg_stable(flinfo, 0);
	bool		b_stays = get_fn_expr_arg_stable(flinfo, 1);

	if (a_stays != b_stays)
		return a_stays;
	return VARSIZE_ANY_EXHDR(a) <= VARSIZE_ANY_EXHDR(b);
}

/* Return true if two texts share a shingle of a run. */
PG_FUNCTION_INFO_V1(shares_passage);
Datum
shares_passage(PG_FUNCTION_ARGS)
{
	text	   *a = PG_GETARG_TEXT_PP(0);
	text	   *b = PG_GETARG_TEXT_PP(1);
	uint32		run = check_run(PG_GETARG_UINT32(2));
	KeptText   *kept = kept_text(fcinfo->flinfo);

	if (kept->run != run || (!kept_text_is(kept, a) && !kept_text_is(kept, b)))
		kept_text_set(kept, first_is_to_be_kept(fcinfo->flinfo, a, b) ? a : b,
					  run);
	PG_RETURN_BOOL(kept_text_shares(kept, kept_text_is(kept, a) ? b : a));
}

/* Return true if a text shares a passage with that of a query. */
PG_FUNCTION_INFO_V1(passage_match);
Datum
passage_match(PG_FUNCTION_ARGS)
{
	KeptText   *kept = kept_text(fcinfo->flinfo);
	PassageQuery query;

	if (!passage_query_read(PG_GETARG_DATUM(1), &query))
		PG_RETURN_NULL();
	if (kept->run != query.run || !kept_text_is(kept, query.document))
		kept_text_set(kept, query.document, query.run);
	PG_RETURN_BOOL(kept_text_shares(kept, PG_GETARG_TEXT_PP(0)));
}
