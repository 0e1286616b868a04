/*-------------------------------------------------------------------------
 *
 * minhash_query.c
 *	  The type minhash_query, the right side of the operator @@.
 *
 * A query contains a threshold and a recall, so that @@ is immutable and does
 * not depend on settings.  The text form is that of the signature preceded by
 * threshold and recall:
 *
 *	0.8/0.99/char:5/one-permutation/128/0/AqMFcw...
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "common/shortest_dec.h"
#include "libpq/pqformat.h"

#include "compat.h"
#include "minhash_io.h"
#include "minhash_query.h"
#include "support/arguments.h"

/* Return true if a number is from 0 to 1, and not -0. */
static bool
in_unit_interval(double value)
{
	return !isnan(value) && !signbit(value) && value <= 1;
}

/* Detoast a query and check its header. */
MinHashQuery *
DatumGetMinHashQuery(Datum datum)
{
	MinHashQuery *query = (MinHashQuery *) PG_DETOAST_DATUM(datum);

	if (VARSIZE(query) < offsetof(MinHashQuery, sig) + MINHASH_SIZE(0) ||
		VARATT_IS_EXTENDED(&query->sig) ||
		VARSIZE(query) != offsetof(MinHashQuery, sig) + VARSIZE(&query->sig) ||
		query->reserved != 0 ||
		!in_unit_interval(query->threshold) || query->threshold == 0 ||
		!in_unit_interval(query->recall))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("invalid minhash query"),
				 errdetail("The header of a stored query is damaged.")));
	(void) DatumGetMinHash(PointerGetDatum(&query->sig));
	return query;
}

/* Detoast a query and check all of it, as output functions must. */
static MinHashQuery *
whole_query(Datum datum)
{
	MinHashQuery *query = DatumGetMinHashQuery(datum);

	(void) DatumGetWholeMinHash(PointerGetDatum(&query->sig));
	return query;
}

/* Make a query, with a copy of the signature, of checked numbers. */
static MinHashQuery *
make_query(const MinHash *sig, double threshold, double recall)
{
	Size		size = offsetof(MinHashQuery, sig) + VARSIZE(sig);
	MinHashQuery *query = palloc0(size);

	SET_VARSIZE(query, size);
	query->threshold = threshold;
	query->recall = fabs(recall);	/* -0 is 0 */
	memcpy(&query->sig, sig, VARSIZE(sig));
	return query;
}

/* Make a query from a signature, a threshold and a recall. */
PG_FUNCTION_INFO_V1(minhash_query);
Datum
minhash_query(PG_FUNCTION_ARGS)
{
	MinHash    *sig = PG_GETARG_MINHASH_P(0);
	double		threshold = arg_check_threshold(PG_GETARG_FLOAT8(1));
	double		recall = arg_check_unit_interval(PG_GETARG_FLOAT8(2), "recall");

	PG_RETURN_POINTER(make_query(sig, threshold, recall));
}

/* Return the text form of a query. */
static char *
query_to_cstring(const MinHashQuery *query)
{
	char		threshold[DOUBLE_SHORTEST_DECIMAL_LEN];
	char		recall[DOUBLE_SHORTEST_DECIMAL_LEN];

	double_to_shortest_decimal_buf(query->threshold, threshold);
	double_to_shortest_decimal_buf(query->recall, recall);
	return psprintf("%s/%s/%s", threshold, recall, minhash_to_cstring(&query->sig));
}

/* Convert text to a query: the input function. */
PG_FUNCTION_INFO_V1(minhash_query_in);
Datum
minhash_query_in(PG_FUNCTION_ARGS)
{
	const char *str = PG_GETARG_CSTRING(0);
	char	   *end;
	double		threshold = strtod(str, &end);
	double		recall = *end == '/' ? strtod(end + 1, &end) : -1;
	MinHashQuery *query = NULL;

	if (in_unit_interval(threshold) && threshold > 0 &&
		in_unit_interval(recall) && *end == '/')
	{
		MinHash    *sig = minhash_parse(end + 1, -1, fcinfo->context);

		if (sig == NULL)
			PG_RETURN_NULL();
		query = make_query(sig, threshold, recall);
	}
	/* Only the canonical form: no extra spaces, zeros, signs or digits. */
	if (query == NULL || strcmp(query_to_cstring(query), str) != 0)
		ereturn(fcinfo->context, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s: \"%.*s\"",
						"minhash_query", arg_quoted_length(str), str),
				 errdetail("Expected threshold/recall/signature as they are printed, both numbers between 0 and 1, and the threshold greater than 0."),
				 errhint("A search for a text is minhash_query(to_minhash('...'), threshold).")));
	PG_RETURN_POINTER(query);
}

/* Convert a query to text: the output function. */
PG_FUNCTION_INFO_V1(minhash_query_out);
Datum
minhash_query_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(query_to_cstring(whole_query(PG_GETARG_DATUM(0))));
}

/* Convert the binary form to a query: the receive function. */
PG_FUNCTION_INFO_V1(minhash_query_recv);
Datum
minhash_query_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	double		threshold = arg_check_threshold(pq_getmsgfloat8(buf));
	double		recall = arg_check_unit_interval(pq_getmsgfloat8(buf), "recall");

	PG_RETURN_POINTER(make_query(minhash_read_binary(buf), threshold,
								 recall));
}

/* Convert a query to its binary form: the send function. */
PG_FUNCTION_INFO_V1(minhash_query_send);
Datum
minhash_query_send(PG_FUNCTION_ARGS)
{
	MinHashQuery *query = whole_query(PG_GETARG_DATUM(0));
	StringInfoData buf;

	pq_begintypsend(&buf);
	pq_sendfloat8(&buf, query->threshold);
	pq_sendfloat8(&buf, query->recall);
	minhash_write_binary(&buf, &query->sig);
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}
