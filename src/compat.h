/*-------------------------------------------------------------------------
 *
 * compat.h
 *	  Differences between PostgreSQL versions 14 to 19.
 *
 * Include it in every file that reads or makes varlena values, since varatt.h
 * left postgres.h in PostgreSQL 16 (test/rooms checks this).
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMPAT_H
#define COMPAT_H

#if PG_VERSION_NUM < 140000
#error "lshsim requires PostgreSQL 14 or later"
#endif

/* postgres.h included these until PostgreSQL 15. */
#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#include "varatt.h"
#endif

/* ereturn() and soft errors are new in PostgreSQL 16; raise an error before. */
#if PG_VERSION_NUM < 160000
#define ereturn(context, dummy_value, ...) \
	do { \
		(void) (context); \
		ereport(ERROR, __VA_ARGS__); \
		return dummy_value; \
	} while (0)
#endif

/* guc_malloc() is exported since PostgreSQL 16; before, GUCs used malloc(). */
#if PG_VERSION_NUM < 160000
#define guc_malloc(elevel, size) malloc(size)
#endif

/* MarkGUCPrefixReserved() is new in PostgreSQL 15; warn instead before. */
#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
#endif

/* PG_MODULE_MAGIC_EXT is new in PostgreSQL 18. */
#if PG_VERSION_NUM < 180000
#define PG_MODULE_MAGIC_EXT(...) PG_MODULE_MAGIC
#endif

/* RestrictSearchPath() is new in PostgreSQL 17. */
#if PG_VERSION_NUM < 170000
#define RestrictSearchPath() \
	((void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, \
							  PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false))
#endif

/* utils/array.h defines it since a minor release of PostgreSQL 14. */
#ifndef MaxArraySize
#define MaxArraySize ((Size) (MaxAllocSize / sizeof(Datum)))
#endif

/* vacuum_delay_point() has an is_analyze argument since PostgreSQL 18. */
#if PG_VERSION_NUM >= 180000
#define lsh_vacuum_delay_point() vacuum_delay_point(false)
#else
#define lsh_vacuum_delay_point() vacuum_delay_point()
#endif

/* rd_node is called rd_locator since PostgreSQL 16. */
#if PG_VERSION_NUM >= 160000
#define lsh_relation_file(relation) ((relation)->rd_locator)
#define lsh_file_number(relation) ((relation)->rd_locator.relNumber)
#else
#define lsh_relation_file(relation) ((relation)->rd_node)
#define lsh_file_number(relation) ((relation)->rd_node.relNode)
#endif

/* Until PostgreSQL 14, clones of triggers count as internal triggers. */
#if PG_VERSION_NUM >= 150000
#define lsh_is_clone(trigger) ((trigger)->tgisclone)
#else
#define lsh_is_clone(trigger) ((trigger)->tgisinternal)
#endif

/* The local number of this transaction moved within PGPROC in PostgreSQL 17. */
#if PG_VERSION_NUM >= 170000
#define lsh_local_transaction() (MyProc->vxid.lxid)
#else
#define lsh_local_transaction() (MyProc->lxid)
#endif

/* True if this transaction made the file of a relation; fields were renamed. */
#if PG_VERSION_NUM >= 160000
#define lsh_has_new_file(relation) \
	((relation)->rd_createSubid != InvalidSubTransactionId || \
	 (relation)->rd_newRelfilelocatorSubid != InvalidSubTransactionId)
#else
#define lsh_has_new_file(relation) \
	((relation)->rd_createSubid != InvalidSubTransactionId || \
	 (relation)->rd_newRelfilenodeSubid != InvalidSubTransactionId)
#endif

/*
 * The IndexAmRoutine of a handler: until PostgreSQL 18 the server frees it, so
 * it must be palloc'd; since 19 the server keeps the pointer, so it is static.
 */
#if PG_VERSION_NUM >= 190000
#define lsh_handed_over(routine) (routine)
#else
#define lsh_handed_over(routine) \
	memcpy(palloc(sizeof(IndexAmRoutine)), (routine), sizeof(IndexAmRoutine))
#endif

/*
 * CREATE INDEX may launch workers in all versions; since PostgreSQL 17 the
 * IndexAmRoutine says so.
 */
#if PG_VERSION_NUM >= 170000
#define LSH_CAN_BUILD_PARALLEL .amcanbuildparallel = true,
#else
#define LSH_CAN_BUILD_PARALLEL
#endif

/* table_beginscan_parallel() has a flags argument since PostgreSQL 19. */
#if PG_VERSION_NUM >= 190000
#define lsh_beginscan_parallel(heap, scan) \
	table_beginscan_parallel((heap), (scan), SO_NONE)
#else
#define lsh_beginscan_parallel(heap, scan) \
	table_beginscan_parallel((heap), (scan))
#endif

/* table_index_fetch_begin() has a flags argument since PostgreSQL 19. */
#if PG_VERSION_NUM >= 190000
#define lsh_index_fetch_begin(heap) table_index_fetch_begin((heap), SO_NONE)
#else
#define lsh_index_fetch_begin(heap) table_index_fetch_begin(heap)
#endif

/*
 * Until PostgreSQL 16, old_snapshot_threshold lets VACUUM remove tuples that an
 * old snapshot sees.  A scan must test each page that it reads for this.
 */
#if PG_VERSION_NUM < 170000
#define lsh_test_snapshot(snapshot, index, page) \
	TestForOldSnapshot((snapshot), (index), (page))
#else
#define lsh_test_snapshot(snapshot, index, page) ((void) 0)
#endif

/*
 * index_beginscan_bitmap() has an instrumentation argument since PostgreSQL
 * 18.
 */
#if PG_VERSION_NUM >= 180000
#define lsh_beginscan_bitmap(index, snapshot, num_keys) \
	index_beginscan_bitmap((index), (snapshot), NULL, (num_keys))
#else
#define lsh_beginscan_bitmap(index, snapshot, num_keys) \
	index_beginscan_bitmap((index), (snapshot), (num_keys))
#endif

/* IGNORE NULLS is new in PostgreSQL 19; a window function must refuse it. */
#if PG_VERSION_NUM >= 190000
#define lsh_refuse_ignore_nulls(winobj, fcinfo) \
	WinCheckAndInitializeNullTreatment((winobj), false, (fcinfo))
#else
#define lsh_refuse_ignore_nulls(winobj, fcinfo) ((void) 0)
#endif

/* Before PostgreSQL 15 this argument of a sort is a bool, randomAccess. */
#if PG_VERSION_NUM < 150000
#define TUPLESORT_NONE false
#endif

/* From PostgreSQL 19 on a new TupleDesc must be finalized. */
#if PG_VERSION_NUM < 190000
#define TupleDescFinalize(desc) ((void) (desc))
#endif

/* pg_noreturn, in front of a declaration, is new in PostgreSQL 18. */
#ifndef pg_noreturn
#define pg_noreturn pg_attribute_noreturn()
#endif

/*
 * Keep the planner from using an index path whose cost is infinite.
 *
 * Since PostgreSQL 18, add_path() compares disabled_nodes before the cost.  A
 * sequential scan has one under enable_seqscan = off, and would lose to the
 * index path; so that gets two.  A bitmap heap path does not inherit them, so
 * under enable_seqscan = off none may be built.
 */
#if PG_VERSION_NUM >= 180000
#define lsh_disable_path(index_path) \
	((index_path)->path.disabled_nodes = 2, \
	 (index_path)->indexinfo->amhasgetbitmap &= enable_seqscan)
#else
#define lsh_disable_path(index_path) ((void) (index_path))
#endif

#endif							/* COMPAT_H */
