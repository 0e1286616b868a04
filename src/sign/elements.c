/*-------------------------------------------------------------------------
 *
 * elements.c
 *	  Hash the elements of a set of any type.
 *
 * Integers of every width hash as their 64-bit value and strings as their
 * bytes in UTF-8 (see core/hash.c), so that their signatures are the same on
 * every platform and in every database.  An enum value hashes as its label,
 * since its OID changes with a dump and restore (after ALTER TYPE ... RENAME
 * VALUE, signatures must be built anew).  Strings are equal if their
 * bytes are, whatever the collation says; trailing blanks of character(n) do
 * not count.
 *
 * Values of other types hash by the extended hash function of the type's
 * default hash operator class.  It respects the type's equality, but is the
 * same only between servers of the same byte order.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "core/hash.h"
#include "elements.h"
#include "support/utf8.h"

/* Find the unit of the signatures of a type's values. */
static ShingleUnit
unit_of_type(Oid type)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
			return SHINGLE_INTEGER;
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case NAMEOID:
			return SHINGLE_TEXT;
		default:
			return type_is_enum(type) ? SHINGLE_TEXT : SHINGLE_OTHER;
	}
}

/* Find the extended hash function of a type. */
static FmgrInfo *
lookup_hash_function(Oid type)
{
	TypeCacheEntry *entry;

	entry = lookup_type_cache(type, TYPECACHE_HASH_EXTENDED_PROC_FINFO);
	if (!OidIsValid(entry->hash_extended_proc_finfo.fn_oid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("could not identify an extended hash function for type %s",
						format_type_be(type)),
				 errhint("Cast the elements to text.")));
	return &entry->hash_extended_proc_finfo;
}

/*
 * Find out how a type's values are hashed, once for each call site; or again,
 * when the type changes, as in columns of type anyarray.
 */
const ElementType *
element_type_lookup(FmgrInfo *flinfo, Oid type)
{
	ElementType *element = flinfo->fn_extra;
	ElementType found = {.type = type};

	if (element != NULL && element->type == type)
		return element;
	found.base_type = getBaseType(type);
	found.is_enum = type_is_enum(found.base_type);
	found.unit = unit_of_type(found.base_type);
	if (found.unit == SHINGLE_OTHER)
		found.hash = lookup_hash_function(found.base_type);
	if (element == NULL)
		flinfo->fn_extra = element = MemoryContextAlloc(flinfo->fn_mcxt,
														sizeof(ElementType));
	*element = found;
	return element;
}

/* Widen an integer of any width. */
static int64
integer_value(Oid type, Datum value)
{
	switch (type)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		default:
			return DatumGetInt64(value);
	}
}

/* Hash a string value as its bytes in UTF-8. */
static uint64
string_hash(const ElementType *type, Datum value, uint64 seed)
{
	char	   *bytes;
	char	   *utf8;
	Size		len;
	uint64		hash;

	if (type->is_enum || type->base_type == NAMEOID)
	{
		bytes = type->is_enum ?
			DatumGetCString(OidFunctionCall1(F_ENUM_OUT, value)) :
			NameStr(*DatumGetName(value));
		len = strlen(bytes);
	}
	else
	{
		struct varlena *string = PG_DETOAST_DATUM_PACKED(value);

		bytes = VARDATA_ANY(string);
		len = VARSIZE_ANY_EXHDR(string);
		if (type->base_type == BPCHAROID)
			len = bpchartruelen(bytes, (int) len);
	}
	utf8 = bytes_to_utf8(bytes, len, &len);
	hash = shingle_hash(utf8, len, seed);
	/* There may be a hundred million elements in an array. */
	if (utf8 != bytes)
		pfree(utf8);
	if (type->is_enum)
		pfree(bytes);
	return hash;
}

/* Hash a value that is not null. */
uint64
element_hash(const ElementType *type, Datum value, Oid collation, uint64 seed)
{
	if (type->unit == SHINGLE_INTEGER)
		return shingle_hash_integer(integer_value(type->base_type, value), seed);
	if (type->unit == SHINGLE_TEXT)
		return string_hash(type, value, seed);
	return DatumGetUInt64(FunctionCall2Coll(type->hash, collation, value,
											UInt64GetDatum(seed)));
}
