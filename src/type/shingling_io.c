/*-------------------------------------------------------------------------
 *
 * shingling_io.c
 *	  Input and output of the type shingling: text and binary.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "libpq/pqformat.h"

#include "compat.h"
#include "core/text/shingling.h"
#include "minhash_io.h"
#include "support/arguments.h"

/* The details of errors in the text form of a shingling. */
static const char *const problems[] = {
	[SHINGLING_BAD_UNIT] = "Units are \"char\" and \"word\".",
	[SHINGLING_BAD_SIZE] = "The size must be between 1 and 255, as in \"char:5\".",
	[SHINGLING_BAD_OPTION] = "Options are \"raw\" and \"bag\"."
};

/* Input function of shingling. */
PG_FUNCTION_INFO_V1(shingling_in);
Datum
shingling_in(PG_FUNCTION_ARGS)
{
	char	   *str = PG_GETARG_CSTRING(0);
	uint32		shingling;
	ShinglingError error = shingling_parse(str, strlen(str), &shingling);

	if (error != SHINGLING_OK)
		ereturn(fcinfo->context, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s: \"%.*s\"",
						"shingling", arg_quoted_length(str), str),
				 errdetail_internal("%s", problems[error]),
				 errhint("Examples: \"char:5\", \"word:3\", \"char:9 raw\", \"word:2 bag\".")));
	PG_RETURN_UINT32(shingling);
}

/* Output function of shingling. */
PG_FUNCTION_INFO_V1(shingling_out);
Datum
shingling_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(arg_shingling_text(arg_check_shingling(PG_GETARG_UINT32(0))));
}

/* Receive function of shingling. */
PG_FUNCTION_INFO_V1(shingling_recv);
Datum
shingling_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	uint32		shingling = pq_getmsgint(buf, 4);

	if (!shingling_is_valid(shingling))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid binary form of a shingling: %u", shingling),
				 errdetail("The number is not a shingling of this version.")));
	PG_RETURN_UINT32(shingling);
}

/* Send function of shingling. */
PG_FUNCTION_INFO_V1(shingling_send);
Datum
shingling_send(PG_FUNCTION_ARGS)
{
	StringInfoData buf;

	pq_begintypsend(&buf);
	pq_sendint32(&buf, arg_check_shingling(PG_GETARG_UINT32(0)));
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}
