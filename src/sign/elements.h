/*-------------------------------------------------------------------------
 *
 * elements.h
 *	  Hash the elements of sets.
 *
 * Values must not be null.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ELEMENTS_H
#define ELEMENTS_H

#include "fmgr.h"

#include "core/text/shingling.h"

/* The bytes of a value that are hashed (see core/base/hash.h, core/base/canonical.h). */
typedef enum ElementForm
{
	ELEMENT_INTEGER,			/* the number, without a tag */
	ELEMENT_STRING,				/* its bytes in UTF-8 */
	ELEMENT_ENUM,				/* the label in UTF-8 */
	ELEMENT_NUMBER,				/* a tag and a number */
	ELEMENT_UNSIGNED,			/* the same, stored without a sign */
	ELEMENT_BYTES,				/* a tag and its bytes */
	ELEMENT_FLOAT,
	ELEMENT_NUMERIC,
	ELEMENT_BYTEA
} ElementForm;

/* How the values of a type are hashed; callers read unit. */
typedef struct ElementType
{
	Oid			type;			/* as given by the caller */
	Oid			base_type;		/* domains resolved */
	int16		length;			/* typlen of the base type */
	uint8		tag;			/* of the canonical form; 0 if it has none */
	ElementForm form;
	ShingleUnit unit;			/* integer, text or other */
	MemoryContext scratch;		/* reset after each value */
} ElementType;

/*
 * Look up how the values of a type are hashed.  The result is cached in
 * fn_extra, and looked up again if the type changes, as in a column of type
 * anyarray.  Raises an error for a type that is not supported:
 * ERRCODE_FEATURE_NOT_SUPPORTED.
 */
extern const ElementType *element_type_lookup(FmgrInfo *flinfo, Oid type);

/* Return the 64-bit hash of a value. */
extern uint64 element_hash(const ElementType *type, Datum value, uint64 seed);

#endif							/* ELEMENTS_H */
