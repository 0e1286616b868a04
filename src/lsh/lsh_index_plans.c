/*-------------------------------------------------------------------------
 *
 * lsh_index_plans.c
 *	  lsh_index_plans(): the plan of a search, and its mean cost on an index.
 *
 * For each threshold it searches the index for signatures of random rows of the
 * table, and counts the candidates.  So the mean holds for queries that are
 * distributed like the rows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/relscan.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/tidbitmap.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "compat.h"
#include "lsh_am.h"
#include "lsh_index.h"
#include "lsh_search.h"
#include "search/minhash_gin.h"
#include "support/arguments.h"
#include "support/names.h"
#include "support/owner.h"
#include "support/row.h"
#include "type/minhash_query.h"

#define MAX_PROBES 10000		/* limit of an argument */

/* Signatures of rows of a table. */
typedef struct Probes
{
	int			count;
	MinHash   **sigs;
} Probes;

/* Return the predicate of a partial index as a WHERE clause. */
static char *
index_predicate(Relation index)
{
	bool		isnull;
	Datum		predicate = SysCacheGetAttr(INDEXRELID, index->rd_indextuple,
											Anum_pg_index_indpred, &isnull);

	if (isnull)
		return "";
	predicate = DirectFunctionCall2(pg_get_expr, predicate,
									ObjectIdGetDatum(index->rd_index->indrelid));
	return psprintf(" WHERE %s", TextDatumGetCString(predicate));
}

/* Return the query that selects signatures of random rows of a table. */
static char *
probe_query(Relation index, AttrNumber column, int max)
{
	Oid			table = index->rd_index->indrelid;
	Datum		expression = DirectFunctionCall3(pg_get_indexdef_ext,
												 ObjectIdGetDatum(RelationGetRelid(index)),
												 Int32GetDatum(column),
												 BoolGetDatum(false));

	/* OFFSET keeps the planner from evaluating the expression twice. */
	return psprintf("SELECT sig FROM (SELECT %s AS sig FROM ONLY %s%s OFFSET 0) AS t"
					" WHERE sig IS NOT NULL"
					" ORDER BY pg_catalog.random() LIMIT %d",
					TextDatumGetCString(expression),
					qualified_name(table),
					index_predicate(index), max);
}

/* Return true if an index has an expression or a predicate. */
static bool
index_has_code(Relation index)
{
	return !heap_attisnull(index->rd_indextuple, Anum_pg_index_indexprs, NULL) ||
		!heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL);
}

/*
 * Return the user as whom signatures are read.
 *
 * An index expression is code of the table's owner and runs as the owner, as in
 * ANALYZE.  The caller can influence such code through pg_temp, so the caller
 * must have the privileges of the owner anyway.
 */
static Oid
probe_user(Relation index)
{
	Oid			table = index->rd_index->indrelid;
	Oid			owner = table_owner(table);

	if (has_privs_of_role(GetUserId(), owner))
		return owner;
	if (index_has_code(index))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of table \"%s\"", get_rel_name(table)),
				 errdetail("Index \"%s\" has an expression or a predicate, which runs with the rights of the table's owner.",
						   RelationGetRelationName(index))));
	return GetUserId();
}

/*
 * Read signatures of random rows through SPI, as probe_user(), in a
 * security-restricted operation.
 */
