/*-------------------------------------------------------------------------
 *
 * passage_gin.c
 *	  The GIN operator class passage_ops.
 *
 * The index holds the keys of every text (core/passages/winnow.c) for one run, an
 * option of the operator class (passage_keys.c).  Two texts that share a shingle of that run
 * share a key, so a search looks up all keys of its text and takes every row
 * that has one.  Rows are rechecked, because a key is only the hash of a part.
 *
 * A search names a run of its own.  If it is at least as long as that of the
 * index, the texts share a shingle of the index's run, too, so the same keys
 * find them.  For any other run, and for a text with more than MAX_QUERY_KEYS
 * keys, every row is a candidate: slow, but right.  For shares_passage() the
 * planner never chooses an index with another run, because passage_support.c
 * offers only those that it can use.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/gin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "passage_keys.h"
#include "passage_query.h"

/*
 * GIN compares every pair of keys of a search while it plans the scan
 * (startScanKey), so its time grows with the square of their number: 0.1 s for
 * this number.
 */
#define MAX_QUERY_KEYS 16384

/* GIN allocates 16 bytes for every key of a row in one piece. */
#define MAX_ROW_KEYS (MaxAllocSize / 16)

/* Return the run of the index column that a support function is called for. */
static uint32
called_run(FunctionCallInfo fcinfo)
{
	return passage_index_run(PG_HAS_OPCLASS_OPTIONS() ?
							 PG_GET_OPCLASS_OPTIONS() : NULL);
}

/* Return the keys of a text to index. */
PG_FUNCTION_INFO_V1(passage_gin_extract_value);
Datum
passage_gin_extract_value(PG_FUNCTION_ARGS)
{
	PassageKeys keys = passage_keys_read(PG_GETARG_TEXT_PP(0),
										 called_run(fcinfo), NULL);
	int32	   *nkeys = (int32 *) PG_GETARG_POINTER(1);

	if (keys.count > MAX_ROW_KEYS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("text is too long to be indexed by passages"),
				 errdetail("The text has %zu keys; a GIN index accepts at most %zu for a row.",
						   keys.count, MAX_ROW_KEYS),
				 errhint("Use a longer run, or cut the text into parts.")));
	*nkeys = (int32) keys.count;
	PG_RETURN_POINTER(passage_keys_to_datums(&keys));
}

/*
 * Return the keys that a search looks up.
 *
 * gincostestimate() calls this function, too, so an invalid query is no error here:
 * the recheck raises it.
 *
 * GIN compares all pairs of keys without extra data to find equal ones.  Ours
 * are all different, so each gets extra data.
 */
PG_FUNCTION_INFO_V1(passage_gin_extract_query);
Datum
passage_gin_extract_query(PG_FUNCTION_ARGS)
{
	Datum		datum = PG_GETARG_DATUM(0);
	int32	   *nkeys = (int32 *) PG_GETARG_POINTER(1);

	/* StrategyNumber strategy = PG_GETARG_UINT16(2); */
	/* bool	  **partial_match = (bool **) PG_GETARG_POINTER(3); */
	Pointer   **extra_data = (Pointer **) PG_GETARG_POINTER(4);

	/* bool	  **null_flags = (bool **) PG_GETARG_POINTER(5); */
	int32	   *search_mode = (int32 *) PG_GETARG_POINTER(6);
	uint32		run = called_run(fcinfo);
	PassageQuery query;
	PassageKeys keys = {0};
	bool		covers = passage_query_read(datum, false, &query) &&
		winnow_covers(run, query.seed);

	*nkeys = 0;
	if (covers)
		keys = passage_keys_read(query.document, run, NULL);
	if (!covers || keys.count > MAX_QUERY_KEYS)
	{
		*search_mode = GIN_SEARCH_MODE_ALL;
		PG_RETURN_POINTER(NULL);
	}
	*nkeys = (int32) keys.count;
	*extra_data = palloc(sizeof(Pointer) * Max(keys.count, 1));
	for (Size i = 0; i < keys.count; i++)
		(*extra_data)[i] = (Pointer) &keys.keys[i];
	PG_RETURN_POINTER(passage_keys_to_datums(&keys));
}

/* Return GIN_MAYBE if a row has a key of the search, or all rows are wanted. */
PG_FUNCTION_INFO_V1(passage_gin_triconsistent);
Datum
passage_gin_triconsistent(PG_FUNCTION_ARGS)
{
	GinTernaryValue *check = (GinTernaryValue *) PG_GETARG_POINTER(0);
	int32		nkeys = PG_GETARG_INT32(3);

	for (int i = 0; i < nkeys; i++)
		if (check[i] != GIN_FALSE)
			PG_RETURN_GIN_TERNARY_VALUE(GIN_MAYBE);
	PG_RETURN_GIN_TERNARY_VALUE(nkeys == 0 ? GIN_MAYBE : GIN_FALSE);
}
