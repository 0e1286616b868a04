/*-------------------------------------------------------------------------
 *
 * canonical_datum.h
 *	  Write the canonical form of a value of any type.
 *
 * core/canonical.h defines the form.  The functions may leak memory into the
 * current memory context, which the caller resets after each value.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CANONICAL_DATUM_H
#define CANONICAL_DATUM_H

#include "core/canonical.h"

/*
 * Refuse a type without a canonical form: ERRCODE_FEATURE_NOT_SUPPORTED.
 * Anonymous records pass; canonical_datum() checks the columns of each value.
 */
extern void check_canonical_type(Oid type);

/* Write a value, not null, of a type that check_canonical_type() accepts. */
extern void canonical_datum(CanonicalWriter *writer, Oid type, Datum value);

/* Write a jsonb (canonical_jsonb.c). */
extern void canonical_jsonb(CanonicalWriter *writer, Datum value);

/* Write a string in the database encoding; a numeric (canonical_server.c). */
extern void canonical_server_text(CanonicalWriter *writer, const char *bytes,
								  Size len);
extern void canonical_server_numeric(CanonicalWriter *writer, Datum value);

#endif							/* CANONICAL_DATUM_H */
