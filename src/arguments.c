/*-------------------------------------------------------------------------
 *
 * arguments.c
 *	  Check the arguments that several functions have in common.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"

#include "minhash.h"

/* The names of the sketch methods. */
static const char *const method_names[] = {
	[SKETCH_ONE_PERMUTATION] = "one-permutation",
	[SKETCH_K_PERMUTATION] = "k-permutation",
	[SKETCH_WEIGHTED] = "weighted",
	[SKETCH_IMPORTED] = "imported",
};

/* Return the name of a sketch method. */
const char *
method_name(SketchMethod method)
{
	return method_names[method];
}

/* Find the sketch method of a name; false if there is none. */
bool
method_parse(const char *name, Size len, SketchMethod *method)
{
	for (int i = SKETCH_ONE_PERMUTATION; i <= SKETCH_LAST_METHOD; i++)
		if (strlen(method_names[i]) == len &&
			memcmp(method_names[i], name, len) == 0)
		{
			*method = i;
			return true;
		}
	return false;
}

/* Find the sketch method of a name, by which sets are sketched. */
SketchMethod
method_from_text(text *name)
{
	SketchMethod method;

	if (!method_parse(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name), &method))
	{
		char	   *str = text_to_cstring(name);

		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown sketch method: \"%.*s\"",
						minhash_quoted_length(str), str),
				 errhint("Methods are \"one-permutation\" and \"k-permutation\".")));
	}
	if (method == SKETCH_WEIGHTED)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("sketch method \"%s\" needs weights", "weighted"),
				 errhint("Use to_minhash(elements, weights).")));
	if (method == SKETCH_IMPORTED)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("sketch method \"%s\" is for signatures made elsewhere",
						"imported"),
				 errhint("Use minhash_from_values(values).")));
	return method;
}

/* Check the number of hashes of a signature. */
int
check_num_hashes(int num_hashes)
{
	if (num_hashes < SKETCH_MIN_HASHES || num_hashes > SKETCH_MAX_HASHES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid number of hashes: %d", num_hashes),
				 errdetail("The number of hashes must be between %d and %d.",
						   SKETCH_MIN_HASHES, SKETCH_MAX_HASHES)));
	return num_hashes;
}

/* Refuse a shingling that was damaged in the table. */
uint32
check_shingling(uint32 shingling)
{
	if (!shingling_is_valid(shingling))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("invalid shingling: %u", shingling),
				 errdetail("A stored shingling is damaged.")));
	return shingling;
}

/* Check that a shingling is one of texts. */
uint32
check_text_shingling(uint32 shingling)
{
	check_shingling(shingling);
	if (!shingling_is_for_text(shingling))
	{
		char		str[SHINGLING_TEXT_SIZE];

		shingling_print(shingling, str);
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("shingling \"%s\" does not apply to a text", str),
				 errdetail("It is that of a set whose elements are given."),
				 errhint("Use \"char:n\" or \"word:n\".")));
	}
	return shingling;
}

/* Check a threshold, recall, similarity or other number between 0 and 1. */
double
check_unit_interval(double value, const char *what)
{
	if (isnan(value) || value < 0 || value > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid %s: %g", what, value),
				 errdetail("The %s must be between 0 and 1.", what)));
	return value;
}
