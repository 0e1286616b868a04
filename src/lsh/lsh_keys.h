/*-------------------------------------------------------------------------
 *
 * lsh_keys.h
 *	  The keys of a store, in order.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_KEYS_H
#define LSH_KEYS_H

#include "lsh_tree.h"

/* What is done with entries that are in order, and follow those of before. */
typedef void (*LshEntryWriter) (void *arg, const LshEntry *entries,
								Size count);

extern void lsh_write_keys(Relation index, const LshLayout *layout,
						   Size signatures, LshEntryWriter write, void *arg);

#endif							/* LSH_KEYS_H */
