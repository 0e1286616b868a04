/*-------------------------------------------------------------------------
 *
 * minhash_io.c
 *	  Input and output of signatures: text, binary, type modifier, casts.
 *
 * The forms are described in minhash.h.  All input functions enforce its
 * invariants.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/base64.h"
#include "common/string.h"
#include "libpq/pqformat.h"
#include "port/pg_bswap.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "compat.h"
#include "minhash_io.h"
#include "support/arguments.h"

/* Length of the base64 form of the slots of k hashes. */
#define SLOTS_BASE64_SIZE(k) (((k) * 2 + 2) / 3 * 4)

/* Check the number of hashes against a type modifier; false on soft error. */
static bool
check_expected_hashes(int32 typmod, int num_hashes, Node *escontext)
{
	int			expected = MINHASH_TYPMOD_HASHES(typmod);

	if (typmod != -1 && expected != num_hashes)
		ereturn(escontext, false,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("expected %d hashes, not %d", expected, num_hashes),
				 errhint("Sign with that number of hashes, as in to_minhash(body, 'char:5', %d).",
						 expected)));
	return true;
}

/* Make the text form of a signature. */
char *
minhash_to_cstring(const MinHash *sig)
{
	int			base64_size = SLOTS_BASE64_SIZE(sig->num_hashes);
	char	   *kind = minhash_kind_text(minhash_kind_of(sig));
	Size		len = strlen(kind);
	char	   *str = palloc(len + base64_size + 2);
	uint16	   *bytes = palloc(sizeof(uint16) * sig->num_hashes);

	memcpy(str, kind, len);
	str[len++] = '/';
	for (int i = 0; i < sig->num_hashes; i++)
		bytes[i] = pg_hton16(sig->slots[i]);
	len += pg_b64_encode((void *) bytes, sizeof(uint16) * sig->num_hashes,
						 str + len, base64_size);
	str[len] = '\0';
	pfree(bytes);
	return str;
}

/* Return the part of a text form after its n-th slash, or NULL. */
static const char *
skip_fields(const char *str, int n)
{
	while (n-- > 0)
	{
		str = strchr(str, '/');
		if (str == NULL)
			return NULL;
		str++;
	}
	return str;
}

/* Parse the parameters of a text form; return an error message or NULL. */
static const char *
parse_head(const char *str, MinHashKind *kind)
{
	const char *method = skip_fields(str, 1);
	const char *num_hashes = skip_fields(str, 2);
	const char *seed = skip_fields(str, 3);

	if (skip_fields(str, 4) == NULL)
		return "Expected shingling/method/hashes/seed/slots.";
	if (shingling_parse(str, method - str - 1, &kind->shingling) != SHINGLING_OK)
		return "Unknown shingling.";
	if (!sketch_method_parse(method, num_hashes - method - 1, &kind->method))
		return "Unknown sketch method.";
	kind->num_hashes = strtoint(num_hashes, NULL, 10);
	if (kind->num_hashes < SKETCH_MIN_HASHES ||
		kind->num_hashes > SKETCH_MAX_HASHES)
		return "The number of hashes must be between "
			CppAsString2(SKETCH_MIN_HASHES) " and "
			CppAsString2(SKETCH_MAX_HASHES) ".";
	kind->seed = strtoint(seed, NULL, 10);
	return NULL;
}

/* Parse a text form; return an error message or NULL. */
static const char *
parse_minhash(const char *str, MinHash **result)
{
	MinHashKind kind;
	MinHash    *sig;
	const char *problem = parse_head(str, &kind);
	const char *slots = skip_fields(str, 4);
	int			size;

	if (problem != NULL)
		return problem;
	sig = minhash_alloc(&kind);
	size = (int) sizeof(uint16) * kind.num_hashes;
	if (strlen(slots) != (Size) SLOTS_BASE64_SIZE(kind.num_hashes))
		return psprintf("Expected %d characters of base64 after the fourth slash, but found %zu.",
						SLOTS_BASE64_SIZE(kind.num_hashes), strlen(slots));
	if (pg_b64_decode(slots, SLOTS_BASE64_SIZE(kind.num_hashes),
					  (void *) sig->slots, size) != size)
		return "The slots are not base64 of two bytes for every hash.";
	for (int i = 0; i < kind.num_hashes; i++)
		sig->slots[i] = pg_ntoh16(sig->slots[i]);
	if (!slots_are_valid(sig->slots, kind.num_hashes, kind.method))
		return "A slot is out of range, or empty where none can be.";
	/* Only the canonical form: no extra spaces, zeros, signs or bits. */
	if (strcmp(minhash_to_cstring(sig), str) != 0)
		return "The text is not in the form in which minhash values are printed.";
	*result = sig;
	return NULL;
}

/* Parse a signature. */
MinHash *
minhash_parse(const char *str, int32 typmod, Node *escontext)
{
	MinHash    *sig = NULL;
	const char *problem = parse_minhash(str, &sig);
	const char *method = skip_fields(str, 1);
	uint32		shingling;

	if (problem != NULL)
		ereturn(escontext, NULL,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s: \"%.*s\"", "minhash",
						arg_quoted_length(str), str),
				 errdetail_internal("%s", problem),
				 method != NULL &&
				 shingling_parse(str, method - str - 1, &shingling) == SHINGLING_OK ? 0 :
				 errhint("The signature of a text is to_minhash('...').")));
	if (!check_expected_hashes(typmod, sig->num_hashes, escontext))
		return NULL;
	return sig;
}

