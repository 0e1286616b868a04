/*-------------------------------------------------------------------------
 *
 * minhash_advise_next.c
 *	  Bisection of thresholds by judged pairs.
 *
 * The 16 thresholds from .20 to .95 in steps of .05 are bisected in four
 * steps:
 *
 *	.55		.35 or .75		.25, .45, .65 or .85	.20, .30 to .90		done
 *
 * If enough of the pairs just above a threshold are right, the bisection goes
 * on below it, otherwise above.  Each threshold occurs once in this tree, so
 * the threshold alone is the state of the bisection.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"

#include "support/row.h"

#define GRID 20					/* thresholds are 20ths */
#define START 11				/* of them */
#define FIRST_STRIDE 4
#define JUDGED 5				/* default number of pairs */
#define RIGHT_ENOUGH 0.4		/* share of right pairs to go lower */

/*
 * Return the distance to the next threshold, in 20ths: -1 after the last step,
 * 0 if the threshold is not one of the bisection steps.
 */
static int
stride_at(int place)
{
	int			at = START;

	for (int stride = FIRST_STRIDE; stride > 0; stride /= 2)
	{
		if (place == at)
			return stride;
		at += place < at ? -stride : stride;
	}
	return place == at ? -1 : 0;
}

/* Report a threshold that is not a step of the bisection. */
static void
report_no_step(double threshold)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("threshold %g is not one of the bisection steps", threshold),
			 errdetail("The steps are 0.2, 0.25 and so on up to 0.9."),
			 errhint("Start with minhash_advise_next(NULL, NULL).")));
}

/* Report a threshold without the number of right pairs. */
static void
report_not_judged(double threshold)
{
	ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("the number of right pairs at threshold %g is missing",
					threshold),
			 errhint("Judge the pairs that minhash_advise_pairs returns, or start with minhash_advise_next(NULL, NULL).")));
}

/* Raise an error if more pairs are right than were judged. */
static void
check_judged(int right, int judged)
{
	if (judged < 0 || right < 0 || right > judged)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid number of right pairs: %d of %d", right, judged),
				 errdetail("The number of right pairs must be between 0 and the number of judged pairs.")));
}

/* Return the next threshold in 20ths, below or above the present one. */
static int
next_place(int place, bool lower, bool *done)
{
	int			stride = stride_at(place);

	*done = stride < 0;
	if (*done)
		return lower ? place : place + 1;
	return lower ? place - stride : place + stride;
}

/* Return the next threshold of the bisection, or the result. */
PG_FUNCTION_INFO_V1(minhash_advise_next);
Datum
minhash_advise_next(PG_FUNCTION_ARGS)
{
	Datum		values[2];
	bool		nulls[2] = {false};
	int			place = START;
	bool		done = false;

	if (!PG_ARGISNULL(0))
	{
		double		threshold = PG_GETARG_FLOAT8(0);
		int			right = PG_ARGISNULL(1) ? 0 : PG_GETARG_INT32(1);
		int			judged = PG_ARGISNULL(2) ? JUDGED : PG_GETARG_INT32(2);

		if (!(fabs(threshold) <= 1) ||
			stride_at((int) rint(threshold * GRID)) == 0 ||
			fabs(rint(threshold * GRID) - threshold * GRID) > 1e-6)
			report_no_step(threshold);
		if (PG_ARGISNULL(1))
			report_not_judged(threshold);
		check_judged(right, judged);
		place = next_place((int) rint(threshold * GRID),
						   right >= RIGHT_ENOUGH * judged, &done);
	}
	values[0] = Float8GetDatum((double) place / GRID);
	values[1] = BoolGetDatum(done);
	PG_RETURN_DATUM(make_row(fcinfo, values, nulls));
}
