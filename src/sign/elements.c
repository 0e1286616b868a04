/*-------------------------------------------------------------------------
 *
 * elements.c
 *	  The supported types of elements, and the bytes that are hashed of each.
 *
 * Integers of all widths hash as 64-bit values and strings as their bytes in
 * UTF-8 (see core/base/hash.h), so that signatures are the same on every platform
 * and in every database encoding.  Strings are equal if their bytes are,
 * regardless of the collation and of trailing blanks of character(n).  An enum
 * value hashes as its label, since its OID changes with a dump and restore.
 * After ALTER TYPE ... RENAME VALUE, signatures must therefore be rebuilt.
 *
 * Values of other types hash as their canonical form (see core/base/canonical.h),
 * which is the same on every platform and for equal values.  A type is
 * supported, by a row of the table below, if its equality can be decided from a
 * short form.  OID aliases (regclass and related types) have none,
 * since a restore changes OIDs; types of extensions have an equality of their
 * own.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "compat.h"
#include "core/base/canonical.h"
#include "core/base/hash.h"
#include "elements.h"
#include "support/utf8.h"

/* All supported types; the tag matters if a type has a canonical form. */
static const struct
{
	Oid			type;			/* InvalidOid: any enum */
	ElementForm form;
	CanonicalTag tag;
}			supported_types[] = {
	{INT4OID, ELEMENT_INTEGER, 0},
	{INT8OID, ELEMENT_INTEGER, 0},
	{INT2OID, ELEMENT_INTEGER, 0},
	{TEXTOID, ELEMENT_STRING, 0},
	{VARCHAROID, ELEMENT_STRING, 0},
	{BPCHAROID, ELEMENT_STRING, 0},
	{NAMEOID, ELEMENT_STRING, 0},
	{BOOLOID, ELEMENT_NUMBER, CANONICAL_BOOL},
	{CHAROID, ELEMENT_NUMBER, CANONICAL_CHAR},
	{FLOAT4OID, ELEMENT_FLOAT, CANONICAL_FLOAT},
	{FLOAT8OID, ELEMENT_FLOAT, CANONICAL_FLOAT},
	{NUMERICOID, ELEMENT_NUMERIC, CANONICAL_NUMERIC},
	{CASHOID, ELEMENT_NUMBER, CANONICAL_MONEY},
	{BYTEAOID, ELEMENT_BYTEA, CANONICAL_BYTEA},
	{UUIDOID, ELEMENT_BYTES, CANONICAL_UUID},
	{DATEOID, ELEMENT_NUMBER, CANONICAL_DATE},
	{TIMEOID, ELEMENT_NUMBER, CANONICAL_TIME},
	{TIMESTAMPOID, ELEMENT_NUMBER, CANONICAL_TIMESTAMP},
	{TIMESTAMPTZOID, ELEMENT_NUMBER, CANONICAL_TIMESTAMPTZ},
	{MACADDROID, ELEMENT_BYTES, CANONICAL_MACADDR},
	{MACADDR8OID, ELEMENT_BYTES, CANONICAL_MACADDR8},
	{OIDOID, ELEMENT_UNSIGNED, CANONICAL_OID},
	{XIDOID, ELEMENT_UNSIGNED, CANONICAL_XID},
	{XID8OID, ELEMENT_NUMBER, CANONICAL_XID8},
	{CIDOID, ELEMENT_UNSIGNED, CANONICAL_CID},
	{LSNOID, ELEMENT_NUMBER, CANONICAL_PG_LSN},
	{InvalidOid, ELEMENT_ENUM, 0}
};

/* Return the row of a type, domains resolved, in the table of supported types. */
static int
find_supported_type(Oid type)
{
	int			row = 0;

	while (OidIsValid(supported_types[row].type) && supported_types[row].type != type)
		row++;
	if (!OidIsValid(supported_types[row].type) && !type_is_enum(type))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("elements of type %s cannot be hashed",
						format_type_be(type)),
				 errdetail("The type has no canonical form in which equal values have equal bytes."),
				 errhint("Store the elements in a column of type text[], or convert them to text by an IMMUTABLE function of your own.")));
	return row;
}

