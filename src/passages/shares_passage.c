/*-------------------------------------------------------------------------
 *
 * shares_passage.c
 *	  Test whether two texts share a passage.
 *
 * A query compares many texts with one, so one text is kept from call to call,
 * with the numbers of its units and a table of its runs (core/passages/seeds.c).  Another
 * text is cut into units, which are looked up by their hash, a batch at a time.  It
 * is read until a passage is found.
 *
 * Memory: 24 to 40 bytes for each unit of the kept text, and 21 to 43 for each
 * different one; 4 to 8 for each unit of the longest other text.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "compat.h"
#include "shares_passage.h"
#include "support/server_memory.h"
#include "support/utf8.h"

#define UNIT_BYTES 4			/* of text for each different unit, about */
#define MOST_UNITS 1000			/* to make room for from the start */

/*** Kept texts ***/

/* Return true if this is the text that is kept. */
static bool
kept_text_is(const KeptText *kept, const text *document)
{
	return kept->query.document != NULL &&
		utf8_same_text(kept->query.document, document);
}

/* Return true if a text is kept for the run, length and edits of a query. */
static bool
has_rule(const KeptText *kept, const PassageQuery *query)
{
	return kept->query.run == query->run &&
		kept->query.rule.length == query->rule.length &&
		kept->query.rule.edits == query->rule.edits;
}

/* Cut the text that is kept into units. */
static void
cut_kept_text(KeptText *kept, text *document)
{
	Cutter		cutter;
	Size		len;
	char	   *utf8 = utf8_from_bytes(VARDATA_ANY(document),
									   VARSIZE_ANY_EXHDR(document), &len);

	cutter_begin(&cutter, kept->query.run, utf8, len);
	while (!cutter.done)
		units_add(&kept->units, &cutter);
	if (utf8 != VARDATA_ANY(document))
		pfree(utf8);
}

/* Keep the text of a query in place of the last one. */
void
kept_text_set(KeptText *kept, const PassageQuery *query)
{
	MemoryContext caller = MemoryContextSwitchTo(kept->context);
	Size		size = VARSIZE_ANY(query->document);
	text	   *copy;

	kept->query = *query;
	kept->query.document = NULL;
	MemoryContextReset(kept->context);
	copy = palloc_extended(size, MCXT_ALLOC_HUGE);
	memcpy(copy, query->document, size);
	hash_table_begin(&kept->numbers, Min(size / UNIT_BYTES, MOST_UNITS),
					 server_secret());
	units_begin(&kept->units, &kept->numbers, false);
	units_begin(&kept->other, &kept->numbers, true);
	cut_kept_text(kept, copy);
	seed_table_make(&kept->table, &query->rule, kept->units.list,
					(uint32) kept->units.count, server_secret());
	kept->query.document = copy;
	MemoryContextSwitchTo(caller);
}

/* Return true if a document shares a passage with the kept text. */
bool
kept_text_shares(KeptText *kept, text *document)
{
	MemoryContext caller = MemoryContextSwitchTo(kept->context);
	Size		len;
	char	   *utf8 = utf8_from_bytes(VARDATA_ANY(document),
									   VARSIZE_ANY_EXHDR(document), &len);
	Cutter		cutter;
	SeedScan	scan;
	Seed		seed;
	bool		shares = false;

	units_clear(&kept->other);
	seeds_begin(&scan, &kept->table);
	cutter_begin(&cutter, kept->query.run, utf8, len);
	while (!scan.whole && !shares)
	{
		units_add(&kept->other, &cutter);
		scan.units = kept->other.list;
		scan.count = (uint32) kept->other.count;
		scan.whole = cutter.done;
		shares = seeds_next(&scan, &seed);
	}
	if (utf8 != VARDATA_ANY(document))
		pfree(utf8);
	MemoryContextSwitchTo(caller);
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

/* Return true if two texts share a passage. */
PG_FUNCTION_INFO_V1(shares_passage);
Datum
shares_passage(PG_FUNCTION_ARGS)
{
	text	   *a = PG_GETARG_TEXT_PP(0);
	text	   *b = PG_GETARG_TEXT_PP(1);
	KeptText   *kept = kept_text(fcinfo->flinfo);
	PassageQuery query;

	passage_query_check(&query, PG_GETARG_UINT32(2), PG_GETARG_INT32(3),
						PG_GETARG_INT32(4));
	if (!has_rule(kept, &query) ||
		(!kept_text_is(kept, a) && !kept_text_is(kept, b)))
	{
		query.document = first_is_to_be_kept(fcinfo->flinfo, a, b) ? a : b;
		kept_text_set(kept, &query);
	}
	PG_RETURN_BOOL(kept_text_shares(kept, kept_text_is(kept, a) ? b : a));
}

/* Return true if a text shares a passage with that of a query. */
PG_FUNCTION_INFO_V1(passage_match);
Datum
passage_match(PG_FUNCTION_ARGS)
{
	KeptText   *kept = kept_text(fcinfo->flinfo);
	PassageQuery query;

	if (!passage_query_read(PG_GETARG_DATUM(1), true, &query))
		PG_RETURN_NULL();
	if (!has_rule(kept, &query) || !kept_text_is(kept, query.document))
		kept_text_set(kept, &query);
	PG_RETURN_BOOL(kept_text_shares(kept, PG_GETARG_TEXT_PP(0)));
}
