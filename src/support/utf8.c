/*-------------------------------------------------------------------------
 *
 * utf8.c
 *	  Convert strings to UTF-8.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "utf8.h"

/*
 * Convert a string in the database's encoding to UTF-8.
 *
 * Returns the argument itself if there is nothing to convert.  The result
 * need not end with a zero byte.
 */
char *
bytes_to_utf8(const char *bytes, Size len, Size *utf8_len)
{
	char	   *utf8 = pg_server_to_any(bytes, (int) len, PG_UTF8);

	*utf8_len = utf8 == bytes ? len : strlen(utf8);
	return utf8;
}

/* Refuse a string that is not UTF-8 although the database says so. */
void
report_not_utf8(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
			 errmsg("invalid byte sequence for encoding \"UTF8\"")));
}
