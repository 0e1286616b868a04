/*-------------------------------------------------------------------------
 *
 * passage_options.c
 *	  The options of the operator classes passage_ops of GIN and lsh.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/reloptions.h"

#include "compat.h"
#include "core/text/shingling.h"
#include "passage_options.h"
#include "passage_query.h"
#include "type/shingling_io.h"

#define DEFAULT_RUN "word:12"
#define DEFAULT_SHINGLING SHINGLING(SHINGLE_WORD, 12, 0)	/* the same */

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
