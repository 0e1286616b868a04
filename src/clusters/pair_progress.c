/*-------------------------------------------------------------------------
 *
 * pair_progress.c
 *	  Report the progress of a search for pairs, and check for interrupts.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "pair_progress.h"
#include "support/settings.h"

#define REPORT_EVERY 5.0		/* seconds without a report */

/* Return the seconds since the search began. */
static double
seconds_since_start(const PairProgress *progress)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, progress->start);
	return INSTR_TIME_GET_DOUBLE(now);
}

/* Estimate the seconds that are left from the share that is complete. */
static double
seconds_left(const PairSearch *search, double elapsed)
{
	double		done = (search->step - 1 + search->done) / search->steps;

	return done > 0 ? elapsed / done - elapsed : 0;
}

/* Report the progress of a step; the detail may differ between runs. */
static void
report_step(PairProgress *progress, const PairSearch *search)
{
	char		step[64] = "all pairs";
	double		elapsed = seconds_since_start(progress);

	progress->reported = elapsed;
	if (progress->step != NULL)
		strlcpy(step, progress->step, sizeof(step));
	else if (search->steps > 1)
		snprintf(step, sizeof(step), "band %d of %d", search->step, search->steps);
	ereport(NOTICE,
			(search->found != NULL ?
			 errmsg("%s: %s, %.0f%%: %zu signatures, %llu candidates",
					progress->name, step, 100 * search->done, search->signatures,
					(unsigned long long) search->compared) :
			 errmsg("%s: %s, %.0f%%: %zu signatures, %llu candidates, %zu merges",
					progress->name, step, 100 * search->done, search->signatures,
					(unsigned long long) search->compared,
					search->signatures - search->components),
			 errdetail("%.1f s elapsed, about %.1f s left.", elapsed,
					   seconds_left(search, elapsed))));
}

/* Check for interrupts, and report the progress of a long step. */
static void
on_tick(PairSearch *search)
{
	PairProgress *progress = search->progress;

	CHECK_FOR_INTERRUPTS();
	if (lshsim_progress && search->step > 0 &&
		seconds_since_start(progress) - progress->reported > REPORT_EVERY)
		report_step(progress, search);
}

/* Report the end of a step. */
static void
on_step_done(PairSearch *search)
{
	if (lshsim_progress)
		report_step(search->progress, search);
}

/* Set the hooks of a search. */
void
pair_progress_init(PairProgress *progress, const char *name, PairSearch *search)
{
	progress->name = name;
	progress->step = NULL;
	progress->reported = 0;
	search->progress = progress;
	search->tick = on_tick;
	search->step_done = on_step_done;
}

/* Report the number of rows, and start the clock. */
void
pair_progress_start(PairProgress *progress, const PairSearch *search)
{
	if (lshsim_progress)
		ereport(NOTICE,
				(errmsg("%s: %zu rows, %zu signatures", progress->name,
						search->added, search->signatures)));
	INSTR_TIME_SET_CURRENT(progress->start);
}
