/*-------------------------------------------------------------------------
 *
 * pair_progress.h
 *	  Report the progress of a search for pairs, and check for interrupts.
 *
 * Order of calls: pair_progress_init() before pairs_begin(),
 * pair_progress_start() when all signatures have been added, pairs_find().
 *
 * The server's progress views are for its own commands, and an extension
 * cannot extend their list.  So progress is a NOTICE, which is sent to the
 * client at once, and only if lshsim.progress is on.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PAIR_PROGRESS_H
#define PAIR_PROGRESS_H

#include "datatype/timestamp.h"

#include "core/bands/pairs.h"

typedef struct PairProgress
{
	const char *name;			/* of the function, for messages */
	TimestampTz start;
	TimestampTz reported;		/* time of the last report, or start */
} PairProgress;

/* Set the hooks tick and step_done; the search keeps progress and name. */
extern void pair_progress_init(PairProgress *progress, const char *name,
							   PairSearch *search);

/* Report the number of rows, and start the clock. */
extern void pair_progress_start(PairProgress *progress, const PairSearch *search);

#endif							/* PAIR_PROGRESS_H */
