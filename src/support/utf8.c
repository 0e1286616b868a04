/*-------------------------------------------------------------------------
 *
 * utf8.c
 *	  Bytes of strings, and their conversion to UTF-8 and back.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "compat.h"
#include "core/base/host.h"
#include "utf8.h"

/* Return the bytes of a value of a string type. */
char *
utf8_string_bytes(Oid type, Datum value, Size *len)
{
	struct varlena *string;

	if (type == NAMEOID)
	{
		*len = strlen(NameStr(*DatumGetName(value)));
		return NameStr(*DatumGetName(value));
	}
	string = PG_DETOAST_DATUM_PACKED(value);
	*len = VARSIZE_ANY_EXHDR(string);
	if (type == BPCHAROID)
		*len = bpchartruelen(VARDATA_ANY(string), (int) *len);
	return VARDATA_ANY(string);
}

/* Return true if two texts are equal byte for byte. */
bool
utf8_same_text(const text *a, const text *b)
{
	Size		len = VARSIZE_ANY_EXHDR(a);

	return len == VARSIZE_ANY_EXHDR(b) &&
		memcmp(VARDATA_ANY(a), VARDATA_ANY(b), len) == 0;
}

/* Convert a string in the database encoding to UTF-8. */
char *
utf8_from_bytes(const char *bytes, Size len, Size *utf8_len)
{
	char	   *utf8 = pg_server_to_any(bytes, (int) len, PG_UTF8);

	*utf8_len = utf8 == bytes ? len : strlen(utf8);
	return utf8;
}

/* Convert a string in UTF-8 to a text in the database encoding. */
text *
utf8_to_text(const char *utf8, Size len)
{
	char	   *server = pg_any_to_server(utf8, (int) len, PG_UTF8);
	text	   *result;

	if (server == utf8)
		return cstring_to_text_with_len(utf8, (int) len);
	result = cstring_to_text(server);
	pfree(server);
	return result;
}

/*
 * Raise an error for a text that is not valid UTF-8, as one in an SQL_ASCII
 * database or a damaged table can be.
 */
void
core_report_invalid_utf8(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
			 errmsg("invalid byte sequence for encoding \"UTF8\"")));
}