/* Input function of minhash. */
PG_FUNCTION_INFO_V1(minhash_in);
Datum
minhash_in(PG_FUNCTION_ARGS)
{
	MinHash    *sig = minhash_parse(PG_GETARG_CSTRING(0), PG_GETARG_INT32(2),
									fcinfo->context);

	if (sig == NULL)
		PG_RETURN_NULL();
	PG_RETURN_MINHASH_P(sig);
}

/* Output function of minhash. */
PG_FUNCTION_INFO_V1(minhash_out);
Datum
minhash_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(minhash_to_cstring(PG_GETARG_WHOLE_MINHASH_P(0)));
}

/* Report an invalid binary form. */
static void
report_bad_binary(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("invalid binary form of a minhash signature"),
			 errdetail_internal("%s", detail)));
}

/* Read the binary form of a signature. */
MinHash *
minhash_read_binary(StringInfo buf)
{
	int			version = pq_getmsgint(buf, 1);
	MinHashKind kind;
	MinHash    *sig;

	kind.method = pq_getmsgint(buf, 1);
	kind.num_hashes = (int) pq_getmsgint(buf, 2);
	kind.shingling = pq_getmsgint(buf, 4);
	kind.seed = (int32) pq_getmsgint(buf, 4);
	if (version != MINHASH_VERSION)
		report_bad_binary("Unknown format version.");
	if (kind.method < SKETCH_ONE_PERMUTATION ||
		kind.method > SKETCH_LAST_METHOD)
		report_bad_binary("Unknown sketch method.");
	if (kind.num_hashes < SKETCH_MIN_HASHES ||
		kind.num_hashes > SKETCH_MAX_HASHES)
		report_bad_binary("The number of hashes is out of range.");
	if (!shingling_is_valid(kind.shingling))
		report_bad_binary("Unknown shingling.");
	if (pq_getmsgint(buf, 4) != 0)
		report_bad_binary("The reserved word is not zero.");
	if (buf->len - buf->cursor != (int) sizeof(uint16) * kind.num_hashes)
		report_bad_binary("The length does not fit the number of hashes.");
	sig = minhash_alloc(&kind);
	for (int i = 0; i < kind.num_hashes; i++)
		sig->slots[i] = (uint16) pq_getmsgint(buf, 2);
	if (!slots_are_valid(sig->slots, kind.num_hashes, kind.method))
		report_bad_binary("A slot is out of range, or empty where none can be.");
	return sig;
}

/* Receive function of minhash. */
PG_FUNCTION_INFO_V1(minhash_recv);
Datum
minhash_recv(PG_FUNCTION_ARGS)
{
	MinHash    *sig = minhash_read_binary((StringInfo) PG_GETARG_POINTER(0));

	check_expected_hashes(PG_GETARG_INT32(2), sig->num_hashes, NULL);
	PG_RETURN_MINHASH_P(sig);
}

/* Write the binary form of a signature. */
void
minhash_write_binary(StringInfo buf, const MinHash *sig)
{
	pq_sendbyte(buf, sig->version);
	pq_sendbyte(buf, sig->method);
	pq_sendint16(buf, sig->num_hashes);
	pq_sendint32(buf, sig->shingling);
	pq_sendint32(buf, (uint32) sig->seed);
	pq_sendint32(buf, sig->reserved);
	for (int i = 0; i < sig->num_hashes; i++)
		pq_sendint16(buf, sig->slots[i]);
}

/* Send function of minhash, and cast to bytea. */
PG_FUNCTION_INFO_V1(minhash_send);
Datum
minhash_send(PG_FUNCTION_ARGS)
{
	StringInfoData buf;

	pq_begintypsend(&buf);
	minhash_write_binary(&buf, PG_GETARG_WHOLE_MINHASH_P(0));
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

/* Cast bytea to minhash. */
PG_FUNCTION_INFO_V1(minhash_from_bytea);
Datum
minhash_from_bytea(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	StringInfoData buf = {
		.data = VARDATA_ANY(bytes),
		.len = VARSIZE_ANY_EXHDR(bytes)
	};
	MinHash    *sig;

	if (VARSIZE_ANY_EXHDR(bytes) < MINHASH_SIZE(SKETCH_MIN_HASHES) - sizeof(int32))
		report_bad_binary("It is too short.");
	sig = minhash_read_binary(&buf);
	check_expected_hashes(PG_GETARG_INT32(1), sig->num_hashes, NULL);
	PG_RETURN_MINHASH_P(sig);
}

/* Type modifier input function: the number of hashes. */
PG_FUNCTION_INFO_V1(minhash_typmod_in);
Datum
minhash_typmod_in(PG_FUNCTION_ARGS)
{
	ArrayType  *modifiers = PG_GETARG_ARRAYTYPE_P(0);
	int			count;
	int32	   *values = ArrayGetIntegerTypmods(modifiers, &count);

	if (count != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid type modifier"),
				 errhint("Write minhash(k), where k is the number of hashes.")));
	PG_RETURN_INT32(MINHASH_TYPMOD(arg_check_num_hashes(values[0])));
}

/* Type modifier output function. */
PG_FUNCTION_INFO_V1(minhash_typmod_out);
Datum
minhash_typmod_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(psprintf("(%d)",
							   MINHASH_TYPMOD_HASHES(PG_GETARG_INT32(0))));
}

/* Length coercion: check the type modifier, which cannot change a value. */
PG_FUNCTION_INFO_V1(minhash);
Datum
minhash(PG_FUNCTION_ARGS)
{
	MinHash    *sig = PG_GETARG_MINHASH_P(0);

	check_expected_hashes(PG_GETARG_INT32(1), sig->num_hashes, NULL);
	PG_RETURN_MINHASH_P(sig);
}
