/*-------------------------------------------------------------------------
 *
 * arguments.c
 *	  Arguments and results of SQL functions.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/float.h"

#include "arguments.h"
#include "compat.h"
#include "core/sketch/sketch.h"
#include "core/text/shingling.h"

#define QUOTED_BYTES 80			/* of a wrong value in an error message */

/* Return the number of bytes of a wrong value that an error message shows. */
int
arg_quoted_length(const char *str)
{
	return pg_mbcliplen(str, (int) strnlen(str, QUOTED_BYTES + 4),
						QUOTED_BYTES);
}

/* Find the sketch method with a name, for elements without weights. */
SketchMethod
arg_method(text *name)
{
	SketchMethod method;

	if (!sketch_method_parse(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name), &method) ||
		method == SKETCH_WEIGHTED || method == SKETCH_IMPORTED)
	{
		char	   *str = text_to_cstring(name);

		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid sketch method: \"%.*s\"",
						arg_quoted_length(str), str),
				 errhint("Methods are \"one-permutation\" and \"k-permutation\". Use weighted_to_minhash() for elements with weights, and minhash_from_values() for signatures made elsewhere.")));
	}
	return method;
}

/* Check the number of hashes of a signature. */
int
arg_check_num_hashes(int num_hashes)
{
	if (num_hashes < SKETCH_MIN_HASHES || num_hashes > SKETCH_MAX_HASHES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid number of hashes: %d", num_hashes),
				 errdetail("The number of hashes must be between %d and %d.",
						   SKETCH_MIN_HASHES, SKETCH_MAX_HASHES)));
	return num_hashes;
}

/* Refuse a stored shingling that is damaged. */
uint32
arg_check_shingling(uint32 shingling)
{
	if (!shingling_is_valid(shingling))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("invalid shingling: %u", shingling),
				 errdetail("A stored shingling is damaged.")));
	return shingling;
}

/* Print a shingling. */
char *
arg_shingling_text(uint32 shingling)
{
	char	   *str = palloc(SHINGLING_TEXT_SIZE);

	shingling_print(shingling, str);
	return str;
}

/* Check that a shingling applies to texts. */
uint32
arg_check_text_shingling(uint32 shingling)
{
	arg_check_shingling(shingling);
	if (!shingling_is_for_text(shingling))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("shingling \"%s\" does not apply to a text",
						arg_shingling_text(shingling)),
				 errdetail("It belongs to sets that are not made from texts."),
				 errhint("Use \"char:n\" or \"word:n\".")));
	return shingling;
}

/* Check a threshold: at 0, every row would be similar to every other. */
double
arg_check_threshold(double threshold)
{
	if (!(threshold > 0 && threshold <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid value for argument \"%s\": %s", "threshold",
						float8out_internal(threshold)),
				 errdetail("Valid values are greater than 0, and at most 1.")));
	return threshold;
}

/* Check a recall, an agreement or a similarity. */
double
arg_check_unit_interval(double value, const char *name)
{
	if (isnan(value) || value < 0 || value > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid value for argument \"%s\": %s", name,
						float8out_internal(value)),
				 errdetail("Valid values are between 0 and 1.")));
	return value;
}

/* Check a number that must be between 1 and a maximum. */
int
arg_check_count(int count, int max, const char *name)
{
	if (count < 1 || count > max)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid value for argument \"%s\": %d", name, count),
				 errdetail("Valid values are between 1 and %d.", max)));
	return count;
}

/* Refuse a null argument. */
void
arg_check_not_null(FunctionCallInfo fcinfo, int arg, const char *name)
{
	if (PG_ARGISNULL(arg))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not be null", name)));
}
