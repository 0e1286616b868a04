/*-------------------------------------------------------------------------
 *
 * compat.h
 *	  What differs between PostgreSQL 14 and 19.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMPAT_H
#define COMPAT_H

#if PG_VERSION_NUM < 140000
#error "lshsim requires PostgreSQL 14 or later"
#endif

/* These parts of postgres.h have had headers of their own since 16. */
#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#include "varatt.h"
#endif

/* Soft errors came with PostgreSQL 16. */
#if PG_VERSION_NUM < 160000
#define ereturn(context, dummy_value, ...) \
	do { \
		(void) (context); \
		ereport(ERROR, __VA_ARGS__); \
		return dummy_value; \
	} while (0)
#endif

/* Values of settings have memory of their own since PostgreSQL 16. */
#if PG_VERSION_NUM < 160000
#define guc_malloc(elevel, size) malloc(size)
#endif

#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
#endif

/* A module has not always a name and a version. */
#if PG_VERSION_NUM < 180000
#define PG_MODULE_MAGIC_EXT(...) PG_MODULE_MAGIC
#endif

/* The safe search path of maintenance has a function from PostgreSQL 17 on. */
#if PG_VERSION_NUM < 170000
#define RestrictSearchPath() \
	((void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, \
							  PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false))
#endif

/* utils/array.h has it from some minor release of PostgreSQL 14 on. */
#ifndef MaxArraySize
#define MaxArraySize ((Size) (MaxAllocSize / sizeof(Datum)))
#endif

/* From PostgreSQL 18 on vacuum_delay_point takes whether it is in ANALYZE. */
#if PG_VERSION_NUM >= 180000
#define lsh_vacuum_delay_point() vacuum_delay_point(false)
#else
#define lsh_vacuum_delay_point() vacuum_delay_point()
#endif

/* From PostgreSQL 16 on a relation has rd_locator in the place of rd_node. */
#if PG_VERSION_NUM >= 160000
#define lsh_relation_file(relation) ((relation)->rd_locator)
#define lsh_file_number(relation) ((relation)->rd_locator.relNumber)
#else
#define lsh_relation_file(relation) ((relation)->rd_node)
#define lsh_file_number(relation) ((relation)->rd_node.relNode)
#endif

/*
 * What a handler returns is the server's to free until PostgreSQL 18; from 19
 * on it must stay where it is for as long as the server runs.
 */
#if PG_VERSION_NUM >= 190000
#define lsh_handed_over(routine) (routine)
#else
#define lsh_handed_over(routine) \
	memcpy(palloc(sizeof(IndexAmRoutine)), (routine), sizeof(IndexAmRoutine))
#endif

/* From PostgreSQL 19 on table_index_fetch_begin takes options. */
#if PG_VERSION_NUM >= 190000
#define lsh_index_fetch_begin(heap) table_index_fetch_begin((heap), SO_NONE)
#else
#define lsh_index_fetch_begin(heap) table_index_fetch_begin(heap)
#endif

/*
 * Until PostgreSQL 16 rows that a snapshot sees may be removed when it is old
 * (old_snapshot_threshold), and whoever reads a page for it must look.
 */
#if PG_VERSION_NUM < 170000
#define lsh_test_snapshot(snapshot, index, page) \
	TestForOldSnapshot((snapshot), (index), (page))
#else
#define lsh_test_snapshot(snapshot, index, page) ((void) 0)
#endif

/* From PostgreSQL 18 on index_beginscan_bitmap takes where to count. */
#if PG_VERSION_NUM >= 180000
#define lsh_beginscan_bitmap(index, snapshot, num_keys) \
	index_beginscan_bitmap((index), (snapshot), NULL, (num_keys))
#else
#define lsh_beginscan_bitmap(index, snapshot, num_keys) \
	index_beginscan_bitmap((index), (snapshot), (num_keys))
#endif

/* Until PostgreSQL 18 pg_noreturn was an attribute; it may be in front, too. */
#ifndef pg_noreturn
#define pg_noreturn pg_attribute_noreturn()
#endif

/*
 * From PostgreSQL 18 on settings such as enable_seqscan count for more than
 * any cost, so an index path that must not be chosen counts as disabled twice.
 * A bitmap scan does not know of that, so that none is made of it.
 */
#if PG_VERSION_NUM >= 180000
#define lsh_disable_path(index_path) \
	((index_path)->path.disabled_nodes = 2, \
	 (index_path)->indexinfo->amhasgetbitmap &= enable_seqscan)
#else
#define lsh_disable_path(index_path) ((void) (index_path))
#endif

#endif							/* COMPAT_H */
