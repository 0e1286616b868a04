/*-------------------------------------------------------------------------
 *
 * cluster.h
 *	  Connected components of similar signatures.  Pure: no PostgreSQL.
 *
 * The caller fills in the first part of a Clustering, gives it memory, adds
 * the rows in order, and runs it; then label i is the ordinal, from 0, of the
 * first row of the component of row i.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CLUSTER_H
#define CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bands.h"

#define FOLD_SECRET_WORDS 24	/* 192 bytes, the length of XXH3's own secret */

typedef struct Clustering Clustering;

/* Called often; it may leave by a long jump, to cancel. */
typedef void (*ClusterHook) (Clustering *clustering);

struct Clustering
{
	/* What to do: given by the caller. */
	int			num_hashes;
	BandPlan	plan;
	ClusterHook tick;			/* or NULL */
	ClusterHook step_done;		/* or NULL */
	void	   *hook_data;
	uint64_t	secret;			/* so that no data can fill the fold unevenly */

	/* Memory for max_rows rows: given by the caller. */
	size_t		max_rows;
	uint32_t   *labels;			/* max_rows; while adding, signatures */
	uint32_t   *parents;		/* max_rows: the forest of components */
	uint64_t   *work;			/* 2 * max_rows: to fold, then to sort */
	uint16_t   *slots;			/* max_rows * num_hashes */
	uint64_t   *nibbles;		/* max_rows * nibbles_words(num_hashes) */

	/* How far it is. */
	size_t		rows;			/* rows added */
	size_t		signatures;		/* different signatures among them */
	size_t		components;		/* components of the signatures */
	int			steps;			/* bands to go through, or 1 */
	int			step;			/* the one that is being done, from 1 */
	double		done;			/* share of the step that has been done */
	uint64_t	compared;		/* pairs compared so far, by their nibbles */
	uint64_t	verified;		/* those of them compared by their slots */

	/* Private. */
	uint32_t	nibbles_threshold;
	uint64_t	fold_secret[FOLD_SECRET_WORDS];
};

extern size_t cluster_row_bytes(int num_hashes);
extern void cluster_begin(Clustering *clustering);
extern void cluster_add_null(Clustering *clustering);
extern void cluster_add(Clustering *clustering, const uint16_t *slots);
extern void cluster_run(Clustering *clustering);
extern void cluster_label(Clustering *clustering);

#endif							/* CLUSTER_H */
