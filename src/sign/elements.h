/*-------------------------------------------------------------------------
 *
 * elements.h
 *	  Hash and compare the elements of sets.
 *
 * Values must not be null.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ELEMENTS_H
#define ELEMENTS_H

#include "fmgr.h"

#include "core/shingling.h"

/* How the values of a type are hashed. */
typedef struct ElementType
{
	Oid			type;			/* as given by the caller */
	Oid			base_type;		/* domains resolved */
	int16		length;			/* typlen of the base type */
	bool		by_value;		/* typbyval of the base type */
	bool		is_enum;
	ShingleUnit unit;			/* integer, text or other */
	MemoryContext scratch;		/* for canonical forms; reset after each */
} ElementType;

/*
 * Look up how the values of a type are hashed.  The result is cached in
 * fn_extra, and looked up again if the type changes, as in a column of type
 * anyarray.  Errors out for a type without a canonical form.
 */
extern const ElementType *element_type_lookup(FmgrInfo *flinfo, Oid type);

/* Return the 64-bit hash of a value. */
extern uint64 element_hash(const ElementType *type, Datum value, uint64 seed);

/* Return the value of an integer; only if the unit is SHINGLE_INTEGER. */
extern int64 element_integer(const ElementType *type, Datum value);

/*
 * Compare two values; less than, equal to or greater than 0 as for qsort.  The
 * order is total but otherwise arbitrary, and 0 means that the two are the same
 * element of a set.
 */
extern int	element_compare(const ElementType *type, Datum a, Datum b);

#endif							/* ELEMENTS_H */
