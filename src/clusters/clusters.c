/*-------------------------------------------------------------------------
 *
 * clusters.c
 *	  Cluster rows that are read one by one.
 *
 * Signatures are copied into compact memory, in which core/bands finds clusters,
 * representatives or links.  The window functions and minhash_groups_refresh read
 * their rows in different ways, and do the rest here.
 *
 * Rows whose signature is NULL or that of the empty set stand for themselves, unless
 * pairs judged the same connect them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "clusters.h"
#include "pair_progress.h"
#include "search/similar.h"
#include "support/server_memory.h"

/* Allocate some of the memory that the rows need in all. */
void *
cluster_alloc(const ClusterTask *task, uint64 bytes, uint64 needed)
{
	void	   *memory = server_alloc_huge(CurrentMemoryContext, bytes);

	if (memory == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("not enough memory to cluster %llu rows",
						(unsigned long long) task->rows),
				 errdetail("They need %llu bytes.", (unsigned long long) needed),
				 errhint("Use PARTITION BY, or signatures with fewer hashes.")));
	return memory;
}

/* Prepare for signatures like the first one, which follows rows with NULL. */
static void
begin_search(const ClusterTask *task, PairSearch *search, int num_hashes,
			 SketchMethod method, uint64 nulls)
{
	uint64		parents = sizeof(uint32) * task->rows;
	uint64		signatures = pairs_memory_size(num_hashes, task->rows);

	search->num_hashes = num_hashes;
	search->method = method;
	search->plan = *minhash_plan(task->threshold, task->recall, num_hashes);
	search->max_signatures = (size_t) task->rows;
	search->parents = cluster_alloc(task, parents, parents + signatures);
	search->memory = cluster_alloc(task, signatures, parents + signatures);
	pairs_begin(search);
	while (nulls-- > 0)
		pairs_add_null(search);
}

/* Add the rows.  If all signatures are NULL, the number of hashes does not matter. */
static void
read_rows(const ClusterTask *task, PairSearch *search)
{
	MemoryContext context = CurrentMemoryContext;
	MemoryContext row_context = AllocSetContextCreate(context, "lshsim row of a cluster",
													  ALLOCSET_DEFAULT_SIZES);
	MinHash    *first = NULL;

	for (uint64 row = 0; row < task->rows; row++)
	{
		bool		isnull;
		Datum		value;

		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(row_context);
		value = task->fetch(task->source, row, &isnull);
		if (!isnull)
		{
			MinHash    *sig = DatumGetMinHash(value);

			MemoryContextSwitchTo(context);
			if (first == NULL)
			{
				first = minhash_copy(context, sig);
				begin_search(task, search, first->num_hashes, first->method, row);
			}
			minhash_check_comparable(first, sig);
			pairs_add(search, sig->slots);
		}
		else if (first != NULL)
			pairs_add_null(search);
		MemoryContextReset(row_context);
	}
	MemoryContextSwitchTo(context);
	MemoryContextDelete(row_context);
	if (first == NULL)
		begin_search(task, search, SKETCH_MIN_HASHES, SKETCH_ONE_PERMUTATION, task->rows);
}

/* Read the rows, label them, and free the memory of the search. */
uint32 *
cluster_rows(ClusterTask *task)
{
	PairSearch *search = palloc0(sizeof(PairSearch));
	PairProgress progress;
	uint32	   *labels;

	if (task->rows > PG_INT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many rows to cluster: %llu", (unsigned long long) task->rows),
				 errdetail("A partition has at most %d rows.", PG_INT32_MAX),
				 errhint("Use PARTITION BY.")));
	pair_progress_init(&progress, task->name, search);
	read_rows(task, search);
	pair_progress_start(&progress, search);
	task->division.recall = task->recall;
	if (task->target == LINKED)
		task->division.links = cluster_alloc(task, sizeof(uint32) * task->rows,
											 sizeof(uint32) * task->rows);
	if (task->target == REPRESENTATIVE)
	{
		pairs_find(search);
		representatives_choose(search);
	}
	else
		division_find(search, &task->division);
	pairs_label(search);
	labels = search->parents;
	if (task->target == LINKED)
	{
		pfree(labels);
		labels = task->division.links;
	}
	pfree(search->memory);
	pfree(search);
	return labels;
}
