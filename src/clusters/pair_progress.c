/*-------------------------------------------------------------------------
 *
 * pair_progress.c
 *	  Report the progress of a search for pairs, and check for interrupts.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/timestamp.h"

#include "pair_progress.h"
#include "support/settings.h"

#define REPORT_EVERY 5000		/* milliseconds without a report */

/* Report the progress of a step; the detail may differ between runs. */
static void
report_step(PairProgress *progress, const PairSearch *search, TimestampTz now)
{
	double		elapsed = (double) (now - progress->start) / USECS_PER_SEC;
	double		done = (search->step - 1 + search->done) / search->steps;

	progress->reported = now;
	ereport(NOTICE,
			(errmsg("%s: step %d of %d, %.0f%%: %zu signatures, %llu candidates",
					progress->name, search->step, search->steps,
					100 * search->done, search->signatures,
					(unsigned long long) search->compared),
			 errdetail("%.1f s elapsed, about %.1f s left.", elapsed,
					   done > 0 ? elapsed / done - elapsed : 0)));
}

/* Check for interrupts, and report the progress of a long step. */
static void
on_tick(PairSearch *search)
{
	PairProgress *progress = search->progress;
	TimestampTz now;

	CHECK_FOR_INTERRUPTS();
	if (!lshsim_progress || search->step == 0)
		return;
	now = GetCurrentTimestamp();
	if (TimestampDifferenceExceeds(progress->reported, now, REPORT_EVERY))
		report_step(progress, search, now);
}

/* Report the end of a step. */
static void
on_step_done(PairSearch *search)
{
	if (lshsim_progress)
		report_step(search->progress, search, GetCurrentTimestamp());
}

/* Set the hooks of a search. */
void
pair_progress_init(PairProgress *progress, const char *name, PairSearch *search)
{
	progress->name = name;
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
	progress->start = progress->reported = GetCurrentTimestamp();
}
