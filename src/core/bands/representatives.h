/*-------------------------------------------------------------------------
 *
 * representatives.h
 *	  Choose representatives among signatures in memory.
 *
 * In the order of their numbers, each signature joins the first earlier
 * representative that it is similar to, or becomes one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef REPRESENTATIVES_H
#define REPRESENTATIVES_H

#include "pairs.h"

/*
 * Set the parent of each signature to its representative, which for a
 * representative is itself, and that of a copy to the signature it equals.
 *
 * Call it after pairs_find() has found components and before pairs_label().
 * join_work is room for 2 * max_signatures numbers.  It is used only for
 * components of more than a few thousand signatures.  The choice adds one step
 * to steps and step.
 */
extern void representatives_choose(PairSearch *search, uint64_t *join_work);

#endif							/* REPRESENTATIVES_H */
