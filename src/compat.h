/*-------------------------------------------------------------------------
 *
 * compat.h
 *	  Differences between PostgreSQL versions 15 to 19.
 *
 * They are in the order of the versions that made them.  Where a macro has two
 * forms, its comment is at the new one.
 *
 * Include it in every file that reads or makes varlena values, since varatt.h
 * left postgres.h in PostgreSQL 16 (test/rooms checks this).
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMPAT_H
#define COMPAT_H

#if PG_VERSION_NUM < 150000
#error "lshsim requires PostgreSQL 15 or later"
#endif

/*** PostgreSQL 16 ***/

#if PG_VERSION_NUM >= 160000
/* postgres.h included these before. */
#include "nodes/miscnodes.h"
#include "varatt.h"

/* rd_node was renamed to rd_locator. */
#define compat_relation_file(relation) ((relation)->rd_locator)
#define compat_new_file_subid(relation) ((relation)->rd_newRelfilelocatorSubid)

/* SetSingleFuncCall() was renamed in PostgreSQL 15.1, and dropped in 16. */
#define compat_begin_set(fcinfo) \
	InitMaterializedSRF((fcinfo), MAT_SRF_USE_EXPECTED_DESC)
#else
#define compat_relation_file(relation) ((relation)->rd_node)
#define compat_new_file_subid(relation) ((relation)->rd_newRelfilenodeSubid)
#define compat_begin_set(fcinfo) \
	SetSingleFuncCall((fcinfo), SRF_SINGLE_USE_EXPECTED)

/* ereturn() and soft errors are new; raise an error. */
#define ereturn(context, dummy_value, ...) \
	do { \
		(void) (context); \
		ereport(ERROR, __VA_ARGS__); \
		return dummy_value; \
	} while (0)

/* guc_malloc() was not exported, and GUCs used malloc(). */
#define guc_malloc(elevel, size) malloc(size)
#endif

/*** PostgreSQL 17 ***/

#if PG_VERSION_NUM >= 170000
/* The local number of this transaction moved within PGPROC. */
#define compat_local_transaction() (MyProc->vxid.lxid)

/*
 * Before, old_snapshot_threshold lets VACUUM remove tuples that an old snapshot
 * sees.  A scan must test each page that it reads for this.
 */
#define compat_test_snapshot(snapshot, index, page) ((void) 0)
#else
#define compat_local_transaction() (MyProc->lxid)
#define compat_test_snapshot(snapshot, index, page) \
	TestForOldSnapshot((snapshot), (index), (page))

/* RestrictSearchPath() is new. */
#define RestrictSearchPath() \
	((void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, \
							  PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false))
#endif

/*** PostgreSQL 18 ***/

#if PG_VERSION_NUM >= 180000
/* vacuum_delay_point() got an is_analyze argument. */
#define compat_vacuum_delay_point() vacuum_delay_point(false)

/* ExecCheckIndexConstraints() got an argument, the row to exclude. */
#define compat_check_conflict(target, slot, estate, conflict, indexes) \
	ExecCheckIndexConstraints((target), (slot), (estate), (conflict), \
							  &(slot)->tts_tid, (indexes))

/* EXPLAIN ANALYZE prints the number of searches that a scan counts. */
#define compat_count_search(scan) \
	((void) ((scan)->instrument && (scan)->instrument->nsearches++))

/*
 * Keep the planner from using an index path whose cost is infinite.
 *
 * add_path() now compares disabled_nodes before the cost.  A sequential scan has
 * one under enable_seqscan = off, and would lose to the index path; so that gets
 * two.  A bitmap heap path does not inherit them, so under enable_seqscan = off
 * none may be built.
 */
#define compat_disable_path(index_path) \
	((index_path)->path.disabled_nodes = 2, \
	 (index_path)->indexinfo->amhasgetbitmap &= enable_seqscan)
#else
#define compat_vacuum_delay_point() vacuum_delay_point()
#define compat_check_conflict(target, slot, estate, conflict, indexes) \
	ExecCheckIndexConstraints((target), (slot), (estate), (conflict), (indexes))
#define compat_count_search(scan) ((void) (scan))
#define compat_disable_path(index_path) ((void) (index_path))

/* PG_MODULE_MAGIC_EXT is new. */
#define PG_MODULE_MAGIC_EXT(...) PG_MODULE_MAGIC
#endif

/* pg_noreturn, in front of a declaration, is new. */
#ifndef pg_noreturn
#define pg_noreturn pg_attribute_noreturn()
#endif

/*** PostgreSQL 19 ***/

#if PG_VERSION_NUM >= 190000
/*
 * The IndexAmRoutine of a handler: the server keeps the pointer, so it is
 * static; before, the server frees it, so it must be palloc'd.
 */
#define compat_handed_over(routine) (routine)

/* These functions got a flags argument. */
#define compat_beginscan_parallel(heap, scan) \
	table_beginscan_parallel((heap), (scan), SO_NONE)
#define compat_index_fetch_begin(heap) table_index_fetch_begin((heap), SO_NONE)

/* IGNORE NULLS is new; a window function must refuse it. */
#define compat_refuse_ignore_nulls(winobj, fcinfo) \
	WinCheckAndInitializeNullTreatment((winobj), false, (fcinfo))
#else
#define compat_handed_over(routine) \
	memcpy(palloc(sizeof(IndexAmRoutine)), (routine), sizeof(IndexAmRoutine))
#define compat_beginscan_parallel(heap, scan) \
	table_beginscan_parallel((heap), (scan))
#define compat_index_fetch_begin(heap) table_index_fetch_begin(heap)
#define compat_refuse_ignore_nulls(winobj, fcinfo) ((void) 0)

/* A new TupleDesc must be finalized. */
#define TupleDescFinalize(desc) ((void) (desc))
#endif

#endif							/* COMPAT_H */
