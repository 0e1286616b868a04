/*-------------------------------------------------------------------------
 *
 * utf8.c
 *	  Convert strings to UTF-8 and back.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

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

/* Report a string that is not valid UTF-8. */
void
report_not_utf8(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
			 errmsg("invalid byte sequence for encoding \"UTF8\"")));
}