static Probes
read_probes(Relation index, AttrNumber column, int max)
{
	Caller		caller = become_user(probe_user(index));
	char	   *query = probe_query(index, column, max);
	MemoryContext context = CurrentMemoryContext;
	Probes		probes;

	if (SPI_connect() != SPI_OK_CONNECT ||
		SPI_execute(query, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read signatures for index \"%s\"",
			 RelationGetRelationName(index));
	probes.count = (int) SPI_processed;
	probes.sigs = MemoryContextAlloc(context, sizeof(MinHash *) *
									 Max(probes.count, 1));
	for (int i = 0; i < probes.count; i++)
	{
		bool		isnull;
		Datum		sig = SPI_getbinval(SPI_tuptable->vals[i],
										SPI_tuptable->tupdesc, 1, &isnull);

		probes.sigs[i] = minhash_copy(context, DatumGetMinHash(sig));
	}
	SPI_finish();
	become_caller(&caller);
	return probes;
}

/* Count the records of an lsh index that a scan compares. */
static int64
count_compared(IndexScanDesc scan)
{
	const LshSearch *search = lsh_scan_start(scan);
	LshWalk		walk;
	Buffer		buffer;
	int64		count = 0;

	if (!search->walks)
		return (int64) search->candidates.count;
	lsh_walk_begin(&walk);
	while ((buffer = lsh_walk_read(scan->indexRelation, &walk)) != InvalidBuffer)
	{
		for (int place = 0; place < search->layout.per_page; place++)
			count += lsh_record_is_used(BufferGetPage(buffer), place);
		UnlockReleaseBuffer(buffer);
	}
	return count;
}

/* Count the rows that a GIN index returns for recheck. */
static int64
count_returned(IndexScanDesc scan)
{
	TIDBitmap  *bitmap = tbm_create(work_mem * (Size) 1024, NULL);
	int64		count = index_getbitmap(scan, bitmap);

	tbm_free(bitmap);
	return count;
}

/* Count the candidates of a search. */
static int64
count_candidates(Relation index, AttrNumber column, const MinHashQuery *query)
{
	IndexScanDesc scan;

	/* Neither access method calls the function of the operator. */
	ScanKeyData key = {
		.sk_attno = column,
		.sk_strategy = QUERY_STRATEGY,
		.sk_argument = PointerGetDatum(query)
	};
	int64		count;

	scan = lsh_beginscan_bitmap(index, GetActiveSnapshot(), 1);
	index_rescan(scan, &key, 1, NULL, 0);
	count = lsh_is_lsh_index(index) ? count_compared(scan) :
		count_returned(scan);
	index_endscan(scan);
	return count;
}

/* Return the mean number of candidates over the probes. */
static double
mean_candidates(Relation index, AttrNumber column, const Probes *probes,
				double threshold, double recall, const BandPlan *plan)
{
	/* A plan that compares all records is the same for every probe. */
	int			count = plan->compare_all ? Min(probes->count, 1) : probes->count;
	double		sum = 0;

	for (int i = 0; i < count; i++)
	{
		MinHashQuery *query = minhash_query_make(probes->sigs[i], threshold,
												 recall);

		CHECK_FOR_INTERRUPTS();
		sum += (double) count_candidates(index, column, query);
		pfree(query);
	}
	return sum / Max(count, 1);
}

/* Put the result row for a threshold. */
static void
put_plan(Tuplestorestate *rows, TupleDesc desc, Oid table, double threshold,
		 const BandPlan *plan, const Probes *probes, double candidates)
{
	bool		all = plan->compare_all;
	bool		nulls[7] = {false, all, all, all, false, probes->count == 0};
	Datum		values[7];

	values[0] = Float8GetDatum(threshold);
	values[1] = Int32GetDatum(plan->bands);
	values[2] = Int32GetDatum(plan->rows);
	values[3] = Int32GetDatum(plan->matches);
	values[4] = BoolGetDatum(all);
	values[5] = Float8GetDatum(candidates);
	values[6] = ObjectIdGetDatum(table);
	tuplestore_putvalues(rows, desc, values, nulls);
}

/* Read and check the array of thresholds. */
static Datum *
read_thresholds(ArrayType *array, int *count)
{
	Datum	   *thresholds;
	bool	   *nulls;

	deconstruct_array(array, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
					  TYPALIGN_DOUBLE, &thresholds, &nulls, count);
	for (int i = 0; i < *count; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("threshold must not be null")));
		check_unit_interval(DatumGetFloat8(thresholds[i]), "threshold");
	}
	return thresholds;
}

/* Arguments of lsh_index_plans(). */
typedef struct PlansRequest
{
	int			count;
	Datum	   *thresholds;
	double		recall;
	int			max_probes;
} PlansRequest;

/* Put the result rows for an index that is not partitioned. */
static void
put_plans(Tuplestorestate *rows, TupleDesc desc, Oid index_oid,
		  const PlansRequest *request)
{
	AttrNumber	column;
	Relation	index = lsh_open_index(index_oid, &column);
	Probes		probes;

	lsh_refuse_passages(index);
	probes = read_probes(index, column, request->max_probes);
	for (int i = 0; i < request->count; i++)
	{
		double		threshold = DatumGetFloat8(request->thresholds[i]);
		BandPlan	plan = band_plan(threshold, request->recall,
									 probes.count > 0 ?
									 probes.sigs[0]->num_hashes :
									 SKETCH_DEFAULT_HASHES);
		double		candidates = mean_candidates(index, column, &probes,
												 threshold, request->recall,
												 &plan);

		CHECK_FOR_INTERRUPTS();
		put_plan(rows, desc, index->rd_index->indrelid, threshold, &plan,
				 &probes, candidates);
	}
	relation_close(index, AccessShareLock);
}

/* SQL function: plans and mean numbers of candidates for thresholds. */
PG_FUNCTION_INFO_V1(lsh_index_plans);
Datum
lsh_index_plans(PG_FUNCTION_ARGS)
{
	PlansRequest request = {
		.recall = check_unit_interval(PG_GETARG_FLOAT8(2), "recall")
	};
	TupleDesc	desc;
	Tuplestorestate *rows = begin_rows(fcinfo, &desc);
	List	   *parts;
	ListCell   *cell;

	parts = lsh_index_parts(PG_GETARG_OID(0));
	request.thresholds = read_thresholds(PG_GETARG_ARRAYTYPE_P(1),
										 &request.count);
	request.max_probes = check_count(PG_GETARG_INT32(3), MAX_PROBES, "probes");
	foreach(cell, parts)
		put_plans(rows, desc, lfirst_oid(cell), &request);
	return (Datum) 0;
}
