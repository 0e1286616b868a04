/*-------------------------------------------------------------------------
 *
 * saved_plans.h
 *	  Plans of statements that a session runs again and again.
 *
 * The plan cache of the server revalidates a saved plan: it plans again after a
 * change of a table or index, of the search path, or of what row-level security
 * depends on.  It does not plan again because a table has grown, so a plan that
 * was made for an empty table would scan a large one.  Hence use_indexes().
 *
 *-------------------------------------------------------------------------
 */
#ifndef SAVED_PLANS_H
#define SAVED_PLANS_H

#include "executor/spi.h"
#include "utils/plancache.h"

/*
 * Return the plan of a statement with arguments of some types.  The caller must
 * be connected to SPI.  If the session has used more plans than are kept, the
 * result ends with the connection.
 */
extern SPIPlanPtr saved_plan(const char *sql, int nargs, const Oid *types);

/* Make a plan that ends with the connection to SPI. */
extern SPIPlanPtr make_plan(const char *sql, int nargs, const Oid *types);

/* Return the source of a plan of one statement. */
extern CachedPlanSource *plan_source(SPIPlanPtr plan);

/*
 * Make settings that leave only generic plans of nested loops over indexes, as
 * far as there are indexes.  AtEOXact_GUC(false, the result) restores them.
 */
extern int	use_indexes(void);

#endif							/* SAVED_PLANS_H */
