/*-------------------------------------------------------------------------
 *
 * lsh_scan.h
 *	  Scans of lsh indexes, for callers other than the executor.
 *
 * lsh_am.h declares the functions of the access method itself.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LSH_SCAN_H
#define LSH_SCAN_H

#include "access/relscan.h"

#include "lsh_search.h"

/*
 * Start a scan, on which index_rescan() has been called, and return its search,
 * which lives until the next index_rescan() or index_endscan().
 */
extern const LshSearch *lsh_scan_start(IndexScanDesc scan);

#endif							/* LSH_SCAN_H */
