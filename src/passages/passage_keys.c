/*-------------------------------------------------------------------------
 *
 * passage_keys.c
 *	  The winnowed fingerprints of a text, for the run of an index.
 *
 * See core/passages/winnow.c for the keys and their guarantee.  Memory: 4 bytes for
 * every key that is selected, repetitions included.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/reloptions.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "compat.h"
#include "passage_keys.h"
#include "passage_query.h"
#include "support/server_memory.h"
#include "support/utf8.h"
#include "type/minhash_io.h"

#define DEFAULT_RUN "word:12"
#define DEFAULT_SHINGLING SHINGLING(SHINGLE_WORD, 12, 0)	/* the same */

/* Sorting compares the keys of every text that is indexed, so it is inlined. */
#define ST_SORT sort_keys
#define ST_ELEMENT_TYPE int32
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_SCOPE static
#define ST_DEFINE
#define ST_CHECK_FOR_INTERRUPTS
#include "lib/sort_template.h"

/* Remove repetitions from sorted keys. */
static void
make_unique(PassageKeys *keys)
{
	Size		kept = 0;

	for (Size i = 0; i < keys->count; i++)
		if (kept == 0 || keys->keys[kept - 1] != keys->keys[i])
			keys->keys[kept++] = keys->keys[i];
	keys->count = kept;
}

/* Compute the keys of a document. */
PassageKeys
passage_keys_read(text *document, uint32 run, const CommonGrams *common)
{
	Winnower	winnower;
	PassageKeys result = {0};
	Size		room = WINNOW_BATCH;
	Size		len;
	char	   *utf8 = utf8_from_bytes(VARDATA_ANY(document),
									   VARSIZE_ANY_EXHDR(document), &len);

	result.keys = palloc(sizeof(int32) * room);
	winnow_begin(&winnower, run, common, utf8, len);
	while (!winnower.reader.done)
	{
		if (room - result.count < WINNOW_BATCH)
		{
			room *= 2;
			result.keys = repalloc_huge(result.keys, sizeof(int32) * room);
		}
		result.count += (Size) winnow_next(&winnower, result.keys + result.count);
	}
	if (utf8 != VARDATA_ANY(document))
		pfree(utf8);
	sort_keys(result.keys, result.count);
	make_unique(&result);
	return result;
}

/* Convert keys to Datums. */
Datum *
passage_keys_to_datums(const PassageKeys *keys)
{
	Datum	   *datums = server_alloc_array(keys->count, sizeof(Datum));

	for (Size i = 0; i < keys->count; i++)
		datums[i] = Int32GetDatum(keys->keys[i]);
	return datums;
}

/* Return the keys of a text as an array, in ascending order. */
PG_FUNCTION_INFO_V1(passage_keys);
Datum
passage_keys(PG_FUNCTION_ARGS)
{
	PassageKeys keys = passage_keys_read(PG_GETARG_TEXT_PP(0),
										 passage_check_run(PG_GETARG_UINT32(1)), NULL);

	if (keys.count > MaxArraySize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("text has too many keys for an array"),
				 errdetail("The text has %zu keys; an array has at most %zu elements.",
						   keys.count, MaxArraySize),
				 errhint("Use a longer run, or cut the text into parts.")));
	PG_RETURN_ARRAYTYPE_P(construct_array(passage_keys_to_datums(&keys),
										  (int) keys.count, INT4OID,
										  sizeof(int32), true, TYPALIGN_INT));
}

/*** The option "run" of passage_ops of GIN and lsh ***/

/* Options of an index column. */
typedef struct PassageOptions
{
	int32		vl_len_;		/* varlena header (do not touch directly!) */
	int			run;			/* offset of the run in the options */
} PassageOptions;

/* Check the option "run", and store it in its binary form; return its size. */
static Size
store_run(const char *value, void *place)
{
	uint32		run = passage_check_run(DatumGetUInt32(DirectFunctionCall1(shingling_in,
																		   CStringGetDatum(value))));

	if (place != NULL)
		memcpy(place, &run, sizeof(run));
	return sizeof(run);
}

/* Declare the options of an index column. */
PG_FUNCTION_INFO_V1(passage_options);
Datum
passage_options(PG_FUNCTION_ARGS)
{
	local_relopts *options = (local_relopts *) PG_GETARG_POINTER(0);

	init_local_reloptions(options, sizeof(PassageOptions));
	add_local_string_reloption(options, "run",
							   "run of characters or words that texts must share",
							   DEFAULT_RUN, NULL, store_run,
							   offsetof(PassageOptions, run));
	PG_RETURN_VOID();
}

/* Return the run of an index column. */
uint32
passage_index_run(const bytea *options)
{
	uint32		run;

	if (options == NULL)
		return DEFAULT_SHINGLING;
	memcpy(&run, (const char *) options + ((const PassageOptions *) options)->run,
		   sizeof(run));
	return run;
}
