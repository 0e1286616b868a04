/*-------------------------------------------------------------------------
 *
 * similar.h
 *	  Similarity under a threshold and a recall.
 *
 * similar.c defines the term.  The functions in SQL are declared so that
 * planner code can recognize them by the address of their implementation.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SIMILAR_H
#define SIMILAR_H

#include "core/bands.h"
#include "type/minhash.h"

extern Datum minhash_similar_op(PG_FUNCTION_ARGS);
extern Datum minhash_similar(PG_FUNCTION_ARGS);
extern Datum minhash_query_match(PG_FUNCTION_ARGS);
extern Datum minhash_query_match_commuted(PG_FUNCTION_ARGS);
extern Datum minhash_candidate_op(PG_FUNCTION_ARGS);
extern Datum minhash_query_candidate(PG_FUNCTION_ARGS);

/*
 * Return the plan of a search.
 *
 * threshold and recall are 0 to 1, num_hashes is that of a valid signature.
 * The result is valid until the next call with other arguments; copy it to
 * keep it.
 */
extern const BandPlan *minhash_plan(double threshold, double recall,
									int num_hashes);

/*
 * Return true if two signatures are similar; threshold and recall are 0 to 1.
 * Raises an error if the signatures are of different kinds.
 */
static inline bool
minhash_is_similar(const MinHash *a, const MinHash *b, double threshold,
				   double recall)
{
	minhash_check_comparable(a, b);
	return slots_are_similar(a->slots, b->slots, a->num_hashes,
							 minhash_plan(threshold, recall, a->num_hashes));
}

#endif							/* SIMILAR_H */
