/*-------------------------------------------------------------------------
 *
 * shares_passage.c
 *	  Test whether two texts share a passage.
 *
 * shares_passage(a, b, run) is true if and only if jaccard(a, b, run) > 0.  A
 * query compares many texts with one, so one text is kept, with the hashes of
 * its shingles, from call to call (kept_text.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "compat.h"
#include "kept_text.h"
#include "shares_passage.h"
#include "type/passage_query.h"

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