/* Keep the last type in fn_extra, since most calls have one. */
const ElementType *
element_type_lookup(FmgrInfo *flinfo, Oid type)
{
	ElementType *element = flinfo->fn_extra;
	Oid			base_type;
	int			row;

	if (element != NULL && element->type == type)
		return element;
	base_type = getBaseType(type);
	row = find_supported_type(base_type);
	if (element == NULL)
	{
		element = MemoryContextAlloc(flinfo->fn_mcxt, sizeof(ElementType));
		element->scratch = AllocSetContextCreate(flinfo->fn_mcxt, "lshsim element",
												 ALLOCSET_DEFAULT_SIZES);
		flinfo->fn_extra = element;
	}
	element->type = type;
	element->base_type = base_type;
	element->form = supported_types[row].form;
	element->tag = (uint8) supported_types[row].tag;
	element->unit = element->form == ELEMENT_INTEGER ? SHINGLE_INTEGER :
		element->tag == 0 ? SHINGLE_TEXT : SHINGLE_OTHER;
	element->length = get_typlen(base_type);
	return element;
}

/* Read the number that a value of any fixed length is stored as. */
static int64
element_integer(const ElementType *type, Datum value)
{
	if (type->form == ELEMENT_UNSIGNED)
		return DatumGetUInt32(value);
	switch (type->length)
	{
		case 1:
			return DatumGetUInt8(value);
		case 2:
			return DatumGetInt16(value);
		case 4:
			return DatumGetInt32(value);
		default:
			return DatumGetInt64(value);
	}
}

/* Return the bytes of a string or of the label of an enum value in UTF-8. */
static const void *
string_in_utf8(const ElementType *type, Datum value, Size *len)
{
	char	   *bytes;

	if (type->form == ELEMENT_ENUM)
	{
		bytes = DatumGetCString(DirectFunctionCall1(enum_out, value));
		*len = strlen(bytes);
	}
	else
		bytes = utf8_string_bytes(type->base_type, value, len);
	return utf8_from_bytes(bytes, *len, len);
}

/* Write the canonical form of a bytea or numeric. */
static const void *
long_form(const ElementType *type, Datum value, Size *len)
{
	Datum		sent = type->form == ELEMENT_BYTEA ? value :
		DirectFunctionCall1(numeric_send, value);
	bytea	   *string = DatumGetByteaPP(sent);
	Size		size = VARSIZE_ANY_EXHDR(string);
	Size		room = type->form == ELEMENT_BYTEA ? size : 2 * size;
	uint8	   *form = palloc_extended(room + CANONICAL_HEADER_SIZE,
									   MCXT_ALLOC_HUGE);

	*len = type->form == ELEMENT_BYTEA ?
		canonical_bytea(form, VARDATA_ANY(string), size) :
		canonical_numeric(form, (const uint8 *) VARDATA_ANY(string));
	return form;
}

/*
 * Return the bytes that are hashed, of a value other than an integer.  They are in
 * the fixed buffer, in the value, or in the current memory context.
 */
static const void *
hashed_bytes(const ElementType *type, Datum value, uint8 *fixed, Size *len)
{
	switch (type->form)
	{
		case ELEMENT_STRING:
		case ELEMENT_ENUM:
			return string_in_utf8(type, value, len);
		case ELEMENT_BYTEA:
		case ELEMENT_NUMERIC:
			return long_form(type, value, len);
		case ELEMENT_FLOAT:
			*len = canonical_float(fixed, type->length == sizeof(float4) ?
								   DatumGetFloat4(value) : DatumGetFloat8(value));
			return fixed;
		case ELEMENT_BYTES:
			*len = canonical_bytes(fixed, type->tag, DatumGetPointer(value),
								   (Size) type->length);
			return fixed;
		default:
			*len = canonical_number(fixed, type->tag, element_integer(type, value));
			return fixed;
	}
}

/* Hash the bytes of a value, and free what they took. */
uint64
element_hash(const ElementType *type, Datum value, uint64 seed)
{
	uint8		fixed[CANONICAL_FIXED_SIZE];
	MemoryContext caller;
	const void *bytes;
	Size		len;
	uint64		hash;

	if (type->form == ELEMENT_INTEGER)
		return shingle_hash_integer(element_integer(type, value), seed);
	/* An array can have a hundred million elements, so do not leak. */
	caller = MemoryContextSwitchTo(type->scratch);
	bytes = hashed_bytes(type, value, fixed, &len);
	hash = shingle_hash(bytes, len, seed);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(type->scratch);
	return hash;
}
