/*-------------------------------------------------------------------------
 *
 * minhash_query.h
 *	  The type minhash_query: a signature, a threshold and a recall.
 *
 *-------------------------------------------------------------------------
 */
#ifndef MINHASH_QUERY_H
#define MINHASH_QUERY_H

#include "minhash.h"

/*
 * The layout in memory and on disk, aligned to 8 bytes.  The signature has a
 * varlena header of its own.  The binary form is threshold, recall, and the
 * binary form of the signature.
 */
typedef struct MinHashQuery
{
	int32		vl_len_;		/* varlena header (do not touch directly!) */
	uint32		reserved;		/* for future use, always zero */
	float8		threshold;		/* 0 to 1 */
	float8		recall;			/* 0 to 1 */
	MinHash		sig;			/* variable length, must be last */
} MinHashQuery;

/* Declared so that the type can be recognized by its input function. */
extern Datum minhash_query_in(PG_FUNCTION_ARGS);

/*
 * Detoast a query.  Raises ERRCODE_DATA_CORRUPTED if its header, or that of
 * its signature, is invalid; the slots are not checked.  The result may point
 * into the datum.
 */
extern MinHashQuery *DatumGetMinHashQuery(Datum datum);

#define PG_GETARG_MINHASH_QUERY_P(n) DatumGetMinHashQuery(PG_GETARG_DATUM(n))

#endif							/* MINHASH_QUERY_H */
