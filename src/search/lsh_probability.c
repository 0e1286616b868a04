/*-------------------------------------------------------------------------
 *
 * lsh_probability.c
 *	  The theory of banding: the S-curve.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "core/bands.h"
#include "support/arguments.h"

/* Probability that a pair of some similarity agrees in enough bands. */
PG_FUNCTION_INFO_V1(lsh_probability);
Datum
lsh_probability(PG_FUNCTION_ARGS)
{
	double		similarity = check_unit_interval(PG_GETARG_FLOAT8(0),
												 "similarity");
	int			bands = check_positive(PG_GETARG_INT32(1), "bands");
	int			rows = check_positive(PG_GETARG_INT32(2), "rows");
	int			matches = check_count(PG_GETARG_INT32(3), BAND_MATCHES, "matches");

	PG_RETURN_FLOAT8(band_probability(similarity, bands, rows, matches));
}
