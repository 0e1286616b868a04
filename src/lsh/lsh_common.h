/*-------------------------------------------------------------------------
 *
 * lsh_common.h
 *	  The k-grams that are common in the table of an index of passages.
 *
 * A search visits every row that has a key in common with its text, so keys
 * that many rows have make it slow.  Therefore an index has a list of common
 * k-grams, and a text gets keys from these only where it has no others (see
 * core/passages/winnow.c).  All keys of an index must be made with the same list, so
 * CREATE INDEX makes it, and only REINDEX replaces it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_COMMON_H
#define LSH_COMMON_H

#include "core/passages/winnow.h"
#include "nodes/execnodes.h"

#include "lsh_layout.h"

/*
 * Sample the table of an index that is being built, append the list of k-grams
 * that are common in it to the index, and return where the list is.
 */
extern LshGramList lsh_common_write(Relation heap, Relation index,
									IndexInfo *info);

/*
 * Read the list from the pages of the index; return the k-grams, palloc'd.
 * Raises an error if the list is damaged.
 */
extern uint64 *lsh_common_read(Relation index, const LshGramList *common);

/*
 * Return the 64-bit keys under which the tree stores a document, all different,
 * in ascending order, palloc'd.  Can be interrupted.
 */
extern uint64 *lsh_passage_keys(Relation index, const LshLayout *layout,
								text *document, Size *count);

#endif							/* LSH_COMMON_H */
