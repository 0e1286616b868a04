/*-------------------------------------------------------------------------
 *
 * canonical_server.c
 *	  Write the canonical forms that jsonb shares with scalar types.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "canonical_datum.h"
#include "compat.h"
#include "support/utf8.h"

/* Write a string in the database encoding. */
void
canonical_server_text(CanonicalWriter *writer, const char *bytes, Size len)
{
	const char *utf8 = bytes_to_utf8(bytes, len, &len);

	canonical_string(writer, CANONICAL_TEXT, utf8, len);
}

/* Write a numeric from its binary form, whose format does not change. */
void
canonical_server_numeric(CanonicalWriter *writer, Datum value)
{
	bytea	   *sent = DatumGetByteaPP(DirectFunctionCall1(numeric_send, value));

	canonical_numeric(writer, (const uint8_t *) VARDATA_ANY(sent));
	pfree(sent);
}
