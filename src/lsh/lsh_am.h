/*-------------------------------------------------------------------------
 *
 * lsh_am.h
 *	  Entry points of the access method lsh, its options and strategies.
 *
 * The lsh_... functions below fill the IndexAmRoutine; the server's
 * documentation ("Index Access Method Functions") states their contracts.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_AM_H
#define LSH_AM_H

#include "access/amapi.h"
#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"

/*
 * Strategies 1 and 2 of signatures are in search/similar.h.  Passages have the
 * strategy and the options function of GIN (passages/passage_gin.h).
 */
#define LSH_DISTANCE_STRATEGY 3 /* ORDER BY sig <-> sig */
#define LSH_STRATEGIES 3
#define LSH_OPTIONS_FUNCTION 1
#define LSH_SUPPORT_FUNCTIONS 1

/* Phases of CREATE INDEX; the server defines phase 1. */
#define LSH_PHASE_STORE 2
#define LSH_PHASE_TREE 3
#define LSH_PHASE_LOG 4

/* Parsed storage parameters of an index. */
typedef struct LshOptions
{
	int32		vl_len_;		/* varlena header (do not touch directly!) */
	int			fillfactor;
} LshOptions;

/* Register the storage parameters; called once when the module is loaded. */
extern void lsh_define_options(void);

extern IndexBuildResult *lsh_build(Relation heap, Relation index,
								   IndexInfo *info);
extern void lsh_build_empty(Relation index);
extern bool lsh_insert(Relation index, Datum *values, bool *isnull,
					   ItemPointer tid, Relation heap,
					   IndexUniqueCheck unique, bool unchanged,
					   IndexInfo *info);
extern IndexBulkDeleteResult *lsh_bulk_delete(IndexVacuumInfo *info,
											  IndexBulkDeleteResult *stats,
											  IndexBulkDeleteCallback callback,
											  void *callback_state);
extern IndexBulkDeleteResult *lsh_vacuum_cleanup(IndexVacuumInfo *info,
												 IndexBulkDeleteResult *stats);
extern void lsh_cost_estimate(PlannerInfo *root, IndexPath *path,
							  double loop_count, Cost *startup, Cost *total,
							  Selectivity *selectivity, double *correlation,
							  double *pages);
extern bool lsh_validate(Oid opclass);
extern IndexScanDesc lsh_begin_scan(Relation index, int nkeys, int norderbys);
extern void lsh_rescan(IndexScanDesc scan, ScanKey keys, int nkeys,
					   ScanKey orderbys, int norderbys);
extern bool lsh_get_tuple(IndexScanDesc scan, ScanDirection direction);
extern int64 lsh_get_bitmap(IndexScanDesc scan, TIDBitmap *bitmap);
extern void lsh_end_scan(IndexScanDesc scan);

#endif							/* LSH_AM_H */
