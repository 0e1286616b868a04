/*-------------------------------------------------------------------------
 *
 * canonical_datum.h
 *	  Write the canonical form of a value of any type.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CANONICAL_DATUM_H
#define CANONICAL_DATUM_H

#include "postgres.h"

#include "core/canonical.h"

extern void check_canonical_type(Oid type);
extern void canonical_datum(CanonicalWriter *writer, Oid type, Datum value);
extern void canonical_server_text(CanonicalWriter *writer, const char *bytes,
								  Size len);
extern void canonical_server_numeric(CanonicalWriter *writer, Datum value);
extern void canonical_jsonb(CanonicalWriter *writer, Datum value);

#endif							/* CANONICAL_DATUM_H */
