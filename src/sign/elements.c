/*-------------------------------------------------------------------------
 *
 * elements.c
 *	  Hash and compare the elements of sets.
 *
 * Integers of all widths hash as 64-bit values and strings as their bytes in
 * UTF-8 (see core/hash.h), so that signatures are the same on every platform
 * and in every database encoding.  Strings are equal if their bytes are,
 * regardless of the collation and of trailing blanks of character(n).  An enum
 * value hashes as its label, since its OID changes with a dump and restore.
 * After ALTER TYPE ... RENAME VALUE, signatures must therefore be rebuilt.
 *
 * Values of other types hash as their canonical form (see core/canonical.h),
 * which is the same on every platform and for equal values.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "canonical_datum.h"
#include "compat.h"
#include "elements.h"
#include "support/utf8.h"

#define MIN_FORM_SIZE 64		/* bytes; doubled as needed */

/* Return the unit of sets whose elements have a type, domains resolved. */
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

/* Look up how the values of a type are hashed. */
const ElementType *
element_type_lookup(FmgrInfo *flinfo, Oid type)
{
	ElementType *element = flinfo->fn_extra;
	ElementType found = {.type = type};

	if (element != NULL && element->type == type)
		return element;
	found.base_type = getBaseType(type);
	found.is_enum = type_is_enum(found.base_type);
	get_typlenbyval(found.base_type, &found.length, &found.by_value);
	found.unit = unit_of_type(found.base_type);
	if (found.unit == SHINGLE_OTHER)
		check_canonical_type(found.base_type);
	found.scratch = element != NULL ? element->scratch :
		AllocSetContextCreate(flinfo->fn_mcxt, "lshsim element",
							  ALLOCSET_DEFAULT_SIZES);
	if (element == NULL)
		flinfo->fn_extra = element = MemoryContextAlloc(flinfo->fn_mcxt,
														sizeof(ElementType));
	*element = found;
	return element;
}

/* Convert an integer of any width. */
int64
element_integer(const ElementType *type, Datum value)
{
	switch (type->base_type)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		default:
			return DatumGetInt64(value);
	}
}

/* Hash a string, name or enum value as its bytes in UTF-8. */
static uint64
string_hash(const ElementType *type, Datum value, uint64 seed)
{
	char	   *bytes;
	char	   *utf8;
	Size		len;
	uint64		hash;

	if (type->is_enum)
	{
		bytes = DatumGetCString(OidFunctionCall1(F_ENUM_OUT, value));
		len = strlen(bytes);
	}
	else
		bytes = string_bytes(type->base_type, value, &len);
	utf8 = bytes_to_utf8(bytes, len, &len);
	hash = shingle_hash(utf8, len, seed);
	/* An array can have a hundred million elements, so do not leak. */
	if (utf8 != bytes)
		pfree(utf8);
	if (type->is_enum)
		pfree(bytes);
	return hash;
}

/* Hash a value by its canonical form. */
static uint64
form_hash(const ElementType *type, Datum value, uint64 seed)
{
	MemoryContext caller = MemoryContextSwitchTo(type->scratch);
	CanonicalHasher hasher;

	canonical_hash_begin(&hasher, seed);
	canonical_datum(&hasher.writer, type->base_type, value);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(type->scratch);
	return canonical_hash_end(&hasher);
}

/* Hash a value. */
uint64
element_hash(const ElementType *type, Datum value, uint64 seed)
{
	if (type->unit == SHINGLE_INTEGER)
		return shingle_hash_integer(element_integer(type, value), seed);
	if (type->unit == SHINGLE_TEXT)
		return string_hash(type, value, seed);
	return form_hash(type, value, seed);
}

/* Double the buffer of a canonical form. */
static void
enlarge_form(CanonicalWriter *form)
{
	CHECK_FOR_INTERRUPTS();
	form->size *= 2;
	form->bytes = repalloc_huge(form->bytes, form->size);
}

/* Write the canonical form of a value into memory. */
static CanonicalWriter
form_of(const ElementType *type, Datum value)
{
	CanonicalWriter form = {
		.bytes = palloc(MIN_FORM_SIZE),
		.size = MIN_FORM_SIZE,
		.make_room = enlarge_form
	};

	canonical_datum(&form, type->base_type, value);
	return form;
}

/* Compare two values by their canonical forms. */
int
element_compare(const ElementType *type, Datum a, Datum b)
{
	MemoryContext caller;
	CanonicalWriter x;
	CanonicalWriter y;
	int			sign;

	if (datumIsEqual(a, b, type->by_value, type->length))
		return 0;
	caller = MemoryContextSwitchTo(type->scratch);
	x = form_of(type, a);
	y = form_of(type, b);
	sign = memcmp(x.bytes, y.bytes, Min(x.len, y.len));
	if (sign == 0)
		sign = (x.len > y.len) - (x.len < y.len);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(type->scratch);
	return sign;
}
