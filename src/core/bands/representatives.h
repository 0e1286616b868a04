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
 * Call it after pairs_find() has found components and before pairs_label().  The
 * choice adds one step to steps and step.
 */
extern void representatives_choose(PairSearch *search);

#endif							/* REPRESENTATIVES_H */
